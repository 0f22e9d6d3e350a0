import { calculatePKCECodeChallenge } from 'openid-client';
import { describe, expect, it } from 'vitest';
import { getDefaultCommunicationScopes, getDefaultPresenceScopes } from '../../../src/sdk/auth/authorization-args.ts';
import { createAuthorizationCodeVerifier } from '../../../src/sdk/auth/code-verifier.ts';
import { isCodeVerifier } from '../../../src/wire/oauth/pkce-form.ts';

describe('createAuthorizationCodeVerifier', () => {
  it('creates a verifier and the S256 challenge that other implementations compute', async () => {
    const { challenge, verifier } = createAuthorizationCodeVerifier();
    expect(isCodeVerifier(verifier)).toBe(true);
    expect(challenge).toEqual({ method: 'S256', challenge: await calculatePKCECodeChallenge(verifier) });
  });

  it('creates a new pair each time, from the given entropy', () => {
    expect(createAuthorizationCodeVerifier().verifier).not.toBe(createAuthorizationCodeVerifier().verifier);
    const entropy = { bytes: (count: number) => new Uint8Array(count) };
    expect(createAuthorizationCodeVerifier(entropy)).toEqual(createAuthorizationCodeVerifier(entropy));
  });

  it('is frozen', () => {
    const pair = createAuthorizationCodeVerifier();
    expect(Object.isFrozen(pair) && Object.isFrozen(pair.challenge)).toBe(true);
  });
});

describe('default scopes', () => {
  it('are the two the interface suggests', () => {
    expect(getDefaultPresenceScopes()).toBe('openid sdk.social_layer_presence');
    expect(getDefaultCommunicationScopes()).toBe('openid sdk.social_layer');
  });
});
