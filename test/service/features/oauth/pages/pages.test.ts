import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { permissionBits } from '../../../../../src/model/guild.ts';
import { signInLifeMs } from '../../../../../src/service/features/oauth/sign-in/sign-in.ts';
import { Browser, formOf, type Visited } from '../browser.ts';
import {
  ada,
  ben,
  type Form,
  game,
  guild,
  openService,
  site,
  siteRequest,
  soundRequest,
  type TestService,
} from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const authorize = '/oauth2/authorize';
const signIn = '/oauth2/sign-in';
const signOut = '/oauth2/sign-out';

async function signedIn(changes: Form = {}, userId: string = ada.id): Promise<{ browser: Browser; page: Visited }> {
  const browser = new Browser();
  const url = service.authorizeUrl(changes);
  const answer = await browser.submit(await browser.get(url), service.web, signIn, { user_id: userId });
  return { browser, page: await browser.get(new URL(answer.location ?? '', service.web).href) };
}

describe('the way through the pages', () => {
  it('leads from sign-in over consent to the game with a code', async () => {
    const { browser, page } = await signedIn();
    expect(page.text).toContain('Darf Starfall dein Konto verwenden?');
    expect(page.text).toContain('@ada');
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(answer.status).toBe(303);
    const url = new URL(answer.location ?? '');
    expect(url.origin + url.pathname).toBe(soundRequest.redirect_uri);
    expect(url.searchParams.get('state')).toBe(soundRequest.state);
    expect((await service.exchange(url.searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('leads back with access_denied after Cancel', async () => {
    const { browser, page } = await signedIn();
    const answer = await browser.submit(page, service.web, authorize, { decision: 'deny' });
    expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('access_denied');
  });

  it('leads back to the game when a banned user cancels, and not when one approves', async () => {
    const carol = { id: '12', username: 'carol', locale: 'fr', banned: true } as const;
    await service.addFixtures({ users: [carol] });
    const { browser, page } = await signedIn({}, carol.id);
    const approved = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect([approved.status, approved.location]).toEqual([403, null]);
    expect(approved.text).toContain('Ce compte est suspendu.');
    const answer = await browser.submit(page, service.web, authorize, { decision: 'deny' });
    expect(answer.location).toContain('error=access_denied');
  });

  it('treats anything but "approve" as a denial', async () => {
    const { browser, page } = await signedIn();
    for (const fields of [{}, { decision: 'Approve' }]) {
      const answer = await browser.submit(page, service.web, authorize, fields as Record<string, string>);
      expect(answer.location).toContain('error=access_denied');
    }
  });

  it('leads back to sign-in for another user', async () => {
    const { browser, page } = await signedIn();
    const answer = await browser.submit(page, service.web, signOut, {});
    const again = await browser.get(new URL(answer.location ?? '', service.web).href);
    expect(again.text).toContain('Choose who you are');
    await browser.submit(again, service.web, signIn, { user_id: ben.id });
    expect((await browser.get(service.authorizeUrl())).text).toContain('@ben');
  });

  it('leads to a custom scheme just as well', async () => {
    const { browser, page } = await signedIn({ redirect_uri: 'discord-100:/authorize/callback' });
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(answer.location).toMatch(/^discord-100:\/authorize\/callback\?code=/);
  });

  it('leads to an address with any letters', async () => {
    const redirect_uri = 'https://game.example/zurück';
    await service.addFixtures({
      applications: [{ ...game, id: '101', bot_token: null, redirect_uris: [redirect_uri] }],
    });
    const { browser, page } = await signedIn({ client_id: '101', redirect_uri });
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(answer.location).toContain('https://game.example/zur%C3%BCck?code=');
  });

  it.each(['/api/oauth2/authorize', '/api/v10/oauth2/authorize'])('begins at %s, too', async path => {
    const response = await new Browser().get(service.authorizeUrl().replace(authorize, path));
    expect(new URL(response.location ?? '', service.web).href).toBe(service.authorizeUrl());
  });

  it.each([signIn, signOut, '/oauth2/activate/sign-in', '/oauth2/activate/sign-out'])(
    'is found again from %s, where the address of a failed form leads',
    async path => {
      const page = path.includes('activate') ? '/oauth2/activate' : authorize;
      const { search } = new URL(service.authorizeUrl());
      const answer = await new Browser().get(service.web + path + search);
      expect(answer).toMatchObject({ status: 303, location: page + search });
    },
  );

  it('redirects an invalid request with its error before anybody signs in', async () => {
    const answer = await new Browser().get(service.authorizeUrl({ scope: 'nonsense' }));
    expect(answer.location).toContain('error=invalid_scope');
  });

  it('keeps a browser signed in for a day, to the millisecond', async () => {
    const { browser } = await signedIn();
    await service.clock.advance(signInLifeMs - 1);
    expect((await browser.get(service.authorizeUrl())).text).toContain('@ada');
    await service.clock.advance(1);
    expect((await browser.get(service.authorizeUrl())).text).toContain('Choose who you are');
  });

  it('leaves the browser signed in at another service of the machine: cookies know no ports', async () => {
    const other = await openService();
    onTestFinished(() => other.close());
    const { browser, page } = await signedIn();
    const elsewhere = await browser.get(other.authorizeUrl());
    await browser.submit(elsewhere, other.web, signIn, { user_id: ben.id });
    expect((await browser.get(other.authorizeUrl())).text).toContain('@ben');
    expect((await browser.get(service.authorizeUrl())).text).toContain('@ada');
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(answer.location).toContain('code=');
  });

  it('offers the guilds that the user manages when the application can be added to one', async () => {
    const { browser, page } = await signedIn({ scope: 'applications.commands', guild_id: '5' });
    expect(page.text).toContain('<option value="5" selected>Guild</option>');
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve', guild_id: '5' });
    expect(new URL(answer.location ?? '').searchParams.get('guild_id')).toBe('5');
    expect((await signedIn({ scope: 'applications.commands' }, ben.id)).page.text).toContain(
      'You do not manage a server',
    );
  });
});

describe('adding an application', () => {
  const install: Form = {
    ...{ response_type: undefined, redirect_uri: undefined, state: undefined },
    ...{ code_challenge: undefined, code_challenge_method: undefined },
  };

  it('asks for a guild, lists what the bot asks for by name, and ends on a page of its own', async () => {
    const permissions = String(permissionBits.SEND_MESSAGES | permissionBits.ADMINISTRATOR);
    const { browser, page } = await signedIn({ ...install, scope: 'bot', permissions });
    expect(page.text).toContain('<select id="guild" name="guild_id" required>');
    expect(page.text).toContain('<option value="">Server wählen</option>');
    expect(page.text).toContain('Auf dem Server wird der Bot von Starfall Folgendes können');
    expect(page.text.indexOf('(Administrator)')).toBeLessThan(page.text.indexOf('Nachrichten senden</li>'));
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve', guild_id: guild.id });
    expect((await browser.get(answer.location ?? '')).text).toContain('Hinzugefügt');
    const refused = await browser.submit(page, service.web, authorize, { decision: 'deny' });
    expect((await browser.get(refused.location ?? '')).text).toContain('Es wurde nichts hinzugefügt');
  });

  it('allows no other guild than the locked one, and offers none that the user may not manage', async () => {
    const changes = { ...install, scope: 'bot', guild_id: guild.id, disable_guild_select: 'true' };
    const { page } = await signedIn(changes);
    expect(page.text.match(/<option/g)).toHaveLength(1);
    const { page: theirs } = await signedIn(changes, ben.id);
    expect(theirs.text).toContain('You do not manage a server');
    expect(theirs.text).not.toContain('value="approve"');
    expect(theirs.text).toContain('value="deny"');
  });

  it('to a locked guild that the user may not manage cannot be approved on the way to a code either', async () => {
    const changes = { scope: 'bot identify', guild_id: guild.id, disable_guild_select: 'true' };
    const { page } = await signedIn(changes, ben.id);
    expect(page.text).toContain('You do not manage a server');
    expect(page.text).not.toContain('value="approve"');
    expect((await signedIn(changes)).page.text).toContain('value="approve"');
  });

  it('chooses no guild for the user when the link locks the choice but names none', async () => {
    const changes = { scope: 'bot identify', disable_guild_select: 'true' };
    const { browser, page } = await signedIn(changes);
    expect(page.text).toContain('<option value="">');
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve', guild_id: '' });
    expect(new URL(answer.location ?? '').searchParams.get('guild_id')).toBeNull();
  });

  it('to the user’s account says so, and asks for no guild', async () => {
    const { page } = await signedIn({ ...install, scope: 'applications.commands', integration_type: '1' });
    expect(page.text).toContain('Es wird deinem Konto hinzugefügt');
    expect(page.text).not.toContain('<select');
  });

  it('to a guild is asked for again, prompt=none or not', async () => {
    const changes = { ...install, scope: 'applications.commands' };
    const { browser, page } = await signedIn(changes);
    await browser.submit(page, service.web, authorize, { decision: 'approve', guild_id: guild.id });
    expect((await browser.get(service.authorizeUrl({ ...changes, prompt: 'none' }))).status).toBe(200);
  });
});

describe('prompt=none', () => {
  it.each([
    ['a client that shows its secret for the code', siteRequest],
    ['a public client at a web address of its own', { redirect_uri: 'https://game.example/callback' }],
  ])('asks until the scopes are granted, then skips the page for %s', async (_, client) => {
    const changes = { ...client, prompt: 'none', scope: 'identify guilds.join' };
    const { browser, page } = await signedIn(changes);
    expect(page.status).toBe(200);
    await browser.submit(page, service.web, authorize, { decision: 'approve' });
    const answer = await browser.get(service.authorizeUrl(changes));
    expect(answer.status).toBe(303);
    expect(answer.location).toContain('code=');
    expect((await browser.get(service.authorizeUrl({ ...changes, scope: 'identify voice' }))).status).toBe(200);
  });

  it.each([
    ['loopback', {}],
    ['loopback by IPv6', { redirect_uri: 'http://[::1]:4321/callback' }],
    ['localhost', { redirect_uri: 'http://localhost:4321/callback' }],
    ['its own scheme', { redirect_uri: 'discord-100:/authorize/callback' }],
    ['nothing that it names', { redirect_uri: undefined }],
  ])('asks a user each time what a public client gets at %s, where any program may pose as it', async (_, where) => {
    const redirect_uris = [...game.redirect_uris, 'http://[::1]/callback', 'http://localhost:4321/callback'];
    await service.addFixtures({ applications: [{ ...game, redirect_uris }] });
    const changes = { ...where, prompt: 'none', scope: 'identify' };
    await service.code(changes);
    const { browser, page } = await signedIn(changes);
    expect(page).toMatchObject({ status: 200, location: null });
    const answer = await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect(answer.location).toContain('code=');
    expect((await browser.get(service.authorizeUrl(changes))).status).toBe(200);
  });

  it('asks each time before a token goes to loopback, whichever application requests it', async () => {
    const redirect_uri = 'http://127.0.0.1:4321/callback';
    await service.addFixtures({ applications: [{ ...site, redirect_uris: [...site.redirect_uris, redirect_uri] }] });
    const asked = { ...siteRequest, redirect_uri, prompt: 'none', scope: 'identify' };
    const { browser, page } = await signedIn({ ...asked, prompt: 'consent' });
    await browser.submit(page, service.web, authorize, { decision: 'approve' });
    expect((await browser.get(service.authorizeUrl(asked))).location).toContain('code=');
    expect((await browser.get(service.authorizeUrl({ ...asked, response_type: 'token' }))).status).toBe(200);
  });

  it('asks again after the grant was revoked', async () => {
    const changes = { prompt: 'none', scope: 'identify' };
    const { access_token } = await service.signIn(changes);
    await service.revoke({ token: access_token });
    expect((await signedIn(changes)).page.status).toBe(200);
  });

  it('asks for bot every time', async () => {
    const changes = { prompt: 'none', scope: 'bot' };
    await service.code(changes);
    expect((await signedIn(changes)).page.status).toBe(200);
  });
});

describe('a forged form', () => {
  const fields = { decision: 'approve', user_id: ada.id };

  it.each([authorize, signIn, signOut])('without its token is rejected at %s', async path => {
    const { browser } = await signedIn();
    const answer = await browser.post(service.authorizeUrl().replace(authorize, path), fields);
    expect(answer.status).toBe(403);
    expect(answer.location).toBeNull();
  });

  it('with the token of another browser is rejected', async () => {
    const mine = await signedIn();
    const theirs = await signedIn();
    const form = formOf(mine.page.text, authorize);
    const answer = await theirs.browser.post(service.web + form.action, { ...form.hidden, ...fields });
    expect(answer.status).toBe(403);
  });

  it('from before signing in, or with another user signed in since, is rejected', async () => {
    const browser = new Browser();
    const before = await browser.get(service.authorizeUrl());
    await browser.submit(before, service.web, signIn, { user_id: ada.id });
    expect((await browser.submit(before, service.web, signIn, { user_id: ben.id })).status).toBe(403);
    const consent = await browser.get(service.authorizeUrl());
    await browser.submit(consent, service.web, signOut, {});
    expect((await browser.submit(consent, service.web, authorize, { decision: 'approve' })).status).toBe(403);
  });

  it('of a browser without cookies is rejected', async () => {
    const page = await new Browser().get(service.authorizeUrl());
    expect((await new Browser().submit(page, service.web, signIn, { user_id: ada.id })).status).toBe(403);
  });

  it('cannot choose its cookie: signing in gives a new one', async () => {
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    const planted = [...browser.cookies.values()][0];
    await browser.submit(page, service.web, signIn, { user_id: ada.id });
    expect([...browser.cookies.values()][0]).not.toBe(planted);
  });

  it.each(['404', 'nonsense', ''])('for the user %j, who does not exist, is rejected', async user_id => {
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    expect((await browser.submit(page, service.web, signIn, { user_id })).status).toBe(404);
  });

  it('that is JSON or too large is rejected with a page', async () => {
    const url = service.authorizeUrl();
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const large = { method: 'POST', body: new URLSearchParams({ x: 'x'.repeat(9000) }) };
    for (const [init, status] of [
      [json, 415],
      [large, 413],
    ] as const) {
      const response = await fetch(url, init);
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toContain('text/html');
    }
  });
});

describe('every page', () => {
  it.each([
    ['http://127.0.0.1:4321/callback', 'http://127.0.0.1:4321'],
    ['discord-100:/authorize/callback', 'discord-100:'],
    ['https://game.example/callback', 'https://game.example'],
  ])('that leads to %s lets its form lead to %s and nowhere else', async (redirect_uri, source) => {
    for (const { headers } of [
      await new Browser().get(service.authorizeUrl({ redirect_uri })),
      (await signedIn({ redirect_uri })).page,
    ]) {
      expect(headers.get('content-security-policy')).toContain(`form-action 'self' ${source}; `);
    }
  });

  it('keeps its cookie from script, other sites and other paths', async () => {
    const { headers } = await new Browser().get(service.authorizeUrl());
    const [cookie = ''] = headers.getSetCookie();
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/oauth2']) expect(cookie).toContain(attribute);
  });

  it('keeps the order of its sentences whatever the names are', async () => {
    const [override, endOfIsolate] = ['\u202E', '\u2069'];
    await service.addFixtures({
      applications: [{ ...game, id: '668', name: `שלום${endOfIsolate}${override}`, bot_token: null }],
      users: [{ ...ada, id: '669', username: `eve${override}`, global_name: `Eve${override}` }],
      guilds: [{ id: '670', name: `Eves${override}`, owner_id: '669', applications: [] }],
    });
    const browser = new Browser();
    const url = service.authorizeUrl({ client_id: '668', scope: 'bot' });
    const asked = await browser.get(url);
    await browser.submit(asked, service.web, signIn, { user_id: '669' });
    const consent = await browser.get(url);
    for (const { text } of [asked, consent]) {
      expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      expect(text).toContain('&#x2068;שלום&#x2069;');
    }
    expect(consent.text).toContain('>Eves</option>');
  });

  it('escapes texts of applications and users', async () => {
    const hostile = `"><script>alert(1)</script>&'`;
    await service.addFixtures({
      applications: [{ ...game, id: '666', name: hostile, description: hostile, bot_token: null }],
      users: [{ ...ada, id: '667', username: hostile, global_name: hostile }],
    });
    const changes = { client_id: '666', state: hostile };
    const pages = [await new Browser().get(service.authorizeUrl(changes)), (await signedIn(changes, '667')).page];
    for (const { text } of pages) {
      expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;');
      expect(text).not.toContain('<script');
    }
  });

  it('in a translation links to itself in English, which the pages after it keep', async () => {
    const browser = new Browser({ 'accept-language': 'fr' });
    const page = await browser.get(service.authorizeUrl({ ui_locales: 'fr' }));
    expect(page.text).toContain('Cette traduction a été réalisée avec une aide automatique.');
    const [, link = ''] = /<a href="([^"]*)" lang="en"/.exec(page.text) ?? [];
    const english = await browser.get(service.web + link.replaceAll('&amp;', '&'));
    expect(english.text).toContain('Choose who you are');
    expect(english.text).not.toContain('<footer>');
    const answer = await browser.submit(english, service.web, signIn, { user_id: ada.id });
    const consent = await browser.get(new URL(answer.location ?? '', service.web).href);
    expect(consent.text).toContain('Let Starfall use your account?');
    const done = await browser.submit(consent, service.web, authorize, { decision: 'approve' });
    expect(new URL(done.location ?? '').searchParams.get('state')).toBe(soundRequest.state);
  });

  it('asks for what the service has, and says which scopes have no effect', async () => {
    const { page } = await signedIn({ scope: 'sdk.social_layer relationships.read rpc' }, ben.id);
    expect(page.text).toContain('Create, join and leave game lobbies for you');
    expect(page.text).toContain('Add and remove friends, and block users for you');
    expect(page.text).toContain('Starfall also asks for permissions that have no effect here: <code>rpc</code>');
  });

  it('lets any of very many users be named by id', async () => {
    const users = Array.from({ length: 30 }, (_, index) => ({
      id: `${1000 + index}`,
      username: `user-${1000 + index}`,
    }));
    await service.addFixtures({ users });
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    expect(page.text.match(/<button class="person"/g)).toHaveLength(24);
    expect(page.text).toContain('Another user');
    await browser.submit(page, service.web, signIn, { user_id: '1029' });
    expect((await browser.get(service.authorizeUrl())).text).toContain('@user-1029');
  });

  it('is in the journal, without its query', async () => {
    await new Browser().get(service.authorizeUrl());
    const entries = await service.log();
    expect(entries.at(-1)).toMatchObject({ kind: 'request', route: 'GET /oauth2/authorize', status: 200 });
    expect(JSON.stringify(entries)).not.toContain(soundRequest.state);
  });
});
