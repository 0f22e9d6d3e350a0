import { RallypointError } from '../../../model/errors/errors.ts';
import { systemCode } from '../../../wire/http/transport.ts';
import { StoreError } from '../errors.ts';

/** The connection ended before the answer arrived: the statement may have been executed or not. */
export class ConnectionLost extends Error {}

// SQLSTATE classes and codes, https://www.postgresql.org/docs/current/errcodes-appendix.html
const connectionClass = '08';
const transactionClass = '40';
const resourcesClass = '53';
const diskFull = '53100';
const lockTimeout = '55P03';
const readOnly = '25006';
/** Cancelled, by statement_timeout too; the server shuts down, crashed, or is starting. */
const interventionClass = '57';
const transientCodes = [connectionClass, transactionClass, resourcesClass, interventionClass, lockTimeout];

export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the session itself ended with the error: the outcome of the statement is then unknown. */
export function endsSession(error: unknown): boolean {
  const severity = error instanceof Error && 'severity' in error ? error.severity : undefined;
  return severity === 'FATAL' || severity === 'PANIC' || sqlState(error) === undefined;
}

/** Whether the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  const state = sqlState(error);
  if (state === undefined) return systemCode(error) !== 'unknown';
  return state !== diskFull && transientCodes.some(prefix => state.startsWith(prefix));
}

/** What `pg` itself throws: the address has no password, or asks for TLS, which the server does not speak. */
const clientRejection = /^SASL: |does not support SSL/;

/** Whether the server rejects who we are, where we want to, or how we connect: trying again is of no use. */
export function isRejection(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof Error && clientRejection.test(error.message);
  return state.startsWith('28') || state.startsWith('3D') || state.startsWith('42');
}

/** What an error of the server becomes; one of ours stays as it is. @param location without the password */
export function failedError(location: string, cause: unknown): RallypointError {
  if (cause instanceof RallypointError) return cause;
  if (sqlState(cause) === diskFull) {
    return new StoreError(
      'store_full',
      `${location} has no space left on its disk. Free some; then writes succeed again.`,
      { cause },
    );
  }
  if (isTransient(cause)) return unavailableError(location, cause);
  return new StoreError('store_failed', `${location} answered with an error: ${reasonOf(cause)}.${remedyOf(cause)}`, {
    cause,
  });
}

/** What an answer becomes that is not what the statement can have as its result: somebody else has changed the tables. */
export function oddAnswer(location: string, what: string, table: string): StoreError {
  const message =
    `${location} answered without ${what}: ${table} was changed by hand, or is damaged. ` +
    'Restart the node: it names what is missing, and what to do.';
  return new StoreError('store_failed', message);
}

export function areNumbers(value: unknown, length: number): value is readonly number[] {
  return Array.isArray(value) && value.length === length && value.every(Number.isFinite);
}

/** What an operator can do about an error of the server: a sentence after a space, or nothing. */
export function remedyOf(error: unknown): string {
  if (sqlState(error) !== readOnly) return '';
  return ' Turn default_transaction_read_only off, which the server, the database or the user may have set.';
}

export function unavailableError(location: string, cause: unknown): StoreError {
  const message = `${location} could not be reached in time (${reasonOf(cause)}). Nothing is changed after this error; try again once it can be reached.`;
  return new StoreError('store_unavailable', message, { cause });
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || systemCode(cause);
}
