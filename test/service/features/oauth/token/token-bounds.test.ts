import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import { Browser } from '../browser.ts';
import { ada, basic, game, openService, secret, type TestService } from '../support.ts';

const child = { id: '101', name: 'Child', owner_id: '9', public_client: true, parent_id: game.id };

let service: TestService;
beforeEach(async () => {
  service = await openService();
  await service.addFixtures({ applications: [child] });
});
afterEach(() => service.close());

async function post(path: string, body: unknown, authorization?: string): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
  const answer = await fetch(service.api + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { access_token } = (await answer.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`${path} answered ${answer.status}.`);
  return access_token;
}

async function repeat<T>(times: number, work: (at: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let at = 0; at < times; at++) done.push(await work(at));
  return done;
}

/** @returns which of the tokens are valid, by their place */
async function deadAmong(tokens: readonly string[]): Promise<number[]> {
  const live = await Promise.all(tokens.map(token => service.isLive(token)));
  return live.flatMap((isLive, at) => (isLive ? [] : [at]));
}

describe('the live tokens of one player and application', () => {
  it('are at most accessTokensPerAuthorizationMax bot-issued ones: the oldest ends', async () => {
    const max = serviceLimits.accessTokensPerAuthorizationMax;
    const issue = () => post('/partner-sdk/token/bot', { external_user_id: 'guest' }, `Bot ${game.bot_token}`);
    const tokens = await repeat(max, issue);
    expect(await deadAmong(tokens)).toEqual([]);
    tokens.push(await issue());
    expect(await deadAmong(tokens)).toEqual([0]);
    // Another player's are counted separately.
    const other = await post('/partner-sdk/token/bot', { external_user_id: 'another' }, `Bot ${game.bot_token}`);
    expect(await deadAmong([other, ...tokens])).toEqual([1]);
  });

  it('are at most childTokensPerAuthorizationMax child tokens: the oldest ends, and the parent’s token stays', async () => {
    const { access_token } = await service.signIn();
    const max = serviceLimits.childTokensPerAuthorizationMax;
    const issue = () =>
      post('/partner-sdk/child-token', { parent_access_token: access_token, child_application_id: child.id });
    const tokens = await repeat(max, issue);
    expect(await deadAmong(tokens)).toEqual([]);
    tokens.push(await issue(), await issue());
    expect(await deadAmong([access_token, ...tokens])).toEqual([1, 2]);
  });

  it('are at most refreshTokensPerAuthorizationMax sign-ins: the one that was refreshed least recently ends', async () => {
    const max = serviceLimits.refreshTokensPerAuthorizationMax;
    const [first, second, ...others] = await repeat(max, () => service.signIn());
    const refreshed = await service.refresh(String(first?.refresh_token));
    expect(refreshed.status).toBe(200);
    await service.signIn();
    expect((await service.refresh(String(second?.refresh_token))).status).toBe(400);
    expect((await service.refresh(String(refreshed.body.refresh_token))).status).toBe(200);
    expect((await service.refresh(String(others.at(-1)?.refresh_token))).status).toBe(200);
  });
});

describe('the live tokens of an application itself', () => {
  it('are at most tokensPerApplicationMax: the oldest ends', async () => {
    const form = { grant_type: 'client_credentials', scope: 'applications.commands.update' };
    const max = serviceLimits.tokensPerApplicationMax;
    await repeat(max + 1, () => service.token(form, basic(game.id, secret)));
    const { tokens } = await service.content();
    expect(tokens.filter(({ kind }) => kind === 'application')).toHaveLength(max);
  });
});

describe('the open authorization codes of one player and application', () => {
  it('are at most codesPerAuthorizationMax: the oldest becomes invalid', async () => {
    const codes = await repeat(serviceLimits.codesPerAuthorizationMax + 1, () => service.code());
    expect(await service.exchange(String(codes[0]))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    for (const code of [codes[1], codes.at(-1)]) expect((await service.exchange(String(code))).status).toBe(200);
    await service.clock?.advance(serviceLimits.authorizationCodeLifeMs);
    const code = await service.code();
    const [authorization] = (await service.content()).authorizations.filter(({ user_id }) => user_id === ada.id);
    expect(authorization?.codes?.length).toBeLessThanOrEqual(serviceLimits.codesPerAuthorizationMax);
    expect((await service.exchange(code)).status).toBe(200);
  });
});

describe('the browsers that are signed in as one user', () => {
  it('are at most signInsPerUserMax: the one that signed in first is signed out', async () => {
    const most = serviceLimits.signInsPerUserMax;
    const browsers = await repeat(most + 1, async () => {
      const browser = new Browser();
      const page = await browser.get(service.authorizeUrl());
      await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: ada.id });
      await service.clock?.advance(1);
      return browser;
    });
    const isSignedIn = async (browser: Browser | undefined) =>
      !(await browser?.get(service.authorizeUrl()))?.text.includes('/oauth2/sign-in');
    expect(await Promise.all([browsers[0], browsers[1], browsers.at(-1)].map(isSignedIn))).toEqual([false, true, true]);
    expect((await service.content()).sign_ins).toHaveLength(most);
  });
});
