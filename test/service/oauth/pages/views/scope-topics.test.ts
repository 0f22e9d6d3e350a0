import { describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../../src/model/guild.ts';
import { expandScopes, isScope, type Scope, scopes, umbrellaScopes } from '../../../../../src/model/oauth.ts';
import { permissionNames } from '../../../../../src/service/oauth/pages/views/permissions.ts';
import { scopeItems, withheldScopes } from '../../../../../src/service/oauth/pages/views/scope-topics.ts';

describe('the scopes that are told of', () => {
  it('stand for themselves, umbrellas for each of their parts once', () => {
    for (const scope of scopes) {
      const [item] = scopeItems([scope]);
      const inner = (umbrellaScopes[scope] ?? []).filter(one => umbrellaScopes[one] === undefined);
      expect(item?.parts.flatMap(part => part.scopes).toSorted(), scope).toEqual(inner.toSorted());
    }
  });

  it('are not told twice: what an umbrella asked for holds already is left to it', () => {
    const asked = ['identify', 'openid', 'sdk.social_layer_presence', 'sdk.social_layer', 'guilds', 'email'];
    expect(scopeItems(asked).map(({ scope }) => scope)).toEqual(['openid', 'sdk.social_layer', 'email']);
  });

  it('are told all the same when nobody knows them', () => {
    expect(scopeItems(['nonsense'])).toEqual([{ scope: 'nonsense', parts: [] }]);
  });

  it('leave out of what is withheld whatever is granted, inside an umbrella too', () => {
    const all: readonly Scope[] = withheldScopes([]);
    expect(all.length).toBeGreaterThan(0);
    for (const asked of [...all.map(scope => [scope]), ['sdk.social_layer'], ['openid', 'identify']]) {
      const granted = expandScopes(asked);
      for (const scope of withheldScopes(asked)) {
        expect(isScope(scope)).toBe(true);
        expect(granted.has(scope)).toBe(false);
      }
      expect(withheldScopes(asked)).toEqual(all.filter(scope => !granted.has(scope)));
    }
  });
});

describe('the permissions of a bot', () => {
  it('are named by the same names as in the rulebook, the administrator’s first, then the lowest bit', () => {
    for (const [name, bit] of Object.entries(permissionBits)) expect(permissionNames(bit)).toEqual([name]);
    expect(permissionNames(0n)).toEqual([]);
    expect(permissionNames((1n << 11n) | 8n | 2n)).toEqual(['ADMINISTRATOR', 'KICK_MEMBERS', 'SEND_MESSAGES']);
    expect(permissionNames(1n << 47n)).toEqual([]);
  });
});
