import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../browser.ts';
import { ada, ben, game, openService, secret, site, siteRequest, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const insecure = { execute: [client.allowInsecureRequests] };

/** Walks a person through sign-in and consent. @returns the address the browser would open next */
async function consent(url: URL, userId: string): Promise<URL> {
  const browser = new Browser();
  let page = await browser.get(url.href);
  while (page.location?.startsWith('/')) page = await browser.get(service.web + page.location);
  page = await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: userId });
  page = await browser.get(service.web + page.location);
  page = await browser.submit(page, service.web, '/oauth2/authorize', { decision: 'approve' });
  return new URL(page.location ?? '');
}

describe.each([
  ['a public client', game.id, client.None(), 'http://127.0.0.1:5050/callback'],
  ['a confidential client, Basic', site.id, client.ClientSecretBasic(secret), siteRequest.redirect_uri],
  ['a confidential client, form', site.id, client.ClientSecretPost(secret), siteRequest.redirect_uri],
])('openid-client as %s', (_, clientId, authentication, redirect_uri) => {
  it('discovers, authorizes, verifies the ID token, reads claims, refreshes and revokes', async () => {
    const config = await client.discovery(new URL(service.web), clientId, undefined, authentication, insecure);
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const expectedNonce = client.randomNonce();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: 'openid identify',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      max_age: '60',
      prompt: 'login',
    });

    const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 60 };
    const tokens = await client.authorizationCodeGrant(config, await consent(url, ben.id), checks);
    expect(tokens.claims()).toMatchObject({ iss: service.web, aud: clientId, sub: ben.id, nonce: expectedNonce });

    const claims = await client.fetchUserInfo(config, tokens.access_token, ben.id);
    expect(claims).toMatchObject({ sub: ben.id, preferred_username: 'ben' });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: ben.id });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });

    await client.tokenRevocation(config, refreshed.access_token);
    await expect(client.fetchUserInfo(config, refreshed.access_token, ben.id)).rejects.toThrow();
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

it('openid-client gets a token for the application itself', async () => {
  const authentication = client.ClientSecretBasic(secret);
  const config = await client.discovery(new URL(service.web), site.id, undefined, authentication, insecure);
  const { expires_in } = await client.clientCredentialsGrant(config, { scope: 'applications.commands.update' });
  expect(expires_in).toBe(604_800);
});

it('openid-client finds the plain OAuth2 metadata, too', async () => {
  const options = { ...insecure, algorithm: 'oauth2' } as const;
  const config = await client.discovery(new URL(service.web), game.id, undefined, client.None(), options);
  expect(config.serverMetadata().supportsPKCE()).toBe(true);
});

it('openid-client recognizes a cancelled authorization and whose answer it is', async () => {
  const config = await client.discovery(new URL(service.web), game.id, undefined, client.None(), insecure);
  const answer = new URL(await service.decide(service.authorizeUrl({ state: 's' }), ada.id, 'deny'));
  await expect(client.authorizationCodeGrant(config, answer, { expectedState: 's' })).rejects.toMatchObject({
    error: 'access_denied',
  });
});

describe('openid-client on a device', () => {
  async function open() {
    const config = await client.discovery(new URL(service.web), game.id, undefined, client.None(), insecure);
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid identify' });
    // It waits on the machine's own clock, the service on its virtual one: that moves on before each poll.
    const polls: number[] = [];
    config[client.customFetch] = async (url, options) => {
      polls.push(await service.clock.advance(device.interval === undefined ? 0 : device.interval * 1000));
      if (polls.length === 3) await onThird();
      return fetch(url, options as RequestInit);
    };
    let onThird = async (): Promise<unknown> => undefined;
    const poll = (third: () => Promise<unknown>) => {
      onThird = third;
      return client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.001 });
    };
    return { device, polls, poll };
  }

  it('waits for its user, then has tokens and verifies whose they are', async () => {
    const { device, polls, poll } = await open();
    const tokens = await poll(() => service.answerDevice(device.user_code, 'granted', ben.id));
    expect(polls).toHaveLength(3);
    expect(tokens.claims()).toMatchObject({ iss: service.web, aud: game.id, sub: ben.id });
  });

  it('stops when its user says no', async () => {
    const { device, poll } = await open();
    await expect(poll(() => service.answerDevice(device.user_code, 'denied'))).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  it('stops when its code has expired', async () => {
    const { device, poll } = await open();
    await expect(poll(() => service.clock.advance(device.expires_in * 1000))).rejects.toMatchObject({
      error: 'expired_token',
    });
  });
});
