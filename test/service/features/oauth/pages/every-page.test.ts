import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageWords } from '../../../../../src/service/features/oauth/pages/choose-words.ts';
import { Browser, type Visited } from '../browser.ts';
import { ada, game, guild, openService, type TestService } from '../support.ts';

const password = 'correct horse battery';

let service: TestService;
let byPassword: TestService;
beforeAll(async () => {
  service = await openService();
  byPassword = await openService(Date.now(), 'standard', { signIn: 'password' });
  await byPassword.addFixtures({ users: [{ ...ada, password }] });
});
afterAll(() => Promise.all([service.close(), byPassword.close()]));

async function signedIn(): Promise<Browser> {
  const browser = new Browser();
  const page = await browser.get(service.authorizeUrl());
  await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: ada.id });
  return browser;
}

async function refusedPassword(attempts: number): Promise<Visited> {
  const browser = new Browser();
  const page = await browser.get(byPassword.authorizeUrl());
  let last = page;
  for (let count = 0; count < attempts; count++) {
    last = await browser.submit(page, byPassword.web, '/oauth2/sign-in', {
      name: `n${attempts}`,
      password: 'nonsense',
    });
  }
  return last;
}

async function device(decision?: 'approve' | 'deny', again = false): Promise<Visited> {
  const { userCode } = await service.startDevice();
  const browser = await signedIn();
  const url = `${service.web}/oauth2/activate?user_code=${userCode}`;
  const consent = await browser.get(url);
  if (!decision) return consent;
  const done = await browser.submit(consent, service.web, '/oauth2/activate?', { decision });
  return again ? browser.get(url) : done;
}

/** A page → its status and a visit to it. */
const pages: Readonly<Record<string, readonly [number, () => Promise<Visited>]>> = {
  'choosing a user': [200, () => new Browser().get(service.authorizeUrl())],
  'sign-in by password': [200, () => new Browser().get(byPassword.authorizeUrl())],
  'a wrong password': [403, () => refusedPassword(1)],
  'too many wrong passwords': [429, () => refusedPassword(6)],
  consent: [200, async () => (await signedIn()).get(service.authorizeUrl({ scope: 'openid sdk.social_layer' }))],
  'consent to a bot': [
    200,
    async () => (await signedIn()).get(service.authorizeUrl({ scope: 'bot', permissions: '8', guild_id: guild.id })),
  ],
  'an unknown application': [400, () => new Browser().get(service.authorizeUrl({ client_id: '404' }))],
  'an unknown redirect': [
    400,
    () => new Browser().get(service.authorizeUrl({ redirect_uri: 'https://evil.example/' })),
  ],
  'a forged form': [403, () => new Browser().post(service.authorizeUrl(), { decision: 'approve' })],
  'a form that is too large': [413, () => new Browser().post(service.authorizeUrl(), { x: 'x'.repeat(9000) })],
  'an unknown user': [
    404,
    async () => {
      const browser = new Browser();
      const page = await browser.get(service.authorizeUrl());
      return browser.submit(page, service.web, '/oauth2/sign-in', { user_id: '404' });
    },
  ],
  'an unknown guild': [
    404,
    async () => {
      const browser = await signedIn();
      const page = await browser.get(service.authorizeUrl({ scope: 'bot' }));
      return browser.submit(page, service.web, '/oauth2/authorize', { decision: 'approve', guild_id: '404' });
    },
  ],
  'typing a code': [200, () => new Browser().get(`${service.web}/oauth2/activate`)],
  'an unknown code': [404, async () => (await signedIn()).get(`${service.web}/oauth2/activate?user_code=nonsense`)],
  'sign-in for a device': [200, () => new Browser().get(`${service.web}/oauth2/activate?user_code=nonsense`)],
  'consent for a device': [200, () => device()],
  'a connected device': [200, () => device('approve')],
  'a device that was refused': [200, () => device('deny')],
  'a device that was answered': [409, () => device('deny', true)],
  'an application that was added': [200, () => new Browser().get(`${service.web}/oauth2/authorized`)],
  'an application that was not': [200, () => new Browser().get(`${service.web}/oauth2/authorized?error=access_denied`)],
};

describe.each(Object.entries(pages))('the page: %s', (_, [status, visit]) => {
  it('forbids script, frames, caches and referrers, and names its one style sheet', async () => {
    const { status: answered, headers, text } = await visit();
    expect(answered).toBe(status);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'; ");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|\son\w+=|\sstyle=/);
  });

  it('can be read by all: a language, one landmark, one heading, a label for every field', async () => {
    const { text } = await visit();
    expect(text).toMatch(/^<!doctype html>\n<html lang="(en|de)">/);
    expect(text.match(/<title>[^<]+<\/title>/g)).toHaveLength(1);
    expect(text.match(/<main>/g)).toHaveLength(1);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).not.toContain('undefined');
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [field] of text.matchAll(/<(?:input|select)\s[^>]*>/g)) {
      if (field.includes('type="hidden"')) continue;
      const id = /\sid="([^"]+)"/.exec(field)?.[1];
      expect(text).toContain(`<label for="${id}">`);
    }
    for (const [, id = ''] of text.matchAll(/aria-(?:labelledby|describedby)="([^"]+)"/g)) expect(ids).toContain(id);
  });
});

describe('every page', () => {
  it.each(Object.values(pageWords))('is in the language its reader has: $lang', async ({ lang, signIn, consent }) => {
    const locale = Object.entries(pageWords).find(([, words]) => words.lang === lang)?.[0] ?? '';
    const browser = new Browser({ 'accept-language': `${locale}, en;q=0.5` });
    const first = await browser.get(service.authorizeUrl());
    expect(first.text).toContain(`<html lang="${lang}">`);
    expect(first.text).toContain(signIn.chooseHeading);
    await service.addFixtures({ users: [{ id: '77', username: 'reader', locale: locale as 'de' }] });
    const reader = new Browser({ 'accept-language': 'it' });
    await reader.submit(await reader.get(service.authorizeUrl()), service.web, '/oauth2/sign-in', { user_id: '77' });
    const page = await reader.get(service.authorizeUrl());
    expect(page.text).toContain(`<html lang="${lang}">`);
    expect(page.text).toContain(consent.heading(game.name).text);
  });
});
