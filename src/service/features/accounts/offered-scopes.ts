import { clientCredentialsScopes, confidentialScopes, isScope } from '../../../model/oauth.ts';
import type { ApplicationRecord } from '../../store/records.ts';

// Deviation: this service has no incoming webhooks, so the scope is not granted.
export const notOffered: ReadonlySet<string> = new Set(['webhook.incoming']);

/** Whether the application may request the scope from users at all. */
export function isUserScope(scope: string, application: ApplicationRecord): boolean {
  if (!isScope(scope) || notOffered.has(scope) || clientCredentialsScopes.has(scope)) return false;
  return !application.public_client || !confidentialScopes.has(scope);
}
