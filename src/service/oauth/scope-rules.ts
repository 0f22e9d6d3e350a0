import { clientCredentialsScopes, confidentialScopes, installScopes, isScope } from '../../model/oauth.ts';
import type { ApplicationRecord } from '../store/records.ts';

// Our choice: there are no incoming webhooks here, and to grant the scope without one would be a lie.
const notOffered: ReadonlySet<string> = new Set(['webhook.incoming']);

/** Whether an application may ask a user for a scope. @see oauth2.md 3, 4 */
export function mayRequest(scope: string, application: ApplicationRecord): boolean {
  if (!isScope(scope) || notOffered.has(scope) || clientCredentialsScopes.has(scope)) return false;
  return !application.public_client || !confidentialScopes.has(scope);
}

/**
 * Whether an application may ask for a scope on a device.
 *
 * Our choice: not for one that installs it somewhere, because nobody chooses a place there.
 */
export function mayRequestOnDevice(scope: string, application: ApplicationRecord): boolean {
  return mayRequest(scope, application) && !installScopes.has(scope);
}

/** Whether an application may have a scope for itself: any but those that act while a user authorizes. */
export function mayHoldItself(scope: string): boolean {
  return isScope(scope) && !notOffered.has(scope) && !installScopes.has(scope);
}

/** Whether all of `scopes` were granted already, so that `prompt=none` need not ask. @see oauth2.md 2, `prompt` */
export function isGranted(scopes: readonly string[], granted: readonly string[]): boolean {
  return scopes.every(scope => scope !== 'bot' && granted.includes(scope));
}
