import type { ApiErrorName } from '../../model/errors.ts';
import type { Credential, Route } from '../../wire/routes.ts';
import type { Credentials } from '../domain/credentials.ts';
import { Fault } from '../fault.ts';
import type { MaybePromise } from '../store/contract.ts';
import type { Principal } from './call.ts';

const nobody: Principal = { kind: 'none' };

/** Finds out who calls; on a route for anybody that is nobody, whatever came with the request. */
export function identify(
  credentials: Credentials,
  route: Route,
  authorization: string | undefined,
): MaybePromise<Principal | undefined> {
  return route.credentials.includes('none') ? nobody : credentials.authenticate(authorization);
}

/**
 * Lets a caller on that the route is for.
 *
 * @throws Fault `unauthorized`, `bots_not_allowed`, `only_bots_allowed`, `missing_scope`
 */
export function admit(route: Route, principal: Principal | undefined): Principal {
  if (principal === nobody) return principal;
  if (!principal || principal.kind === 'none') throw new Fault('unauthorized');
  if (!route.credentials.some(credential => fits(principal, credential))) throw new Fault(refusal(principal, route));
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

function refusal(principal: Principal, route: Route): ApiErrorName {
  if (principal.kind === 'bot') return 'bots_not_allowed';
  if (route.credentials.some(credential => credential.startsWith(`${principal.kind}:`))) return 'missing_scope';
  return route.credentials.includes('bot') ? 'only_bots_allowed' : 'missing_access';
}
