import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intakeLimits } from '../../../../../src/service/support/service-limits.ts';
import { Browser } from '../browser.ts';
import { ada, type Form, game, guild, openService, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

describe('another site', () => {
  async function signedIn(): Promise<Browser> {
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: ada.id });
    return browser;
  }

  it.each<[string, Record<string, string>]>([
    ['without the form’s token', {}],
    ['with a made-up one', { form_token: 'x'.repeat(43) }],
    ['with an empty one', { form_token: '' }],
  ])('cannot have a signed-in user consent %s', async (_, fields) => {
    const browser = await signedIn();
    const answer = await browser.post(service.authorizeUrl(), { decision: 'approve', ...fields });
    expect(answer.location ?? '').not.toContain('code=');
    expect(answer.status).toBe(403);
  });

  it('cannot have a signed-in user consent with the token of its own visit', async () => {
    const attacker = await signedIn();
    const page = await attacker.get(service.authorizeUrl());
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(form_token).not.toBe('');
    const victim = await signedIn();
    const answer = await victim.post(service.authorizeUrl(), { decision: 'approve', form_token });
    expect(answer.status).toBe(403);
  });

  it('cannot consent by a link: to approve takes a form', async () => {
    const browser = await signedIn();
    const page = await browser.get(`${service.authorizeUrl()}&decision=approve`);
    expect([page.status, page.location]).toEqual([200, null]);
  });

  it.each(['/api/oauth2/authorize', '/api/v10/oauth2/authorize'])(
    'may send the request as a form to %s, which shows the page that a link would, and decides nothing',
    async path => {
      const link = new URL(service.authorizeUrl({ state: 'ä & ü' }));
      const fields = `${link.searchParams}&decision=approve&prompt=none&prompt=consent`;
      const answer = await fetch(service.web + path, {
        method: 'POST',
        headers: { origin: 'https://game.example', 'content-type': 'application/x-www-form-urlencoded' },
        body: fields,
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/oauth2/authorize?${fields}`]);
    },
  );

  it.each<[number, string, RequestInit]>([
    [413, 'too long a form', { body: new URLSearchParams({ state: 'x'.repeat(8192) }) }],
    [400, 'another type', { body: '{}', headers: { 'content-type': 'application/json' } }],
    [303, 'nothing', {}],
  ])('gets %s for %s instead of the request', async (status, _, init) => {
    const answer = await fetch(`${service.web}/api/oauth2/authorize`, { ...init, method: 'POST', redirect: 'manual' });
    expect(answer.status).toBe(status);
  });

  it('cannot send any other form', async () => {
    for (const path of ['/oauth2/authorize', '/api/oauth2/authorize/', '/api/oauth2/token']) {
      const headers = { origin: 'https://game.example' };
      const answer = await fetch(service.web + path, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ a: 'b' }),
      });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  it('cannot hide a part of the request from the user who consents', async () => {
    await service.addFixtures({
      applications: [{ ...game, install_params: { scopes: ['applications.commands'], permissions: '0' } }],
    });
    const browser = await signedIn();
    const [shown = '', hidden = ''] = service.authorizeUrl({ scope: 'openid guilds' }).split('&response_type');
    const link = `${shown}${'&'.repeat(intakeLimits.formFieldsMax)}response_type${hidden}`;
    const page = await browser.get(link);
    expect(page.text).toContain('<select id="guild" name="guild_id" required>'); // as for a link that only installs
    const fields = { decision: 'approve', guild_id: guild.id };
    const answer = await browser.submit(page, service.web, '/oauth2/authorize', fields);
    expect(answer.location).toContain(`${service.web}/oauth2/authorized?`);
  });

  it.each<[string, Form]>([
    ['a link that hands out nothing', { scope: 'applications.commands', response_type: undefined }],
    ['a link to a code', { scope: 'applications.commands' }],
    ['a link that locks the guild', { scope: 'applications.commands', disable_guild_select: 'true' }],
    ['a link with a bot', { scope: 'bot', response_type: undefined }],
  ])('cannot have %s install anything in a guild without asking, whatever was granted before', async (_, changes) => {
    await service.decide(service.authorizeUrl({ scope: 'applications.commands bot' }), ada.id, 'approve', guild.id);
    await service.decide(service.authorizeUrl({ scope: 'applications.commands', integration_type: '1' }));
    const browser = await signedIn();
    const page = await browser.get(service.authorizeUrl({ ...changes, prompt: 'none', guild_id: guild.id }));
    expect([page.status, page.location]).toEqual([200, null]);
  });

  it('has no cookie of the user: it goes with the service’s own forms alone, and no script reads it', async () => {
    const response = await fetch(service.authorizeUrl());
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(cookie).toMatch(/Path=\//i);
  });

  it.each(['/oauth2/authorize', '/activate', '/oauth2/authorized'])('cannot show %s in a frame', async path => {
    const url = path === '/oauth2/authorize' ? service.authorizeUrl() : service.web + path;
    const { headers } = await fetch(url);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('cannot use the pages to send a browser on', async () => {
    const paths = [
      '/oauth2/authorize?redirect_uri=https://evil.example',
      `/oauth2/authorize?client_id=${game.id}&redirect_uri=https://evil.example&response_type=code`,
      '/oauth2/authorized?redirect_uri=https://evil.example&error=access_denied',
      '/activate?redirect_uri=https://evil.example',
      '//evil.example/oauth2/authorize',
      '/oauth2/authorize/..//evil.example',
      '/api/oauth2/authorize//evil.example',
    ];
    for (const path of paths) {
      const response = await fetch(service.web + path, { redirect: 'manual' });
      const location = response.headers.get('location') ?? '/';
      expect(new URL(location, service.web).origin).toBe(service.web);
    }
  });

  it('cannot put words into the page that ends an installation', async () => {
    const { search } = new URL(`${service.web}/?error=access_denied&error_description=Call+555-EVIL&guild_id=<b>`);
    const text = await (await fetch(`${service.web}/oauth2/authorized${search}`)).text();
    expect(text).not.toContain('EVIL');
    expect(text).not.toContain('<b>');
  });
});
