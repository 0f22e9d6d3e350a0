import { describe, expect, it } from 'vitest';
import {
  challengeOf,
  checkIdToken,
  type JwksKey,
  randomText,
  readJwt,
} from '../../../../src/console/views/sign-in/crypto.ts';
import {
  addressOf,
  checkArgs,
  codeOf,
  newFlowArgs,
  redirectUriOf,
  verdictOnArgs,
  verdictOnRedirect,
  verdictOnTokens,
} from '../../../../src/console/views/sign-in/flow.ts';
import { codeChallengeOf } from '../../../../src/wire/oauth/pkce.ts';
import { isCodeVerifier } from '../../../../src/wire/oauth/pkce-form.ts';

const base = 'http://127.0.0.1:8910';
const args = await newFlowArgs('1', 'openid', 'starfall');

describe('what the console makes for a sign-in', () => {
  it('is a verifier and the challenge that the service computes of it', async () => {
    const verifier = randomText();
    expect(isCodeVerifier(verifier)).toBe(true);
    expect(await challengeOf(verifier)).toBe(codeChallengeOf(verifier));
  });

  it('is the address that the SDK makes', () => {
    const { searchParams, pathname } = new URL(addressOf(args, base));
    expect(pathname).toBe('/oauth2/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: '1',
      response_type: 'code',
      redirect_uri: redirectUriOf(args),
      scope: 'openid',
      state: args.state,
      nonce: args.nonce,
      code_challenge: args.challenge,
      code_challenge_method: 'S256',
    });
    expect(addressOf({ ...args, challengeMethod: 'plain' }, base)).toContain('code_challenge_method=plain');
    expect(codeOf(args)).toContain(".setScopes('openid')");
  });

  it('is checked by the rules of the SDK', () => {
    expect(checkArgs(args)).toEqual([]);
    expect(checkArgs({ ...args, clientId: 'x', scopes: '' }).map(({ path }) => path[0])).toEqual([
      'clientId',
      'scopes',
    ]);
    expect(verdictOnArgs(args)).toBeUndefined();
    expect(verdictOnArgs({ ...args, way: 'custom-scheme', challenge: '' })?.outcome).toContain('ValidationError');
  });
});

describe('what the SDK makes of a redirect', () => {
  const at = (query: Record<string, string>) => `${redirectUriOf(args)}?${new URLSearchParams(query)}`;

  it('is a grant, an error, or nothing', () => {
    expect(verdictOnRedirect(at({ code: 'c', state: args.state, iss: base }), args, base)).toMatchObject({
      tone: 'good',
      authorizationCode: 'c',
    });
    expect(verdictOnRedirect(at({ error: 'access_denied', state: args.state }), args, base)).toMatchObject({
      tone: 'fault',
      code: 'access_denied',
    });
    expect(verdictOnRedirect(at({ code: 'c', state: 'other' }), args, base)).toMatchObject({ outcome: 'ignored' });
    const foreign = at({ code: 'c', state: args.state, iss: 'https://evil.example' });
    expect(verdictOnRedirect(foreign, args, base)).toMatchObject({ tone: 'fault', code: 'wrong_issuer' });
  });

  it('is an error with the code of a token answer', () => {
    const exchange = { method: 'POST', path: '/oauth2/token', form: {} } as const;
    expect(verdictOnTokens({ ...exchange, status: 400, body: { error: 'invalid_grant' } })).toMatchObject({
      code: 'invalid_grant',
    });
    expect(verdictOnTokens({ ...exchange, status: 200, body: {} }).tone).toBe('good');
    expect(verdictOnTokens({ ...exchange, status: 503, body: { message: 'away' } }).outcome).toBe('ApiError 503');
  });
});

describe('an ID token', async () => {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const { privateKey, publicKey } = (await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const key = { ...((await crypto.subtle.exportKey('jwk', publicKey)) as JsonWebKey), kid: 'k' } as JwksKey;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = async (claims: object, header: object = { alg: 'RS256', kid: 'k' }) => {
    const text = `${encode(header)}.${encode(claims)}`;
    const signature = await crypto.subtle.sign(algorithm.name, privateKey, new TextEncoder().encode(text));
    return `${text}.${Buffer.from(signature).toString('base64url')}`;
  };
  const claims = { iss: base, aud: '1', sub: '9', exp: 2000, nonce: 'n' };
  const expected = { issuer: base, clientId: '1', nonce: 'n', nowMs: 1_000_000 };
  const wrong = async (token: string) =>
    (await checkIdToken(token, [key], expected)).filter(({ isRight }) => !isRight).map(({ what }) => what);

  it('is right when its signature and its claims are', async () => {
    const token = await sign(claims);
    expect(await wrong(token)).toEqual([]);
    expect(readJwt(token)?.claims).toEqual(claims);
  });

  it('is wrong in each part that is', async () => {
    const [head = '', , signature = ''] = (await sign(claims)).split('.');
    expect(await wrong(`${head}.${encode({ ...claims, sub: '10' })}.${signature}`)).toEqual(['signature']);
    expect(await wrong(await sign({ ...claims, iss: 'x', aud: '2', exp: 1, nonce: 'm' }))).toEqual([
      'iss',
      'aud',
      'exp',
      'nonce',
    ]);
    expect(await wrong(await sign(claims, { alg: 'none', kid: 'k' }))).toEqual(['signature']);
    expect(await wrong(await sign(claims, { alg: 'RS256', kid: 'other' }))).toEqual(['signature']);
    expect(await wrong('no token')).toEqual(['signature']);
  });
});
