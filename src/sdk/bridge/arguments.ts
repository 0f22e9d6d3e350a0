import { ArgumentError } from '../../model/errors/errors.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { OperationOptions, WhenOffline } from '../call-options.ts';
import type { JoinOptions } from '../lobby/operations.ts';

/*
 * Readers of what a window passes to a call: the types are checked here, and the client checks the rest.
 */

/** Every call takes these; anything else that a window names is ignored. */
export function operationOptions(given: unknown, signal: AbortSignal): OperationOptions {
  const { deadlineMs, whenOffline } = record(given);
  return {
    deadlineMs: deadlineMs as number | undefined,
    ...(whenOffline !== undefined && {
      whenOffline: oneOf<WhenOffline>(whenOffline, 'whenOffline', ['fail', 'queue']),
    }),
    signal,
  };
}

export function joinOptions(given: unknown, signal: AbortSignal): JoinOptions {
  const { lobbyMetadata, memberMetadata, idleTimeoutSeconds, ...rest } = record(given);
  return {
    ...operationOptions(rest, signal),
    lobbyMetadata: lobbyMetadata as Metadata | undefined,
    memberMetadata: memberMetadata as Metadata | undefined,
    idleTimeoutSeconds: idleTimeoutSeconds as number | undefined,
  };
}

export function record(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  if (typeof given === 'object' && !Array.isArray(given)) return given as Readonly<Record<string, unknown>>;
  throw new ArgumentError('invalid_call_arguments', `The options must be an object (got ${typeof given}).`);
}

export function text(given: unknown, name: string): string {
  if (typeof given === 'string') return given;
  throw new ArgumentError('invalid_call_arguments', `${name} must be a string (got ${typeof given}).`);
}

export function oneOf<Value extends string>(given: unknown, name: string, values: readonly Value[]): Value {
  const value = values.find(one => one === given);
  if (value !== undefined) return value;
  throw new ArgumentError('invalid_call_arguments', `${name} must be one of ${values.join(', ')}.`);
}
