import { describe, expect, it } from 'vitest';
import {
  defaultCommunicationScopes,
  defaultPresenceScopes,
  expandScopes,
  isScope,
  scopes,
  splitScopes,
  umbrellaScopes,
} from '../../src/model/oauth.ts';

describe('scopes', () => {
  it('are listed once each, and known by their exact name', () => {
    expect(new Set(scopes).size).toBe(scopes.length);
    for (const scope of scopes) expect(isScope(scope)).toBe(true);
    for (const value of ['', 'Identify', 'identify ', 'toString', '__proto__']) expect(isScope(value)).toBe(false);
  });

  it('are split at blanks, repeats dropped, order kept', () => {
    expect(splitScopes('openid  identify openid ')).toEqual(['openid', 'identify']);
    expect(splitScopes('')).toEqual([]);
  });

  it('under an umbrella are known scopes', () => {
    for (const inner of Object.values(umbrellaScopes).flat()) expect(isScope(inner)).toBe(true);
  });

  it('open what their umbrellas stand for, and themselves, known or not', () => {
    const open = expandScopes(['sdk.social_layer', 'made.up']);
    for (const scope of [
      'sdk.social_layer',
      'sdk.social_layer_presence',
      'lobbies.write',
      'gateway.connect',
      'made.up',
    ]) {
      expect(open.has(scope)).toBe(true);
    }
    expect(expandScopes(['sdk.social_layer_presence']).has('lobbies.write')).toBe(false);
    expect([...expandScopes(['identify'])]).toEqual(['identify']);
    expect([...expandScopes([])]).toEqual([]);
  });

  it('suggested by default are known', () => {
    for (const scope of splitScopes(`${defaultCommunicationScopes} ${defaultPresenceScopes}`)) {
      expect(isScope(scope)).toBe(true);
    }
  });
});
