import { request } from 'node:http';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import { Authorizer, type AuthorizerPorts, lingerMs } from '../../../src/sdk/auth/authorizer.ts';
import { createAuthorizationCodeVerifier } from '../../../src/sdk/auth/code-verifier.ts';
import { Client } from '../../../src/sdk/client.ts';
import { silentLogger, systemEntropy } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

const baseUrl = 'https://auth.example';
const { challenge } = createAuthorizationCodeVerifier();
const clock = new VirtualClock(0);

function authorizer(
  openBrowser: AuthorizerPorts['openBrowser'],
  logger = silentLogger,
  redirectPage?: AuthorizerPorts['redirectPage'],
): Authorizer {
  return new Authorizer({ baseUrl, clock, entropy: systemEntropy, logger, openBrowser, redirectPage });
}

/** An authorization whose page "opens" without anybody doing anything there; gives the parameters it was asked with. */
async function asked(
  args = new AuthorizationArgs(),
  options = {},
  applicationId: string | undefined = '1',
  logger = silentLogger,
  redirectPage?: AuthorizerPorts['redirectPage'],
) {
  const opened = Promise.withResolvers<URL>();
  const one = authorizer(url => opened.resolve(new URL(url)), logger, redirectPage);
  const grant = one.authorize(args, applicationId, options);
  grant.catch(() => {});
  const page = await Promise.race([opened.promise, grant.then(() => Promise.reject(new Error('It opened no page.')))]);
  const parameters = Object.fromEntries(page.searchParams);
  return { one, grant, page, parameters, redirectUri: parameters.redirect_uri ?? '', state: parameters.state ?? '' };
}

/** A raw request, because fetch sets no Host. */
function get(
  address: string,
  { method = 'GET', host, language }: { method?: string; host?: string; language?: string } = {},
) {
  const headers = { ...(host && { host }), ...(language && { 'accept-language': language }) };
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const outgoing = request(address, { method, headers }, response => {
      let body = '';
      response.on('data', chunk => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on('error', reject).end();
  });
}

describe('authorize: the page that asks', () => {
  it('contains the arguments', async () => {
    const args = new AuthorizationArgs({ clientId: 7n, scopes: 'openid identify', state: 's', nonce: 'n' })
      .setCodeChallenge(challenge)
      .setIntegrationType(0);
    const { one, page, parameters } = await asked(args);
    one.abort();
    expect(page.href.split('?', 1)[0]).toBe(`${baseUrl}/oauth2/authorize`);
    expect(page.search).toContain('scope=openid%20identify');
    expect(parameters).toMatchObject({
      client_id: '7',
      response_type: 'code',
      scope: 'openid identify',
      state: 's',
      nonce: 'n',
      code_challenge: challenge.challenge,
      code_challenge_method: 'S256',
      integration_type: '0',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+\/callback$/),
    });
  });

  it('contains the client’s application id and a new state by default', async () => {
    const [first, second] = [await asked(), await asked()];
    first.one.abort();
    second.one.abort();
    expect(first.parameters).toMatchObject({ client_id: '1', scope: 'openid sdk.social_layer' });
    expect(first.state).toMatch(/^[\w-]{43}$/);
    expect(first.state).not.toBe(second.state);
    expect(first.parameters).not.toHaveProperty('nonce');
    expect(first.parameters).not.toHaveProperty('code_challenge_method');
  });

  it.each([
    [{ customSchemeParam: 'My-Game' }, {}, 'my-game:/authorize/callback'],
    [{}, { redirect: 'custom-scheme' }, 'discord-1:/authorize/callback'],
    [{ clientId: '2' }, { redirect: 'custom-scheme' }, 'discord-2:/authorize/callback'],
  ])('names the redirect of a custom scheme for %j and %j: %s', async (fields, options, redirectUri) => {
    const { one, parameters } = await asked(new AuthorizationArgs({ ...fields, codeChallenge: challenge }), options);
    one.abort();
    expect(parameters.redirect_uri).toBe(redirectUri);
  });
});

