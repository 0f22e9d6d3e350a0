import { ArgumentError } from '../../model/errors/errors.ts';
import type { AuthorizationArgs } from './authorization-args.ts';

/**
 * The application that a player signs in for: the arguments' or, where they name none, the client's own.
 *
 * @throws ArgumentError `missing_application_id`
 */
export function clientIdOf({ clientId }: AuthorizationArgs, applicationId: string | undefined): string {
  const id = clientId ?? applicationId;
  if (id !== undefined) return id;
  throw new ArgumentError('missing_application_id', 'Set clientId in the arguments or applicationId on the client.');
}
