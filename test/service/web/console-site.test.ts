import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../../src/service/index.ts';
import { isConsoleBuilt, registerConsole } from '../../../src/service/web/console-site.ts';

/** The console's pages over a folder with these files. */
function open(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-console-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const site = fastify();
  registerConsole(site, folder);
  onTestFinished(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, get: (url: string, headers = {}) => site.inject({ url, headers }) };
}

const script = 'console.log("a script");'.repeat(200);
const built = { 'index.html': '<!doctype html><title>Console</title>', 'main-AB12.js': script, 'secret.key': 'x' };

describe('the files of the console', () => {
  it('are served with a policy under which nothing comes from elsewhere or goes elsewhere', async () => {
    const { get } = open(built);
    for (const path of ['/console', '/console/']) {
      const page = await get(path);
      expect(page).toMatchObject({ statusCode: 200, body: built['index.html'] });
      expect(page.headers).toMatchObject({
        ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', 'x-frame-options': 'DENY' },
        ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
        ...{ 'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin' },
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      });
    }
  });

  it('are compressed for clients that accept that, and cached where their names change with their content', async () => {
    const { get } = open(built);
    const whole = await get('/console/main-AB12.js');
    expect(whole).toMatchObject({ statusCode: 200, body: script });
    expect(whole.headers).toMatchObject({
      ...{ 'content-type': 'text/javascript; charset=utf-8', vary: 'accept-encoding' },
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const zipped = await get('/console/main-AB12.js', { 'accept-encoding': 'br, gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.rawPayload.length).toBeLessThan(script.length / 10);
    const again = await get('/console/main-AB12.js', { 'if-none-match': whole.headers.etag });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
  });

  it.each([
    ['identity', 'gzip;q=0'],
    ['identity', 'br, gzip; q=0.000'],
    ['identity', 'x-not-gzip'],
    ['gzip', 'GZIP;q=0.5'],
  ])('are sent with the coding %s to a client that accepts %j', async (coding, accepted) => {
    const { headers } = await open(built).get('/console/main-AB12.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding'] ?? 'identity').toBe(coding);
  });

  it('are unchanged by one of several tags, also where a proxy changed it, and have a weak one of their own', async () => {
    const { get } = open(built);
    const tag = String((await get('/console/main-AB12.js')).headers.etag);
    // The compressed content has the same tag, which a strong one must not be.
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    for (const known of [`"other", ${tag}`, tag.slice(2), '*']) {
      expect((await get('/console/main-AB12.js', { 'if-none-match': known })).statusCode).toBe(304);
    }
    expect((await get('/console/main-AB12.js', { 'if-none-match': 'W/"other"' })).statusCode).toBe(200);
  });

  it.each(['..%2fpackage.json', '%2e%2e/x', 'nothing.js', 'secret.key', 'main-AB12.js%00', 'a/b.js'])(
    'are those of the folder and no others: /console/%s is not found',
    async name => {
      const { get } = open(built);
      const { statusCode, body } = await get(`/console/${name}`);
      expect(statusCode).toBe(404);
      expect(body).not.toContain('"name"');
    },
  );

  it('are missing where they were not built, and the page says how to build them', async () => {
    const { get, folder } = open({});
    const page = await get('/console');
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('npm run build');
    expect(isConsoleBuilt(folder)).toBe(false);
  });
});

describe('the address of the console', () => {
  const browser = { accept: 'text/html' };

  it('is in the ready line with the control token in its fragment, which browsers do not send', async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const { consoleUrl = '', controlToken, readyLine, webBase } = service;
    expect(readyLine.console_url).toBe(consoleUrl);
    const url = new URL(consoleUrl);
    expect(url.origin + url.pathname).toBe(`${webBase}/console`);
    expect(url.hash).toBe(`#token=${controlToken}`);
    const page = await fetch(consoleUrl);
    expect([200, 404]).toContain(page.status);
    const root = await (await fetch(webBase, { headers: browser })).text();
    expect(root.includes('href="/console"')).toBe(isConsoleBuilt());
  });

  it('answers no other name than those of the service, so that no page can rebind one', async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const { request } = await import('node:http');
    const status = await new Promise(resolve => {
      const asked = request(`${service.webBase}/console`, { headers: { host: 'evil.example' } }, answer => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.end();
    });
    expect(status).toBe(421);
  });

  it.each([
    ['the console is turned off', { console: false }],
    ['people sign in by password', { signIn: 'password' }],
    ['it has a public URL', { publicUrl: 'https://play.example' }],
  ] as const)('is nowhere when %s', async (_why, options) => {
    const service = await startService(options);
    onTestFinished(() => service.close());
    expect(service.consoleUrl).toBeUndefined();
    expect(service.readyLine).not.toHaveProperty('console_url');
    const own = service.controlBase.replace(/\/control$/, '');
    expect(await (await fetch(`${own}/console`)).json()).toEqual({ message: '404: Not Found', code: 0 });
  });

  it('is where the service listens when a public service asks for it by name', async () => {
    const service = await startService({ signIn: 'password', publicUrl: 'https://play.example', console: true });
    onTestFinished(() => service.close());
    expect(service.consoleUrl).toBe(service.controlBase.replace('/control', `/console#token=${service.controlToken}`));
  });
});
