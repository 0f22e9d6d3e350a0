import { ArgumentError } from '../../model/errors/errors.ts';
import { unsetHint } from '../../wire/environment-variables.ts';
import type { AuthorizationArgs } from './authorization-args.ts';

/**
 * The application that a player signs in for: the arguments' or, where they name none, the client's own.
 *
 * @throws ArgumentError `missing_application_id`
 */
export function clientIdOf({ clientId }: AuthorizationArgs, applicationId: string | undefined): string {
  const id = clientId ?? applicationId;
  if (id !== undefined) return id;
  throw new ArgumentError(
    'missing_application_id',
    `applicationId is missing: pass it to new Client(), or set clientId in the arguments. ${unsetHint('applicationId')}`,
  );
}
