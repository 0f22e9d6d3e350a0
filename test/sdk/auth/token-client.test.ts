import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthorizationCodeVerifier } from '../../../src/sdk/auth/code-verifier.ts';
import { TokenClient } from '../../../src/sdk/auth/token-client.ts';
import { systemClock } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';

const { verifier } = createAuthorizationCodeVerifier();
const request = { code: 'the-code', verifier, redirectUri: 'http://127.0.0.1:4000/callback' };
const answer = {
  access_token: 'the-access-token',
  token_type: 'Bearer',
  expires_in: 604_800,
  refresh_token: 'the-refresh-token',
  scope: 'openid identify',
};
const secrets = ['the-code', verifier, 'the-access-token', 'the-refresh-token'];

let server: LoopbackServer;
afterEach(() => server.close());

type Answer = Parameters<typeof startLoopbackServer>[0];

async function tokens(answerWith: Answer, clock = systemClock): Promise<TokenClient> {
  server = await startLoopbackServer(answerWith);
  return new TokenClient({ baseUrl: server.baseUrl, clock, transport: nodeTransport() });
}

const answering = (status: number, body: unknown, headers = {}) =>
  tokens((_, response) => answerJson(response, status, body, headers));

const formOf = (index: number) => Object.fromEntries(new URLSearchParams(server.seen[index]?.body));

/** An ID token as the service would sign it; the client does not check signatures of answers of the token endpoint. */
async function idToken(claims: Record<string, unknown>, nowMs = Date.now()): Promise<string> {
  const seconds = Math.floor(nowMs / 1000);
  return new SignJWT({ iss: server.baseUrl, aud: '1', sub: '9', iat: seconds, exp: seconds + 3600, ...claims })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(
      (
        await crypto.subtle.generateKey(
          {
            name: 'RSASSA-PKCS1-v1_5',
            modulusLength: 2048,
            publicExponent: new Uint8Array([1, 0, 1]),
            hash: 'SHA-256',
          },
          true,
          ['sign', 'verify'],
        )
      ).privateKey,
    );
}

describe('TokenClient: what it sends', () => {
  it('exchanges a code as a public client, with the verifier', async () => {
    const client = await answering(200, answer);
    expect(await client.getToken('1', request)).toEqual({
      accessToken: 'the-access-token',
      refreshToken: 'the-refresh-token',
      tokenType: 'Bearer',
      expiresInSeconds: 604_800,
      expiresAtMs: expect.any(Number),
      scopes: 'openid identify',
    });
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/v10/oauth2/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        'user-agent': expect.stringMatching(/^DiscordBot \(/),
      },
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(formOf(0)).toEqual({
      client_id: '1',
      grant_type: 'authorization_code',
      code: 'the-code',
      code_verifier: verifier,
      redirect_uri: 'http://127.0.0.1:4000/callback',
    });
  });

  it.each([
    'my-game:/authorize/callback',
    'https://game.example',
    'https://game.example/cb?x=1',
    'HTTPS://Game.example:443/a b?code=1#',
  ])('sends the redirect address %s exactly as it is given', async redirectUri => {
    const client = await answering(200, answer);
    await client.getToken('1', { ...request, redirectUri });
    expect(formOf(0)).toMatchObject({ redirect_uri: redirectUri, code: 'the-code' });
  });

  it('refreshes and revokes', async () => {
    const client = await tokens(({ url }, response) => answerJson(response, 200, url.endsWith('revoke') ? {} : answer));
    await client.refreshToken('1', 'old');
    await client.revokeToken('1', 'the-token');
    expect(formOf(0)).toEqual({ client_id: '1', grant_type: 'refresh_token', refresh_token: 'old' });
    expect(server.seen[1]?.url).toBe('/api/v10/oauth2/token/revoke');
    expect(formOf(1)).toEqual({ client_id: '1', token: 'the-token' });
  });

  it('sends the idempotency key of a refresh', async () => {
    const client = await answering(200, answer);
    await client.refreshToken('1', 'old', { idempotencyKey: 'the-key' });
    expect(formOf(0)).toMatchObject({ refresh_token: 'old', idempotency_key: 'the-key' });
  });

  it('sends the proof of a provisional account with a code', async () => {
    const client = await answering(200, answer);
    await client.getToken('1', request, undefined, { type: 'OIDC', token: 'proof' });
    expect(formOf(0)).toMatchObject({
      code: 'the-code',
      code_verifier: verifier,
      external_auth_type: 'OIDC',
      external_auth_token: 'proof',
    });
  });

  it('sends nothing for invalid arguments', async () => {
    const client = await answering(200, answer);
    const codeOf = (call: () => unknown) => {
      try {
        call();
      } catch (error) {
        return (error as { code?: string }).code;
      }
      return 'nothing thrown';
    };
    expect(codeOf(() => client.getToken('1', { ...request, code: '' }))).toBe('missing_code');
    expect(codeOf(() => client.getToken('1', { ...request, verifier: 'x'.repeat(42) }))).toBe('invalid_code_verifier');
    expect(codeOf(() => client.getToken('1', { ...request, redirectUri: 'x' }))).toBe('invalid_redirect_uri');
    expect(codeOf(() => client.refreshToken('1', ''))).toBe('missing_refresh_token');
    expect(codeOf(() => client.revokeToken('1', ''))).toBe('missing_token');
    const proof = { type: 'OIDC', token: '' } as const;
    expect(codeOf(() => client.getToken('1', request, undefined, proof))).toBe('invalid_form_body');
    expect(server.seen).toHaveLength(0);
  });
});

