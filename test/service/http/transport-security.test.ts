import { afterEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/service/index.ts';
import { Browser } from '../features/oauth/browser.ts';

const redirect_uri = 'https://game.example/callback';
const fixtures = {
  applications: [{ id: '1', bot_token: 'bot', public_client: true, redirect_uris: [redirect_uri] }],
  users: [{ id: '9', username: 'ada' }],
};

let service: Service | undefined;
afterEach(() => service?.close());

/** @returns what leads to the service on this machine, whatever it is called */
async function open(publicUrl?: string): Promise<string> {
  service = await startService({ fixtures, limits: 'off', ...(publicUrl !== undefined && { publicUrl }) });
  return service.controlBase.replace('/control', '');
}

const pageOf = (web: string) =>
  `${web}/oauth2/authorize?${new URLSearchParams({ client_id: '1', response_type: 'code', scope: 'identify', redirect_uri, code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' })}`;

/** One answer of each part that answers by HTTP. */
async function answers(web: string): Promise<Record<string, Response>> {
  const bot = { authorization: 'Bot bot' };
  const control = { authorization: `Bearer ${service?.controlToken}` };
  return {
    api: await fetch(`${web}/api/v10/applications/@me`, { headers: bot }),
    empty: await fetch(`${web}/api/v10/applications/1/commands/1`, { method: 'DELETE', headers: bot }),
    refused: await fetch(`${web}/api/v10/users/@me`),
    unknown: await fetch(`${web}/nothing`),
    malformed: await fetch(`${web}/api/v10/%ff`),
    foreign: await fetch(`${web}/oauth2/sign-in`, { method: 'POST', headers: { origin: 'https://evil.example' } }),
    page: await fetch(pageOf(web)),
    way: await fetch(`${web}/activate`, { redirect: 'manual' }),
    metadata: await fetch(`${web}/.well-known/openid-configuration`),
    control: await fetch(`${web}/control/clock`, { headers: control }),
    uncontrolled: await fetch(`${web}/control/clock`),
  };
}

describe('a service that is public by https', () => {
  it('asks browsers to use https only, with every answer', async () => {
    for (const [part, { headers }] of Object.entries(await answers(await open('https://play.example')))) {
      expect([part, headers.get('strict-transport-security')]).toEqual([part, 'max-age=31536000']);
    }
  });

  it('keeps its cookie to its own host, whatever neighbours there are', async () => {
    const web = await open('https://play.example');
    const [cookie = ''] = (await fetch(pageOf(web))).headers.getSetCookie();
    const [named, ...attributes] = cookie.split('; ');
    expect(named).toMatch(/^__Host-rallypoint_sign_in=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  it('takes no cookie that a neighbour could have planted', async () => {
    const web = await open('https://play.example');
    const browser = new Browser();
    const page = await browser.get(pageOf(web));
    await browser.submit(page, web, '/oauth2/sign-in', { user_id: '9' });
    const [[name, secret] = ['', '']] = browser.cookies;
    expect((await browser.get(pageOf(web))).text).not.toContain('action="/oauth2/sign-in');
    browser.cookies.clear();
    browser.cookies.set(name.replace('__Host-', ''), secret);
    expect((await browser.get(pageOf(web))).text).toContain('action="/oauth2/sign-in');
  });
});

describe.each([
  ['on one’s own machine', undefined],
  ['that is public by http', 'http://play.example'],
])('a service %s', (_, publicUrl) => {
  it('sends no such header, and its cookie does not need https', async () => {
    const web = await open(publicUrl);
    for (const [part, { headers }] of Object.entries(await answers(web))) {
      expect([part, headers.get('strict-transport-security')]).toEqual([part, null]);
    }
    const [cookie = ''] = (await fetch(pageOf(web))).headers.getSetCookie();
    expect(cookie).toMatch(/^rallypoint_sign_in(_\d+)?=.*; Path=\/oauth2; HttpOnly; SameSite=Lax$/);
  });
});

describe('a service with https on this machine', () => {
  it('does not bind the other programs of the machine to https', async () => {
    for (const { headers } of Object.values(await answers(await open('https://localhost:8443')))) {
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });
});
