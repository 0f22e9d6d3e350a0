import { describe, expect, it } from 'vitest';
import { OwnershipError } from '../../src/backend/fleet/ownership-error.ts';
import * as commandLine from '../../src/cli/command-line.ts';
import * as modelErrors from '../../src/model/errors/errors.ts';
import { ControlRefusal } from '../../src/service/control/request.ts';
import { AuthorizationPageFault } from '../../src/service/features/oauth/authorize/authorization-request.ts';
import { OutdatedForm } from '../../src/service/features/oauth/pages/visitor.ts';
import { OAuthRequestError } from '../../src/service/features/oauth/token/oauth-request-error.ts';
import { PrivateAddressError } from '../../src/service/outbound/private-address.ts';
import { StoreError } from '../../src/service/store/errors.ts';
import { RequestError } from '../../src/service/support/request-error.ts';
import { type ErrorReport, errorText, reportError, reportErrors } from '../../src/wire/error-report.ts';

type ErrorClass = new (...args: never[]) => Error;

/** Every error class of the package: those that a module exports are found, so that a new one is not forgotten. */
const exported: Record<string, unknown> = {
  ...modelErrors,
  ...commandLine,
  ...{
    OwnershipError,
    ControlRefusal,
    RequestError,
    AuthorizationPageFault,
    OAuthRequestError,
    OutdatedForm,
    PrivateAddressError,
  },
  ...{ StoreError, Error, TypeError, RangeError, SyntaxError, AggregateError },
};
const classes = new Map(
  Object.entries(exported).filter((entry): entry is [string, ErrorClass] => {
    const [, value] = entry;
    return value === Error || (typeof value === 'function' && value.prototype instanceof Error);
  }),
);

/** An error of the class as it may be thrown; what is told of it does not depend on how it was made. */
function made(of: ErrorClass): Error {
  const error = Object.create(of.prototype as object) as Error;
  const cause = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
  const { stack } = new Error('the write failed');
  Object.assign(error, { name: of.name, message: 'the write failed', stack, cause, code: 'store_failed' });
  return error;
}

describe('the report of an error', () => {
  it('knows at least the classes of the model, the service, the backend and the command', () => {
    expect(classes.size).toBeGreaterThanOrEqual(20);
  });

  it.each([...classes])('of class %s reaches a logger with class, code, message, stack and cause', (name, of) => {
    const lines: string[] = [];
    const write = (fields: unknown) => void lines.push(JSON.stringify(fields));
    const log = reportErrors({ debug: write, info: write, warn: write, error: write });
    const error = made(of);
    log.error({ route: 'createLobby', error }, 'A request failed.');
    log.warn({ err: error }, 'The same under another name.');
    const [first, second] = lines.map(line => JSON.parse(line));
    expect(first).toMatchObject({
      route: 'createLobby',
      error: {
        class: name,
        code: 'store_failed',
        message: 'the write failed',
        stack: expect.stringContaining('error-report.test.ts'),
        cause: { class: 'Error', code: 'ERR_SQLITE_ERROR', message: 'database or disk is full' },
      },
    });
    expect(second.err).toEqual(first.error);
  });

  it('names every error of an aggregate, and ends where causes go in a circle', () => {
    const inner = new TypeError('inner');
    const all = new AggregateError([inner, new RangeError('other')], 'both');
    expect(reportError(all).errors?.map(({ class: name }) => name)).toEqual(['TypeError', 'RangeError']);
    inner.cause = all;
    let depth = 0;
    for (let at: ErrorReport | undefined = reportError(inner); at; at = at.cause ?? at.errors?.[0]) depth++;
    expect(depth).toBeLessThan(12);
  });

  it('says what was thrown when it is no error, and nothing of what an object holds', () => {
    expect(reportError('a word')).toEqual({ class: 'string', message: 'a word' });
    expect(reportError(undefined)).toEqual({ class: 'undefined', message: 'undefined' });
    expect(JSON.stringify(reportError({ token: 'hunter2-hunter2' }))).not.toContain('hunter2');
  });

  it.each([
    'refused Bearer hunter2-hunter2',
    'authorization: Bot hunter2-hunter2',
    'POST https://id.example/token?code=hunter2-hunter2&state=1',
    'postgres://player:hunter2-hunter2@db/x cannot be reached',
    'PATCH /api/v10/webhooks/12/hunter2-hunter2/messages/@original',
    'in {"refresh_token":"hunter2-hunter2","scope":"identify"}',
    'client_secret=hunter2-hunter2&grant_type=refresh_token',
    'password: hunter2-hunter2',
  ])('hides the secret in: %s', text => {
    const error = new Error(text, { cause: new Error(text) });
    const report = JSON.stringify(reportError(error)) + errorText(error);
    expect(report).not.toContain('hunter2');
    expect(report).toContain('[redacted]');
  });

  it('is bounded, however long the message and the stack', () => {
    const error = new Error('x'.repeat(1_000_000));
    error.stack = `Error\n${'    at somewhere\n'.repeat(10_000)}`;
    expect(JSON.stringify(reportError(error)).length).toBeLessThan(4_000);
  });
});