describe('TokenClient: how it reads answers', () => {
  it('counts the expiry from the request, so that it is never too late', async () => {
    const clock = new VirtualClock(1_000_000);
    const client = await tokens((_, response) => {
      void clock.advance(5_000).then(() => answerJson(response, 200, { ...answer, expires_in: 60 }));
    }, clock);
    const { expiresInSeconds, expiresAtMs } = await client.refreshToken('1', 'r');
    expect({ expiresInSeconds, expiresAtMs }).toEqual({ expiresInSeconds: 60, expiresAtMs: 1_060_000 });
  });

  it('accepts answers without refresh token, lifetime and scopes', async () => {
    const client = await answering(200, { access_token: 'a', token_type: 'Bearer' });
    const tokenSet = await client.getToken('1', request);
    expect(tokenSet).not.toHaveProperty('refreshToken');
    expect(tokenSet).toMatchObject({ expiresInSeconds: 604_800, scopes: '' });
  });

  it.each([
    [400, { error: 'invalid_grant', error_description: 'Invalid "code" in request.' }, 'invalid_grant'],
    [400, { error: 'invalid_request' }, 'invalid_request'],
    [401, { error: 'invalid_client' }, 'invalid_client'],
  ])('gives status %i with %j as OAuthError %s', async (status, body, code) => {
    const client = await answering(status, body, { 'www-authenticate': 'Basic error="invalid_client"' });
    await expect(client.getToken('1', request)).rejects.toMatchObject({ name: 'OAuthError', code });
  });

  it('rejects with ApiError for an error of the API', async () => {
    const client = await answering(405, { message: '405: Method Not Allowed', code: 0 });
    await expect(client.getToken('1', request)).rejects.toMatchObject({ name: 'ApiError', code: 'method_not_allowed' });
  });

  it('waits for a rate limit that ends before the deadline, then sends the same request again', async () => {
    const clock = new VirtualClock(0);
    const sentAtMs: number[] = [];
    const client = await tokens((_, response, index) => {
      sentAtMs.push(clock.now());
      if (index < 2) answerJson(response, 429, { message: 'slow', retry_after: 1.5, global: false });
      else answerJson(response, 200, answer);
    }, clock);
    expect(await elapse(clock, client.refreshToken('1', 'r'), 15_000, 100)).toMatchObject({ expiresAtMs: 604_800_000 });
    expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1);
    expect(sentAtMs).toHaveLength(3);
    expect(sentAtMs[2]).toBeGreaterThanOrEqual(3_000);
  });

  it.each([
    ['as long as the deadline', 15],
    ['longer', 60],
  ])('rejects immediately with RateLimitError when the limit lasts %s', async (_, retry_after) => {
    const client = await tokens(
      (_, response) => answerJson(response, 429, { message: 'slow', retry_after, global: false }),
      new VirtualClock(0),
    );
    const retryAfterMs = retry_after * 1_000;
    await expect(client.refreshToken('1', 'r')).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs });
    expect(server.seen).toHaveLength(1);
  });

  it('pauses ever longer after 429s that name no time', async () => {
    const clock = new VirtualClock(0);
    const sentAtMs: number[] = [];
    const client = await tokens((_, response) => {
      sentAtMs.push(clock.now());
      response.writeHead(429).end('busy');
    }, clock);
    const refused = expect(client.refreshToken('1', 'r')).rejects.toMatchObject({ name: 'RateLimitError' });
    await elapse(clock, refused, 20_000, 100);
    expect(sentAtMs.length).toBeLessThanOrEqual(5);
    sentAtMs.slice(1).forEach((atMs, i) => {
      expect(atMs - (sentAtMs[i] ?? 0)).toBeGreaterThanOrEqual(1_000 * 2 ** i);
    });
  });

  it('repeats a request ten times at most, however short the limit that the service names', async () => {
    const client = await answering(429, { message: 'slow', retry_after: 0.001, global: false });
    await expect(client.getToken('1', request)).rejects.toMatchObject({ name: 'RateLimitError' });
    expect(server.seen).toHaveLength(11);
  });

  it('can be aborted while it waits for a rate limit', async () => {
    const asked = Promise.withResolvers<void>();
    const client = await tokens((_, response) => {
      answerJson(response, 429, { message: 'slow', retry_after: 10, global: false });
      asked.resolve();
    });
    const refreshing = client.refreshToken('1', 'r');
    await asked.promise;
    client.close();
    await expect(refreshing).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
  });

  it.each([
    ['no token', { ...answer, access_token: undefined }],
    ['an empty token', { ...answer, access_token: '' }],
    ['a token of another type', { ...answer, token_type: 'mac' }],
    ['a token that no header can hold', { ...answer, access_token: 'a\nb' }],
    ['a life that is no number', { ...answer, expires_in: {} }],
    ['a life that cannot be converted', { ...answer, expires_in: { valueOf: 1, toString: 1 } }],
    ['a list', [answer]],
    ['text', 'the-access-token'],
    ['nothing', undefined],
  ])('refuses an answer with %s, without repeating it', async (_, body) => {
    const client = await answering(200, body);
    const error = await client.getToken('1', request).catch(caught => caught);
    expect(error).toMatchObject({ name: 'TransportError', code: 'unreadable_answer' });
    expect(error.message).not.toContain('undefined');
    for (const secret of secrets) expect(`${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain(secret);
  });

  it.each([204, 302, 500, 599])('rejects status %i', async status => {
    const client = await tokens((_, response) => response.writeHead(status, { location: '/' }).end());
    await expect(client.getToken('1', request)).rejects.toMatchObject({ name: /TransportError|ApiError/ });
    expect(server.seen).toHaveLength(1);
  });

  it('rejects with unreachable when no server listens', async () => {
    const client = await answering(200, answer);
    await server.close();
    await expect(client.getToken('1', request)).rejects.toMatchObject({ name: 'TransportError', code: 'unreachable' });
  });

  it('rejects at its deadline, and when it is aborted', async () => {
    const clock = new VirtualClock(0);
    const silent = await tokens(() => {}, clock);
    await expect(elapse(clock, silent.getToken('1', request))).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(clock.now()).toBeLessThan(16_000);
    const abort = new AbortController();
    const aborted = silent.refreshToken('1', 'r', { signal: abort.signal });
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
  });
});

describe('TokenClient: ID tokens', () => {
  const withIdToken = async (claims: Record<string, unknown>, clock = systemClock) =>
    tokens(async (_, response) => {
      answerJson(response, 200, { ...answer, id_token: await idToken(claims, clock.now()) });
    }, clock);

  it('accepts one that belongs to this sign-in', async () => {
    const client = await withIdToken({ nonce: 'n' });
    expect(await client.getToken('1', { ...request, nonce: 'n' })).toMatchObject({ idToken: expect.any(String) });
  });

  it.each([{}, { nonce: 'm' }])('does not compare the nonce of %j when it is given none', async claims => {
    const client = await withIdToken(claims);
    expect(await client.getToken('1', request)).toMatchObject({ idToken: expect.any(String) });
  });

  /** A service whose time is the machine's, and a client whose clock is ahead of it by so much. */
  const ahead = (byMs: number) =>
    tokens(
      async (_, response) => answerJson(response, 200, { ...answer, id_token: await idToken({}) }),
      new VirtualClock(Date.now() + byMs),
    );

  it.each([
    [8 * 24 * 60, /clock of this machine is 8 days ahead of the service's/],
    [5 * 60, /clock of this machine is 5 hours ahead of the service's/],
    [65, /clock of this machine is 65 minutes ahead of the service's/],
  ])('is rejected with the time that the clock is wrong by: %d minutes', async (minutes, message) => {
    const client = await ahead(minutes * 60_000);
    const refused = { code: 'invalid_id_token', message: expect.stringMatching(message) };
    await expect(client.getToken('1', request)).rejects.toMatchObject(refused);
  });

  it.each([8, -8, 800])('is accepted with a refresh when the clock is %d days ahead', async days => {
    const client = await ahead(days * 24 * 60 * 60_000);
    expect(await client.refreshToken('1', 'r')).toMatchObject({ accessToken: 'the-access-token' });
  });

  it('is accepted when its issuer is the service by another name of this machine, and no request is repeated', async () => {
    let requests = 0;
    const client = await tokens(async (_, response) => {
      requests++;
      const claims = { nonce: 'n', iss: server.baseUrl.replace('127.0.0.1', 'localhost') };
      answerJson(response, 200, { ...answer, id_token: await idToken(claims) });
    });
    expect(await client.getToken('1', { ...request, nonce: 'n' })).toMatchObject({ idToken: expect.any(String) });
    expect(requests).toBe(1);
    await expect(client.getToken('1', { ...request, nonce: 'm' })).rejects.toMatchObject({ code: 'invalid_id_token' });
  });

  it('that another service issued is rejected with both addresses', async () => {
    const client = await withIdToken({ nonce: 'n', iss: 'https://evil.example' });
    const message = expect.stringMatching(/issued by https:\/\/evil\.example, but baseUrl is http:\/\/127/);
    await expect(client.getToken('1', { ...request, nonce: 'n' })).rejects.toMatchObject({ message });
  });

  it('checks its times with the given clock', async () => {
    const client = await withIdToken({}, new VirtualClock(Date.UTC(2031, 0, 1)));
    expect(await client.getToken('1', request)).toMatchObject({ idToken: expect.any(String) });
  });

  it.each([
    ['another nonce', { nonce: 'm' }, 'n'],
    ['another audience', { nonce: 'n', aud: '2' }, 'n'],
    ['another issuer', { nonce: 'n', iss: 'https://evil.example' }, 'n'],
    ['an end that has passed', { nonce: 'n', exp: 1_000_000_000 }, 'n'],
  ])('refuses one with %s', async (_, claims, nonce) => {
    const client = await withIdToken(claims);
    const asked = client.getToken('1', { ...request, nonce });
    await expect(asked).rejects.toMatchObject({ name: 'OAuthError', code: 'invalid_id_token' });
  });

  it.each([
    ['no nonce', { nonce: undefined }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['no end', { exp: undefined }],
    ['no beginning', { iat: undefined }],
    ['an end that is no number', { exp: 'soon' }],
    ['an audience that is none', { aud: 1 }],
    ['a beginning still to come', { nbf: 10_000_000_000 }],
    ['several audiences, and nothing of who asked', { aud: ['1', '2'] }],
    ['several audiences, and another who asked', { aud: ['1', '2'], azp: '2' }],
  ])('refuses one with %s', async (_, claims) => {
    const client = await withIdToken({ nonce: 'n', ...claims });
    const asked = client.getToken('1', { ...request, nonce: 'n' });
    await expect(asked).rejects.toMatchObject({ name: 'OAuthError', code: 'invalid_id_token' });
  });

  it.each([
    ['no token', 'nonsense'],
    ['not signed', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
    ['not JSON inside', 'AA.AA.AA'],
    ['encrypted', 'a.b.c.d.e'],
    ['empty', ''],
    ['a number', 7],
  ])('refuses one that is %s, also with a refresh', async (_, id_token) => {
    const client = await answering(200, { ...answer, id_token });
    const refused = { name: 'OAuthError', code: 'invalid_id_token' };
    await expect(client.getToken('1', request)).rejects.toMatchObject(refused);
    await expect(client.refreshToken('1', 'r')).rejects.toMatchObject(refused);
  });

  it('rejects an invalid answer as unreadable, whatever its ID token is', async () => {
    const client = await answering(200, { ...answer, access_token: '', id_token: 'nonsense' });
    await expect(client.getToken('1', request)).rejects.toMatchObject({ code: 'unreadable_answer' });
  });

  it('rejects an answer without one when a nonce was sent', async () => {
    const client = await answering(200, answer);
    await expect(client.getToken('1', { ...request, nonce: 'n' })).rejects.toMatchObject({ code: 'unreadable_answer' });
  });
});
