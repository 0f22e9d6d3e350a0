import { clientCredentialsScopes, confidentialScopes, isScope } from '../../../model/oauth.ts';
import type { ApplicationRecord } from '../../store/records.ts';

// Our choice: there are no incoming webhooks here, and to grant the scope without one would be a lie.
export const notOffered: ReadonlySet<string> = new Set(['webhook.incoming']);

/** Whether users can be asked for the scope by the application at all. */
export function isUserScope(scope: string, application: ApplicationRecord): boolean {
  if (!isScope(scope) || notOffered.has(scope) || clientCredentialsScopes.has(scope)) return false;
  return !application.public_client || !confidentialScopes.has(scope);
}
