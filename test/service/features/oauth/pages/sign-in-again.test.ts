import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInLifeMs } from '../../../../../src/service/features/oauth/sign-in/sign-in.ts';
import { Browser, type Visited } from '../browser.ts';
import { ada, ben, type Form, openService, siteExchange, siteRequest, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const authorize = '/oauth2/authorize';
const signIn = '/oauth2/sign-in';
const request = { ...siteRequest, scope: 'openid identify' };

function open(browser: Browser, changes: Form = {}): Promise<Visited> {
  return browser.get(service.authorizeUrl({ ...request, ...changes }));
}

/** Signs in on a page, and returns the page that follows. */
async function signInOn(browser: Browser, page: Visited, userId: string = ada.id): Promise<Visited> {
  const answer = await browser.submit(page, service.web, signIn, { user_id: userId });
  expect(answer.status).toBe(303);
  return browser.get(service.web + answer.location);
}

/** A browser whose user has granted the request's scopes. */
async function signedIn(): Promise<Browser> {
  const browser = new Browser();
  await approve(browser, await signInOn(browser, await open(browser)));
  return browser;
}

async function approve(browser: Browser, page: Visited): Promise<string> {
  const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
  return new URL(answer.location ?? '').searchParams.get('code') ?? '';
}

async function redeem(code: string) {
  const { body } = await service.exchange(code, siteExchange);
  return { refreshToken: String(body.refresh_token), claims: decodeJwt(String(body.id_token)) };
}

const nowSeconds = () => Math.floor(service.clock.now() / 1000);
const isSignIn = (page: Visited) => page.text.includes(`action="${signIn}`);
const isConsent = (page: Visited) => page.text.includes(`action="${authorize}`);
const errorOf = ({ location }: Visited) => new URL(location ?? '').searchParams.get('error');

describe('prompt=login', () => {
  it.each(['login', 'login consent', 'consent login'])(
    'signs a user in again, once, and then asks for consent: "%s"',
    async prompt => {
      const browser = await signedIn();
      await service.clock.advance(60_000);
      const page = await open(browser, { prompt });
      expect(isSignIn(page)).toBe(true);
      const next = await signInOn(browser, page);
      expect(isConsent(next)).toBe(true);
      const { claims } = await redeem(await approve(browser, next));
      expect(claims.auth_time).toBe(nowSeconds());
      expect(isSignIn(await open(browser, { prompt }))).toBe(true);
    },
  );

  it('continues as the user who signs in', async () => {
    const browser = await signedIn();
    const next = await signInOn(browser, await open(browser, { prompt: 'login' }), ben.id);
    expect((await redeem(await approve(browser, next))).claims.sub).toBe(ben.id);
  });

  it('keeps the rest of the request', async () => {
    const browser = new Browser();
    const changes = { prompt: 'login', max_age: '0', state: 'a b+c&d=é', nonce: 'n', ui_locales: 'fr' };
    const answer = await browser.submit(await open(browser, changes), service.web, signIn, { user_id: ada.id });
    const { searchParams } = new URL(answer.location ?? '', service.web);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...Object.fromEntries(new URL(service.authorizeUrl({ ...request, ...changes, prompt: 'consent' })).searchParams),
      max_age: undefined,
    });
  });

  it('does not accept an answer of a user who has not signed in again', async () => {
    const browser = await signedIn();
    const page = await open(browser);
    const asked = page.text.replaceAll(authorize, `${authorize}?prompt=login&amp;`).replaceAll('&amp;?', '&amp;');
    const answer = await browser.submit({ ...page, text: asked }, service.web, authorize, { decision: 'approve' });
    expect([answer.status, isSignIn(answer)]).toEqual([200, true]);
  });
});

describe('max_age', () => {
  it('signs a user in again when more time has passed, to the millisecond', async () => {
    const browser = await signedIn();
    await service.clock.advance(5_000);
    expect(isConsent(await open(browser, { max_age: '5' }))).toBe(true);
    await service.clock.advance(1);
    const page = await open(browser, { max_age: '5' });
    expect(isSignIn(page)).toBe(true);
    expect(isConsent(await signInOn(browser, page))).toBe(true);
  });

  it('of 0 always signs a user in again, once', async () => {
    const browser = await signedIn();
    const page = await open(browser, { max_age: '0' });
    expect(isSignIn(page)).toBe(true);
    expect(isConsent(await signInOn(browser, page))).toBe(true);
  });

  it('that passes while the user reads the page asks for another sign-in, after which the user has all the time', async () => {
    const browser = await signedIn();
    const page = await open(browser, { max_age: '60' });
    await service.clock.advance(60_001);
    const again = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(isSignIn(again)).toBe(true);
    const next = await signInOn(browser, again);
    await service.clock.advance(60_001);
    expect((await redeem(await approve(browser, next))).claims.auth_time).toBe(nowSeconds() - 60);
  });

  it('without a value counts as missing, also with prompt=none', async () => {
    await signedIn();
    const browser = new Browser();
    const page = await open(browser, { prompt: 'none', max_age: '' });
    const next = await signInOn(browser, page);
    expect(new URL(next.location ?? '').searchParams.get('code')).toBeTruthy();
  });

  it('larger than a sign-in lives changes nothing', async () => {
    const browser = await signedIn();
    await service.clock.advance(signInLifeMs - 1);
    expect(isConsent(await open(browser, { max_age: '9'.repeat(400) }))).toBe(true);
  });

  it('with prompt=none is answered with login_required instead of a page', async () => {
    const browser = await signedIn();
    await service.clock.advance(5_000);
    const recent = await open(browser, { prompt: 'none', max_age: '5' });
    expect(new URL(recent.location ?? '').searchParams.get('code')).toBeTruthy();
    await service.clock.advance(1);
    const late = await open(browser, { prompt: 'none', max_age: '5' });
    expect(errorOf(late)).toBe('login_required');
    expect(new URL(late.location ?? '').searchParams.get('state')).not.toBeNull();
    expect(errorOf(await open(browser, { prompt: 'none', max_age: '0' }))).toBe('login_required');
    expect(errorOf(await open(new Browser(), { prompt: 'none', max_age: '5' }))).toBe('login_required');
  });
});

describe('auth_time', () => {
  it('says when the user signed in, and stays that in a refresh', async () => {
    const browser = await signedIn();
    const signedInAt = nowSeconds();
    await service.clock.advance(90_000);
    const { claims, refreshToken } = await redeem(await approve(browser, await open(browser)));
    expect(claims.auth_time).toBe(signedInAt);
    await service.clock.advance(90_000);
    const { client_id, client_secret } = siteExchange;
    for (let token = refreshToken, round = 0; round < 2; round++) {
      const { body } = await service.refresh(token, { client_id, client_secret });
      expect(decodeJwt(String(body.id_token))).toMatchObject({ auth_time: signedInAt, iat: signedInAt + 180 });
      token = String(body.refresh_token);
    }
  });

  it('is the moment of a consent by the control API', async () => {
    const { claims } = await redeem(await service.code({ ...request, max_age: '1', prompt: 'login' }));
    expect(claims.auth_time).toBe(nowSeconds());
  });
});
