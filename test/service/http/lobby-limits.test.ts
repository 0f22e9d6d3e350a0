import { describe, expect, it } from 'vitest';
import { type LimitProfileName, limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import type { Principal } from '../../../src/service/auth/principal.ts';
import { createLimiter, type Limiter } from '../../../src/service/http/limiter.ts';
import { type Route, type RouteName, routes } from '../../../src/wire/routes.ts';
import { makeCore } from '../control/support.ts';
import { ada, applicationRecord, ben, userRecord } from '../features/support.ts';

const second = 1000;
const hour = 3_600_000;

/** @see docs/spec/limits.md; docs/spec/limits.md#rate-limits */
const figures: [LimitProfileName, RouteName, requests: number, windowMs: number, per: 'application' | 'user'][] = [
  ['standard', 'createLobby', 500, 10 * second, 'application'],
  ['standard', 'deleteLobby', 500, 10 * second, 'application'],
  ['standard', 'getLobby', 500, 10 * second, 'application'],
  ['standard', 'putLobbyMember', 5000, 10 * second, 'application'],
  ['standard', 'deleteLobbyMember', 5000, 10 * second, 'application'],
  ['standard', 'joinLobby', 10, 60 * second, 'user'],
  ['standard', 'createLobbyMessage', 3000, 2 * hour, 'user'],
  ['development', 'createLobby', 100, 2 * hour, 'application'],
  ['development', 'joinLobby', 100, 2 * hour, 'application'],
  ['development', 'editLobby', 100, 2 * hour, 'application'],
  ['development', 'putLobbyMember', 100, 2 * hour, 'application'],
  ['development', 'deleteLobbyMember', 100, 2 * hour, 'application'],
  ['development', 'bulkUpdateLobbyMembers', 100, 2 * hour, 'application'],
  ['development', 'createOwnLobbyInvite', 100, 2 * hour, 'application'],
  ['development', 'createLobbyInvite', 100, 2 * hour, 'application'],
  ['development', 'createLobbyMessage', 100, 2 * hour, 'application'],
  ['development', 'linkLobbyChannel', 20, 2 * hour, 'application'],
];

const unlimited: [LimitProfileName, RouteName][] = [
  ['standard', 'editLobby'],
  ['standard', 'bulkUpdateLobbyMembers'],
  ['standard', 'leaveLobby'],
  ['standard', 'linkLobbyChannel'],
  ['standard', 'listLobbyMessages'],
  ['standard', 'setLobbyModerationMetadata'],
  ['development', 'getLobby'],
  ['development', 'deleteLobby'],
  ['development', 'leaveLobby'],
  ['development', 'listLobbyMessages'],
  ['development', 'setLobbyModerationMetadata'],
  ['off', 'joinLobby'],
];

/** The limiter of a profile without the limit over all routes, and its clock. */
async function openLimiter(name: LimitProfileName) {
  const { global: _, ...buckets } = limitProfiles[name].buckets;
  const core = { ...(await makeCore()), limits: { ...limitProfiles[name], buckets } };
  return { limiter: createLimiter(core), clock: core.clock };
}

function callerOf(route: Route, userId = ada, applicationId = '1'): Principal {
  const application = applicationRecord(applicationId);
  if (route.credentials.includes('bot')) return { kind: 'bot', application };
  return { kind: 'user', application, user: userRecord(userId) } as Principal;
}

async function passes(limiter: Limiter, route: Route, principal: Principal): Promise<boolean> {
  return (await limiter.take(route, principal, '127.0.0.1', {})).refusal === undefined;
}

describe('a limit on lobbies', () => {
  it.each(figures)('of the profile %s lets %s be called %i times in %i ms, for each %s', async (...figure) => {
    const [profile, name, requests, windowMs, per] = figure;
    const { limiter, clock } = await openLimiter(profile);
    const route: Route = routes[name];
    const take = (principal = callerOf(route)) => passes(limiter, route, principal);
    for (let call = 1; call <= requests; call++) expect(await take()).toBe(true);
    expect(await take()).toBe(false);
    expect(await take(callerOf(route, ada, '2'))).toBe(true);
    if (!route.credentials.includes('bot')) expect(await take(callerOf(route, ben))).toBe(per === 'user');
    await clock.advance(windowMs - 1);
    expect(await take()).toBe(false);
    await clock.advance(1);
    expect(await take()).toBe(true);
  });

  it.each(unlimited)('is not in the profile %s for %s', async (profile, name) => {
    const { limiter } = await openLimiter(profile);
    const route: Route = routes[name];
    for (let call = 0; call < 5001; call++) expect(await passes(limiter, route, callerOf(route))).toBe(true);
  });

  it('is counted for each route apart', async () => {
    const { limiter } = await openLimiter('development');
    for (let call = 0; call < 100; call++) await passes(limiter, routes.joinLobby, callerOf(routes.joinLobby));
    expect(await passes(limiter, routes.joinLobby, callerOf(routes.joinLobby))).toBe(false);
    for (const route of [routes.createLobby, routes.createLobbyMessage, routes.createLobbyInvite]) {
      expect(await passes(limiter, route, callerOf(route))).toBe(true);
    }
  });
});
