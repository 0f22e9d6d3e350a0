import type { IncomingMessage } from 'node:http';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import type { Credential, Route } from '../../wire/routes.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Principal } from '../auth/principal.ts';
import { apiMessages } from '../support/api-messages.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import { RequestError } from '../support/request-error.ts';

const nobody: Principal = { kind: 'none' };

/** Finds out who calls; on a route for anybody that is nobody, whatever came with the request. */
export function identify(
  credentials: Credentials,
  route: Route,
  { headers: { authorization }, socket }: IncomingMessage,
): MaybePromise<Principal | undefined> {
  return route.credentials.includes('none') ? nobody : credentials.authenticate(authorization, socket);
}

/**
 * Lets a caller on that the route is for.
 *
 * @throws RequestError `unauthorized`, `bots_not_allowed`, `only_bots_allowed`, `missing_scope`
 */
export function admit(route: Route, principal: Principal | undefined): Principal {
  if (principal === nobody) return principal;
  if (!principal || principal.kind === 'none') throw new RequestError('unauthorized');
  if (!route.credentials.some(credential => fits(principal, credential))) throw refusal(principal, route);
  return principal;
}

function fits(principal: Principal, credential: Credential): boolean {
  if (principal.kind === 'bot' || principal.kind === 'session') return credential === principal.kind;
  if (principal.kind === 'none') return false;
  const prefix = `${principal.kind}:`;
  if (!credential.startsWith(prefix)) return false;
  const scope = credential.slice(prefix.length);
  return scope === 'any' || principal.scopes.has(scope);
}

/** Every refusal names the credential that would do; the code alone does not. */
function refusal(principal: Principal, route: Route): RequestError {
  const reason = rejectionReason(principal, route);
  const asked = route.credentials.map(nameCredential).join(', or ');
  return new RequestError(reason, { message: `${apiMessages[reason]}: it takes ${asked}.` });
}

function rejectionReason(principal: Principal, route: Route): ApiErrorName {
  if (principal.kind === 'bot') return 'bots_not_allowed';
  if (route.credentials.some(credential => credential.startsWith(`${principal.kind}:`))) return 'missing_scope';
  if (route.credentials.includes('bot')) return 'only_bots_allowed';
  // A client-credentials token speaks for the application as its bot does.
  return principal.kind === 'application' ? 'bots_not_allowed' : 'missing_access';
}

function nameCredential(credential: Credential): string {
  if (credential === 'bot') return 'a bot token ("Authorization: Bot …")';
  if (credential === 'session') return "the token of a user's own client";
  const [kind, scope] = credential.split(':', 2);
  const whose = kind === 'user' ? "a user's" : 'a client-credentials';
  return `${whose} access token ("Authorization: Bearer …")${scope === 'any' ? '' : ` with the scope ${scope}`}`;
}
