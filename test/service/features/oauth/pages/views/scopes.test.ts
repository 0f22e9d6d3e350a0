import { describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../../../src/model/guild.ts';
import { expandScopes, type Scope, scopes, umbrellaScopes } from '../../../../../../src/model/oauth.ts';
import { permissionNames } from '../../../../../../src/service/features/oauth/pages/views/permissions.ts';
import {
  effectiveScopes,
  summarizeScopes,
  withheldScopes,
} from '../../../../../../src/service/features/oauth/pages/views/scopes.ts';
import { routes } from '../../../../../../src/wire/routes.ts';

const effective: ReadonlySet<string> = new Set(effectiveScopes);

describe('the summary of requested scopes', () => {
  it('explains a scope that has an effect, with the parts of an umbrella scope that have one', () => {
    for (const scope of effectiveScopes) {
      const { items, withoutEffect } = summarizeScopes([scope]);
      expect(withoutEffect, scope).toEqual([]);
      const inner = (umbrellaScopes[scope] ?? []).filter(one => effective.has(one) && !umbrellaScopes[one]);
      expect(items[0]?.parts.flatMap(part => part.scopes).toSorted(), scope).toEqual(inner.toSorted());
    }
  });

  it('names every other scope as one without effect', () => {
    const others = scopes.filter(scope => !effective.has(scope));
    expect(others).toContain('rpc');
    expect(summarizeScopes([...others, 'nonsense'])).toEqual({ items: [], withoutEffect: [...others, 'nonsense'] });
  });

  it('leaves out a scope that a requested umbrella scope contains', () => {
    const requested = ['identify', 'openid', 'sdk.social_layer_presence', 'sdk.social_layer', 'guilds', 'email'];
    const { items } = summarizeScopes([...requested, 'relationships.read']);
    expect(items.map(({ scope }) => scope)).toEqual(['openid', 'sdk.social_layer', 'email']);
    expect(summarizeScopes([...requested, 'relationships.read']).withoutEffect).toEqual([]);
  });

  it('has a text for every scope that a route with an effect requires of a user’s token', () => {
    const needed = Object.values(routes)
      .filter(({ path }) => path !== '/users/@me/connections')
      .flatMap(({ credentials }) => credentials)
      .filter(credential => credential.startsWith('user:') && credential !== 'user:any')
      .map(credential => credential.slice('user:'.length));
    expect(needed).toContain('lobbies.write');
    expect(needed.filter(scope => !effective.has(scope))).toEqual([]);
  });
});

describe('the scopes that an application will not get', () => {
  it('are the sensitive ones that it did not request, by itself or in an umbrella scope', () => {
    const all: readonly Scope[] = withheldScopes([]);
    expect(all).toEqual(['email']);
    for (const requested of [...all.map(scope => [scope]), ['sdk.social_layer'], ['openid', 'identify']]) {
      const granted = expandScopes(requested);
      expect(withheldScopes(requested)).toEqual(all.filter(scope => !granted.has(scope)));
    }
  });
});

describe('the permissions of a bot', () => {
  it('have the names of the rulebook, the administrator’s first, then by bit', () => {
    for (const [name, bit] of Object.entries(permissionBits)) expect(permissionNames(bit)).toEqual([name]);
    expect(permissionNames(0n)).toEqual([]);
    expect(permissionNames((1n << 11n) | 8n | 2n)).toEqual(['ADMINISTRATOR', 'KICK_MEMBERS', 'SEND_MESSAGES']);
    expect(permissionNames(1n << 47n)).toEqual([]);
  });
});
