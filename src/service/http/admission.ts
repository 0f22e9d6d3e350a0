import type { ApiErrorName } from '../../model/errors.ts';
import type { Credential, Route } from '../../wire/routes.ts';
import type { Credentials } from '../domain/credentials.ts';
import { Fault } from '../fault.ts';
import type { Principal } from './call.ts';

const nobody: Principal = { kind: 'none' };

/**
 * Finds out who calls and whether the route is for them.
 *
 * @throws Fault `unauthorized`, `bots_not_allowed`, `only_bots_allowed`, `missing_scope`
 */
export async function admit(
  credentials: Credentials,
  route: Route,
  authorization: string | undefined,
): Promise<Principal> {
  if (route.credentials.includes('none')) return nobody;
  const principal = await credentials.authenticate(authorization);
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
