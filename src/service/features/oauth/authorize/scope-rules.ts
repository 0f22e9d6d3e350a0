import { type IntegrationType, integrationTypes } from '../../../../model/command.ts';
import { confidentialScopes, installScopes, isScope } from '../../../../model/oauth.ts';
import type { ApplicationRecord } from '../../../store/records.ts';
import { isUserScope, notOffered } from '../../accounts/offered-scopes.ts';
import { oauthFaults } from '../token/oauth-request-error.ts';

const { GUILD_INSTALL, USER_INSTALL } = integrationTypes;

/** What approval gives the application: a code, a token, or nothing, when it is only installed. */
export type ResponseType = 'code' | 'token' | 'none';

/** What decides whether a scope may be requested. */
export interface ScopeTerms {
  readonly application: ApplicationRecord;
  readonly responseType: ResponseType;
  readonly integrationType: IntegrationType;
}

/** @returns `scopes` @throws OAuthRequestError `invalid_scope` when there are none, or not all of them are allowed */
export function requireScopes(scopes: readonly string[], isAllowed: (scope: string) => boolean): readonly string[] {
  if (scopes.length === 0 || !scopes.every(isAllowed)) throw oauthFaults.scope();
  return scopes;
}

/** Whether an application may ask a user for a scope in an authorization request. @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce; docs/spec/oauth2.md#installation */
export function mayRequest(scope: string, { application, responseType, integrationType }: ScopeTerms): boolean {
  if (!isUserScope(scope, application)) return false;
  if (responseType === 'token' && confidentialScopes.has(scope)) return false;
  // A bot is always installed in a guild; commands can be installed for a user, too.
  return scope !== 'bot' || integrationType === GUILD_INSTALL;
}

/**
 * Whether an application may request a scope for a device.
 *
 * Unspecified: scopes that install the application are rejected, because the device flow has no step in which a user
 * chooses a guild.
 */
export function mayRequestOnDevice(scope: string, application: ApplicationRecord): boolean {
  return isUserScope(scope, application) && !installScopes.has(scope);
}

/**
 * Whether an application may have a scope for itself: any scope except those that only take effect when a user
 * approves.
 */
export function mayHoldItself(scope: string): boolean {
  return isScope(scope) && !notOffered.has(scope) && !installScopes.has(scope);
}

/** Granted scopes, and the kind of installation. */
export interface GrantTerms {
  readonly scopes: readonly string[];
  readonly integrationType: IntegrationType;
}

/**
 * Those approved scopes that stay in the authorization: `bot` takes effect only once, and so do commands that are
 * installed in a guild. A user's own installation lasts as long as the authorization. @see docs/spec/oauth2.md#scopes
 */
export function lastingScopes({ scopes, integrationType }: GrantTerms): readonly string[] {
  return scopes.filter(scope => !installScopes.has(scope) || (scope !== 'bot' && integrationType === USER_INSTALL));
}

/** Whether granting these scopes installs the application. */
export function isInstallation(scopes: readonly string[]): boolean {
  return scopes.some(scope => installScopes.has(scope));
}

/** Whether granting this can install the application in a guild. @see docs/spec/oauth2.md#installation */
export function canInstall({ scopes, integrationType }: GrantTerms): boolean {
  return integrationType === GUILD_INSTALL && isInstallation(scopes);
}

/**
 * Whether all of this was granted already, so that `prompt=none` can skip the page. An installation in a guild always
 * asks, because the guild may be another one.
 *
 * @see docs/spec/oauth2.md#prompt
 */
export function isGranted(terms: GrantTerms, granted: readonly string[]): boolean {
  return !canInstall(terms) && terms.scopes.every(scope => granted.includes(scope));
}
