import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceCodeGrantType, devicePagePath } from '../../../../../src/model/oauth.ts';
import { Browser } from '../browser.ts';
import { ada, ben, game, openService, secret, site, siteRequest, soundRequest, type TestService } from '../support.ts';

let service: TestService;
let server: oauth.AuthorizationServer;
beforeAll(async () => {
  service = await openService();
  server = await discover('oidc');
});
afterAll(() => service.close());

const insecure = { [oauth.allowInsecureRequests]: true } as const;

async function discover(algorithm: 'oidc' | 'oauth2'): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(service.web);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }));
}

/** The browser's way from the link to the address that it opens next. */
async function consent(url: URL, userId: string): Promise<URL> {
  const browser = new Browser();
  let page = await browser.get(url.href);
  while (page.location?.startsWith('/')) page = await browser.get(service.web + page.location);
  page = await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: userId });
  page = await browser.get(service.web + page.location);
  page = await browser.submit(page, service.web, '/oauth2/authorize', { decision: 'approve' });
  return new URL(page.location ?? '');
}

/** What a client keeps while its user is at the browser. */
async function begin(client_id: string, redirect_uri: string, scope: string) {
  const kept = {
    redirect_uri,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    ...{ client_id, redirect_uri, scope, response_type: 'code', state: kept.state, nonce: kept.nonce },
    code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { ...kept, url };
}

describe.each<[string, string, oauth.ClientAuth, string]>([
  ['a public client', game.id, oauth.None(), 'http://127.0.0.1:5050/callback'],
  ['a confidential client, Basic', site.id, oauth.ClientSecretBasic(secret), siteRequest.redirect_uri],
  ['a confidential client, form', site.id, oauth.ClientSecretPost(secret), siteRequest.redirect_uri],
])('oauth4webapi as %s', (_, client_id, authentication, redirect_uri) => {
  const client: oauth.Client = { client_id };

  it('gets a code, tokens and a signed ID token, reads claims, refreshes, revokes', async () => {
    const { url, state, nonce, verifier } = await begin(client_id, redirect_uri, 'openid identify');
    const parameters = oauth.validateAuthResponse(server, client, await consent(url, ben.id), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, parameters, redirect_uri, verifier, insecure] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, answer, insecure);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    expect(claims).toMatchObject({ iss: service.web, aud: client_id, sub: ben.id, nonce });

    const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    const user = await oauth.processUserInfoResponse(server, client, claims?.sub ?? '', userInfo);
    expect(user).toMatchObject({ sub: ben.id, preferred_username: 'ben' });

    const refresh = async (refreshToken: string) =>
      oauth.processRefreshTokenResponse(
        ...([
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure),
        ] as const),
      );
    const refreshed = await refresh(tokens.refresh_token ?? '');
    expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe(ben.id);
    await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });

    const revoked = await oauth.revocationRequest(server, client, authentication, refreshed.access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    const ended = await oauth.userInfoRequest(server, client, refreshed.access_token, insecure);
    await expect(oauth.processUserInfoResponse(server, client, ben.id, ended)).rejects.toThrow();
    await expect(refresh(refreshed.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('signs in a device: it waits, slows down on request, then gets its tokens', async () => {
    const asked = await oauth.deviceAuthorizationRequest(
      ...([server, client, authentication, new URLSearchParams({ scope: 'openid identify' }), insecure] as const),
    );
    const device = await oauth.processDeviceAuthorizationResponse(server, client, asked);
    expect(device).toMatchObject({ expires_in: 300, interval: 5, verification_uri: service.web + devicePagePath });

    const poll = async () =>
      oauth.processDeviceCodeResponse(
        ...([
          server,
          client,
          await oauth.deviceCodeGrantRequest(server, client, authentication, device.device_code, insecure),
        ] as const),
      );
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    await expect(poll()).rejects.toMatchObject({ error: 'slow_down' });
    await service.clock.advance(10_000);
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    expect((await service.answerDevice(device.user_code)).status).toBe(204);
    const tokens = await poll();
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ aud: client_id, sub: ada.id });
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('oauth4webapi', () => {
  const client: oauth.Client = { client_id: game.id };

  it('finds the plain OAuth2 metadata, too', async () => {
    expect(await discover('oauth2')).toMatchObject({ issuer: service.web, response_types_supported: ['code'] });
  });

  it('gets a token for the application itself, and none with a wrong secret', async () => {
    const ask = async (authentication: oauth.ClientAuth) => {
      const parameters = { scope: 'applications.commands.update' };
      const own = { client_id: site.id };
      const answer = await oauth.clientCredentialsGrantRequest(server, own, authentication, parameters, insecure);
      return oauth.processClientCredentialsResponse(server, own, answer);
    };
    expect(await ask(oauth.ClientSecretBasic(secret))).toMatchObject({ expires_in: 604_800, token_type: 'bearer' });
    // The challenge in the answer's header is what such a client looks at first.
    await expect(ask(oauth.ClientSecretBasic('wrong'))).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'basic', parameters: { error: 'invalid_client' } }],
    });
    await expect(ask(oauth.ClientSecretPost('wrong'))).rejects.toMatchObject({ status: 401 });
  });

  it('rejects an answer that is another server’s', async () => {
    const { url, state } = await begin(game.id, soundRequest.redirect_uri, 'identify');
    const answer = new URL(await service.decide(url.href));
    answer.searchParams.set('iss', 'https://evil.example');
    expect(() => oauth.validateAuthResponse(server, client, answer, state)).toThrow(/iss/);
    answer.searchParams.delete('iss');
    expect(() => oauth.validateAuthResponse(server, client, answer, state)).toThrow(/iss/);
  });

  it('rejects an answer to another request', async () => {
    const answer = new URL(await service.decide(service.authorizeUrl()));
    expect(() => oauth.validateAuthResponse(server, client, answer, 'another')).toThrow(/state/);
  });

  it('rejects an ID token with another nonce', async () => {
    const { url, state, verifier } = await begin(game.id, soundRequest.redirect_uri, 'openid');
    const parameters = oauth.validateAuthResponse(server, client, new URL(await service.decide(url.href)), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, soundRequest.redirect_uri, verifier, insecure] as const),
    );
    const checks = { expectedNonce: 'another' };
    await expect(oauth.processAuthorizationCodeResponse(server, client, answer, checks)).rejects.toThrow(/nonce/);
  });

  it('reports that the user cancelled', async () => {
    const answer = new URL(await service.decide(service.authorizeUrl({ state: 's' }), ada.id, 'deny'));
    expect(() => oauth.validateAuthResponse(server, client, answer, 's')).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    );
  });

  it('finds the grant of devices among those that are offered', () => {
    expect(server.grant_types_supported).toContain(deviceCodeGrantType);
    expect(server.device_authorization_endpoint).toBe(`${service.web}/api/oauth2/device/authorize`);
  });
});