describe('authorize: rejected before a page is opened', () => {
  const refused = (args: AuthorizationArgs, applicationId?: string, options = {}) =>
    expect(authorizer(() => expect.unreachable()).authorize(args, applicationId, options)).rejects;

  it('rejects invalid arguments, with every issue', async () => {
    await refused(new AuthorizationArgs({ scopes: '', state: '' }), '1').toMatchObject({
      name: 'ValidationError',
      issues: [{ path: ['scopes'] }, { path: ['state'] }],
    });
  });

  it.each([
    [{}, { redirect: 'custom-scheme' }],
    [{ customSchemeParam: 'my-game' }, {}],
  ] as const)('rejects a custom scheme without a challenge: %j and %j', async (fields, options) => {
    await refused(new AuthorizationArgs(fields), '1', options).toMatchObject({
      issues: [{ path: ['codeChallenge'], code: 'BASE_TYPE_REQUIRED' }],
    });
  });

  it('rejects a redirect that it does not know', async () => {
    const args = new AuthorizationArgs({ codeChallenge: challenge });
    for (const redirect of ['bogus', '', 5]) {
      await refused(args, '1', { redirect }).toMatchObject({ name: 'ArgumentError', code: 'invalid_argument' });
    }
  });

  it('rejects without an application id', async () => {
    await refused(new AuthorizationArgs()).toMatchObject({ name: 'ArgumentError', code: 'missing_application_id' });
  });

  it('rejects when it is already aborted', async () => {
    await refused(new AuthorizationArgs(), '1', { signal: AbortSignal.abort() }).toMatchObject({ code: 'aborted' });
  });

  it('rejects a second authorization while one is in progress, and accepts one after it', async () => {
    const { one, grant, redirectUri, state } = await asked();
    await expect(one.authorize(new AuthorizationArgs(), '1', {})).rejects.toMatchObject({
      code: 'authorization_in_progress',
    });
    await get(`${redirectUri}?code=c&state=${state}`);
    await grant;
    const next = one.authorize(new AuthorizationArgs(), '1', { signal: AbortSignal.timeout(0) });
    await expect(next).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('the page after a loopback redirect', () => {
  async function page(
    redirectPage: AuthorizerPorts['redirectPage'],
    { language, query = 'code=c' }: { language?: string; query?: string } = {},
  ): Promise<string> {
    const { redirectUri, state, one } = await asked(undefined, {}, '1', silentLogger, redirectPage);
    const { body } = await get(`${redirectUri}?${query}&state=${state}`, language ? { language } : {});
    one.abort();
    return body;
  }

  it.each([
    [undefined, 'en', 'You are signed in'],
    ['sv', 'en', 'You are signed in'],
    ['de-AT,en;q=0.5', 'de', 'Du bist angemeldet'],
    ['es', 'es-ES', 'Has iniciado sesión'],
    ['fr', 'fr', 'Connexion réussie'],
    ['pt', 'pt-BR', 'Login concluído'],
    ['ja', 'ja', 'サインインしました'],
  ])('for a browser that prefers %j is in %s', async (language, lang, title) => {
    const body = await page(undefined, language === undefined ? {} : { language });
    expect(body).toContain(`<html lang="${lang}">`);
    expect(body).toContain(`>${title}</h1>`);
    expect(body).toContain('@media (prefers-color-scheme: dark)');
  });

  it('names the game, whatever the outcome', async () => {
    for (const query of ['code=c', 'error=access_denied', 'error=x&code=c&code=d']) {
      expect(await page({ gameName: 'Star & <b>fall</b>' }, { query })).toContain('Star &amp; &lt;b&gt;fall&lt;/b&gt;');
    }
  });

  it('shows the game’s own title and text, escaped, for the outcome that they are given for', async () => {
    const redirectPage = {
      granted: { title: 'Welcome <back>', text: 'On we go.' },
      rejected: { title: 'Later', text: '"Later" & more' },
    };
    const granted = await page(redirectPage, { language: 'de' });
    expect(granted).toContain('Welcome &lt;back&gt;</h1>');
    expect(granted).toContain('On we go.</p>');
    expect(granted).not.toContain('lang=');
    expect(await page(redirectPage, { query: 'error=access_denied' })).toContain('&quot;Later&quot; &amp; more</p>');
    expect(await page(redirectPage, { query: 'code=c&code=d' })).toContain('This link is not valid');
  });

  it('is the game’s own document as it is given', async () => {
    const html = '<!doctype html><title>Mine</title><p>Back to the stars.';
    expect(await page({ granted: { html } })).toBe(html);
    expect(await page({ granted: { html } }, { query: 'error=access_denied' })).toContain('You are not signed in');
  });

  it('is rejected with invalid_argument when one of its texts is empty, no text, or longer than 64 KiB in UTF-8', () => {
    const open = (redirectPage: unknown) => () => new Client({ baseUrl, redirectPage: redirectPage as object });
    const longest = 'é'.repeat(32 * 1024);
    const content = { title: longest, text: longest };
    expect(open({ gameName: longest, granted: { html: longest }, rejected: content })).not.toThrow();
    const wrong = [
      ...['', 5, null, `${longest}x`].flatMap(text => [{ gameName: text }, { granted: { html: text } }]),
      ...[
        { granted: { title: 'x' } },
        { rejected: { title: 'x', text: `${longest}x` } },
        { granted: {} },
        { granted: null },
        { rejected: 'x' },
        'x',
        null,
      ],
    ];
    for (const redirectPage of wrong) {
      expect(open(redirectPage), JSON.stringify(redirectPage).slice(0, 60)).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    }
  });
});

describe('authorize: the loopback redirect', () => {
  it('resolves with the code, the redirect address, the nonce and the application, and shows the player a page to return to the game', async () => {
    const { grant, redirectUri, state } = await asked(new AuthorizationArgs({ nonce: 'n' }));
    const page = await get(`${redirectUri}?code=the-code&state=${state}&iss=${encodeURIComponent(baseUrl)}`);
    expect(await grant).toEqual({ code: 'the-code', redirectUri, nonce: 'n', clientId: '1' });
    expect(page.status).toBe(200);
    expect(page.body).toContain('go back to the game');
    expect(page.body).not.toContain('the-code');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      connection: 'close',
    });
  });

  it('rejects with the server’s error when the player declines', async () => {
    const { grant, redirectUri, state } = await asked();
    const page = await get(`${redirectUri}?error=access_denied&error_description=No&state=${state}`);
    expect(page.status).toBe(200);
    await expect(grant).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied', message: 'No' });
  });

  it('rejects foreign, stale and misdirected requests, and keeps waiting', async () => {
    const { grant, redirectUri, state } = await asked();
    const good = `${redirectUri}?code=c&state=${state}`;
    const port = new URL(redirectUri).port;
    expect((await get(`${redirectUri}?code=evil&state=x`)).status).toBe(400);
    expect((await get(`${redirectUri}?error=access_denied`)).status).toBe(400);
    expect((await get(`${redirectUri}?code=evil&state=x&iss=https://evil.example`)).status).toBe(400);
    expect((await get(good.replace('/callback', '/'))).status).toBe(404);
    expect((await get(good.replace('/callback', '/callback/x'))).status).toBe(404);
    expect(await get(good, { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    expect((await get(good, { method: 'HEAD' })).status).toBe(405);
    expect((await get(good, { host: 'evil.example' })).status).toBe(421);
    expect((await get(good, { host: `localhost:${port}` })).status).toBe(421);
    expect((await get(good, { host: '127.0.0.1' })).status).toBe(421);
    expect((await get(good)).status).toBe(200);
    expect((await grant).code).toBe('c');
  });

  it('rejects immediately when another service answers, and names both; the page says it in general terms', async () => {
    const { grant, redirectUri, state } = await asked();
    const page = await get(`${redirectUri}?code=the-code&state=${state}&iss=http://localhost:1`);
    expect(page.status).toBe(400);
    expect(page.body).toContain('baseUrl');
    expect(page.body).not.toContain('localhost');
    const message = expect.stringContaining(`http://localhost:1, but baseUrl is ${baseUrl}.`);
    await expect(grant).rejects.toMatchObject({ name: 'OAuthError', code: 'wrong_issuer', message });
  });

  it('ignores connections that do not speak HTTP', async () => {
    const { grant, redirectUri, state } = await asked();
    const socket = connect(Number(new URL(redirectUri).port), '127.0.0.1');
    await new Promise(resolve => socket.once('connect', resolve));
    socket.write('\u0000\u0001\u0002 nonsense\r\n\r\n');
    await new Promise(resolve => socket.once('close', resolve).resume());
    await get(`${redirectUri}?code=c&state=${state}`);
    expect((await grant).code).toBe('c');
  });

  it('answers the browser although another program holds many silent connections, of which it keeps 16', async () => {
    const { grant, redirectUri, state } = await asked();
    const silent = Array.from({ length: 40 }, () => connect(Number(new URL(redirectUri).port), '127.0.0.1').resume());
    const closed = silent.slice(0, 24).map(socket => new Promise(resolve => socket.once('close', resolve)));
    await Promise.all(closed);
    expect(silent.slice(24).some(socket => socket.closed)).toBe(false);
    const page = await get(`${redirectUri}?code=c&state=${state}`);
    expect([page.status, (await grant).code]).toEqual([200, 'c']);
  });

  it('uses the first of two answers', async () => {
    const { grant, redirectUri, state } = await asked();
    await Promise.allSettled([
      get(`${redirectUri}?code=1st&state=${state}`),
      get(`${redirectUri}?code=2nd&state=${state}`),
    ]);
    expect((await grant).code).toBe('1st');
  });

  it.each([
    ['granted', 'code=c'],
    ['denied', 'error=access_denied'],
  ])('shows the same page to a reload for half a minute, and stops listening then: %s', async (_, answer) => {
    const { grant, redirectUri, state } = await asked();
    const address = `${redirectUri}?${answer}&state=${state}`;
    const pages = [await get(address), await get(address)];
    const ended = await grant.catch((error: unknown) => error);
    await clock.advance(lingerMs - 1);
    pages.push(await get(address));
    expect(new Set(pages.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(await grant.catch((error: unknown) => error)).toBe(ended);
    await clock.advance(1);
    await expect(get(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('shows the first outcome for whatever redirect follows, and that of a foreign one for those', async () => {
    const { one, grant, redirectUri, state } = await asked();
    const first = await get(`${redirectUri}?code=1st&state=${state}`);
    expect((await get(`${redirectUri}?error=access_denied&state=${state}`)).body).toBe(first.body);
    expect((await get(`${redirectUri}?code=1st&state=x`)).status).toBe(400);
    expect((await get(`${redirectUri}?code=1st`)).status).toBe(400);
    expect((await grant).code).toBe('1st');
    expect(one.handleRedirect(`${redirectUri}?code=1st&state=${state}`)).toBe(false);
  });

  it('stops listening when the client closes', async () => {
    const { one, grant, redirectUri, state } = await asked();
    await get(`${redirectUri}?code=c&state=${state}`);
    await grant;
    one.close();
    await expect(get(redirectUri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('can ask again while the port of the last answer is open', async () => {
    const { one, grant, redirectUri, state } = await asked();
    await get(`${redirectUri}?code=c&state=${state}`);
    await grant;
    const next = one.authorize(new AuthorizationArgs(), '1', {});
    one.abort();
    await expect(next).rejects.toMatchObject({ code: 'aborted' });
    one.close();
  });

  it('stops listening when it is aborted, or fails', async () => {
    const abort = new AbortController();
    const aborted = await asked(new AuthorizationArgs(), { signal: abort.signal });
    abort.abort();
    await expect(aborted.grant).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await expect(get(aborted.redirectUri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes although a browser holds idle connections open', async () => {
    const { grant, redirectUri, state } = await asked();
    const idle = connect(Number(new URL(redirectUri).port), '127.0.0.1');
    await new Promise(resolve => idle.once('connect', resolve));
    const closed = new Promise(resolve => idle.once('close', resolve).resume());
    await get(`${redirectUri}?code=c&state=${state}`);
    await grant;
    await clock.advance(lingerMs);
    await closed;
    expect(idle.destroyed).toBe(true);
  });
});

describe('authorize: the custom-scheme redirect', () => {
  const start = () => asked(new AuthorizationArgs({ codeChallenge: challenge }), { redirect: 'custom-scheme' });

  it('resolves with the address that is passed to handleRedirect()', async () => {
    const { one, grant, redirectUri, state } = await start();
    expect(one.handleRedirect(`${redirectUri}?code=c&state=${state}`)).toBe(true);
    expect(await grant).toEqual({ code: 'c', redirectUri, clientId: '1' });
  });

  it('rejects foreign addresses, and every address while no authorization waits', async () => {
    const { one, grant, redirectUri, state } = await start();
    for (const address of [
      '',
      'no address',
      `${redirectUri}?code=c&state=x`,
      `other:/authorize/callback?code=c&state=${state}`,
    ]) {
      expect(one.handleRedirect(address)).toBe(false);
    }
    const good = `${redirectUri}?code=c&state=${state}`;
    expect(one.handleRedirect(good)).toBe(true);
    await grant;
    expect(one.handleRedirect(good)).toBe(false);
  });
});

describe('authorize: the browser', () => {
  it('rejects when the page cannot be opened, without repeating its address', async () => {
    const failing = authorizer(async url => {
      throw new Error(`cannot open ${url}`);
    });
    const error = await failing.authorize(new AuthorizationArgs({ state: 'secret' }), '1', {}).catch(caught => caught);
    expect(error).toMatchObject({ name: 'TransportError', code: 'browser_unavailable' });
    expect(error.message).toContain(`${baseUrl}/oauth2/authorize.`);
    expect(error.cause.message).toBe(`cannot open ${baseUrl}/oauth2/authorize`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it('rejects when the opener throws synchronously', async () => {
    const failing = authorizer(() => {
      throw new Error('no browser here');
    });
    await expect(failing.authorize(new AuthorizationArgs(), '1', {})).rejects.toMatchObject({
      code: 'browser_unavailable',
    });
  });

  it('does not wait for an opener that never ends', async () => {
    const opened = Promise.withResolvers<string>();
    const one = authorizer(url => {
      opened.resolve(url);
      return new Promise(() => {});
    });
    const grant = one.authorize(new AuthorizationArgs(), '1', {});
    const { searchParams } = new URL(await opened.promise);
    await get(`${searchParams.get('redirect_uri')}?code=c&state=${searchParams.get('state')}`);
    expect((await grant).code).toBe('c');
  });
});
