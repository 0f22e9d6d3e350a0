import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { botHeaders, starfall } from '../../support/service/starfall.ts';
import { type RawAnswer, sendRaw } from './raw.ts';

const bot = `Authorization: ${botHeaders.authorization}`;

/** Where one can ask: the API, the pages, control, what there is not, and the gateway. */
const targets = [
  'GET /api/v10/users/@me',
  'GET /oauth2/authorize',
  'GET /.well-known/openid-configuration',
  'GET /control/clock',
  'POST /control/reset',
  'GET /nothing',
  'GET /gateway/?v=10&encoding=json',
] as const;

function ask(service: Service, target: string, host: string | undefined, ...fields: string[]): Promise<RawAnswer> {
  const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const isUpgrade = target.startsWith('GET /gateway');
  const lines = [
    `${target} HTTP/1.1`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    `Connection: ${isUpgrade ? 'Upgrade' : 'close'}`,
    ...(isUpgrade ? upgrade : []),
    ...fields,
  ];
  return sendRaw(service, `${lines.join('\r\n')}\r\n\r\n`);
}

async function start(options: ServiceOptions = {}): Promise<Service> {
  return startService({ fixtures: starfall, limits: 'off', ...options });
}

describe('a request for another host', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.close());

  it.each(targets)('is answered 421 at %s', async target => {
    const { status, body } = await ask(service, target, 'evil.example', bot);
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 421, code: 0 });
  });

  it.each([
    ['evil.example', 'a name'],
    ['evil.example:8910', 'a name with a port'],
    ['127.0.0.1.evil.example', 'a name that begins like ours'],
    ['localhost.evil.example', 'as above'],
    ['evil-localhost', 'a name that ends like ours'],
    ['10.0.0.1', 'another address'],
    ['0.0.0.0', 'no address in particular'],
    ['[fd00::1]', 'another address of IPv6'],
    ['', 'nothing'],
  ])('is one for %j (%s)', async host => {
    expect((await ask(service, 'GET /api/v10/gateway', host)).status).toBe(421);
  });

  it.each([
    '127.0.0.1',
    '127.0.0.1:1',
    '127.8.9.10:80',
    'localhost',
    'LOCALHOST:8910',
    'localhost.',
    '[::1]',
    '[::1]:8910',
  ])('is none for %s', async host => {
    expect((await ask(service, 'GET /api/v10/gateway', host)).status).toBe(200);
  });

  it.each(['/api/v10/gateway', '/oauth2/authorize', '/control/clock', '/metrics', '/gateway/?v=10&encoding=json'])(
    'is one by the host in its target, if there is one: %s',
    async path => {
      const ofTarget = await ask(service, `GET http://evil.example${path}`, '127.0.0.1');
      const ofHeader = await ask(service, `GET http://127.0.0.1:1${path}`, 'evil.example');
      expect([ofTarget.status, ofHeader.status === 421]).toEqual([421, false]);
    },
  );

  it('is none for a whole URL without a path, or of an endpoint for operators', async () => {
    const root = await ask(service, 'GET http://localhost', 'evil.example', 'Accept: text/html');
    const health = await ask(service, 'GET http://localhost/healthz?x', 'evil.example');
    expect([root.status, health.status]).toEqual([200, 200]);
  });

  it.each([
    'http://evil.example@127.0.0.1/api/v10/gateway',
    'http:///api/v10/gateway',
    '//evil.example/api/v10/gateway',
  ])('is none that is served at %s', async target => {
    expect((await ask(service, `GET ${target}`, '127.0.0.1')).status).not.toBe(200);
  });

  it('is one that names none', async () => {
    expect((await sendRaw(service, 'GET /api/v10/gateway HTTP/1.0\r\n\r\n')).status).toBe(421);
  });

  it('is logged once for each name', async () => {
    const warned: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: unknown) => warned.push(fields) };
    const other = await start({ log });
    for (const host of ['a.example', 'a.example', 'b.example']) await ask(other, 'GET /api/v10/gateway', host);
    expect(warned).toEqual([{ host: 'a.example' }, { host: 'b.example' }]);
    await other.close();
  });
});

describe('a request whose header is no host', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.close());

  it.each([
    ['evil.example@127.0.0.1', 'a user and ours'],
    ['evil.example#127.0.0.1', 'a fragment'],
    ['evil.example/127.0.0.1', 'a path'],
    ['::1', 'an address without brackets'],
    ['[::1', 'half an address'],
    ['127.0.0.1:80:80', 'two ports'],
    ['127.0.0.1:http', 'a port without a number'],
    ['127.0.0.1 evil.example', 'two names'],
    ['http://127.0.0.1', 'a whole URL'],
  ])('is answered 400: %j (%s)', async host => {
    for (const target of ['GET /api/v10/gateway', 'GET /gateway/?v=10&encoding=json']) {
      expect([target, (await ask(service, target, host)).status]).toEqual([target, 400]);
    }
  });

  it('or that has none, is answered 400 at the gateway as well', async () => {
    expect((await ask(service, 'GET /gateway/?v=10&encoding=json', undefined)).status).toBe(400);
  });
});

describe('a request that repeats a header which has one value', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.close());

  const places = [
    'GET /api/v10/gateway',
    'GET /oauth2/authorize',
    'POST /control/reset',
    'GET /metrics',
    'GET /gateway/?v=10',
  ];

  it.each([
    ['hOST: evil.example'],
    ['hOST: 127.0.0.1'],
    [bot, 'authorization: Bot another'],
    [bot, bot],
    ['Content-Type: application/json', 'content-TYPE: text/plain'],
  ])('is answered 400: %s', async (...fields) => {
    for (const target of places) {
      const { status, body } = await ask(service, target, '127.0.0.1', ...fields);
      expect([target, status, JSON.parse(body).message]).toEqual([target, 400, '400: Bad Request']);
    }
  });

  it('is another one than a request that repeats a header of lists', async () => {
    const lists = ['Accept: text/html', 'Accept: */*', 'Prefer: a', 'prefer: b', 'X-Type-Of-It: 1', 'x-type-of-it: 2'];
    expect((await ask(service, 'GET /api/v10/gateway', '127.0.0.1', bot, ...lists)).status).toBe(200);
  });
});

describe('a service goes by', () => {
  it('the host of its public URL, and no other', async () => {
    const service = await start({ publicUrl: 'https://play.example' });
    for (const [host, status] of [
      ['play.example', 200],
      ['play.example:443', 200],
      ['PLAY.example.', 200],
      ['127.0.0.1', 200],
      ['example', 421],
      ['x.play.example', 421],
    ] as const) {
      expect([host, (await ask(service, 'GET /api/v10/gateway', host)).status]).toEqual([host, status]);
    }
    await service.close();
  });

  it('the address it listens on; on all of them, by the one that was connected to', async () => {
    const service = await start({ host: '127.0.0.2', allowPublicDeveloperSignIn: true });
    expect((await ask(service, 'GET /api/v10/gateway', '127.0.0.2')).status).toBe(200);
    await service.close();
    const open = await start({ host: '0.0.0.0', signIn: 'password' });
    for (const [host, status] of [
      ['0.0.0.0', 200],
      ['127.0.0.1', 200],
      ['10.1.2.3', 421],
      ['evil.example', 421],
    ] as const) {
      expect([host, (await ask(open, 'GET /api/v10/gateway', host)).status]).toEqual([host, status]);
    }
    await open.close();
  });

  it('names that the option lists', async () => {
    const service = await start({ allowedHosts: ['rallypoint.internal', '10.1.2.3', '[fd00::1]'] });
    for (const host of ['rallypoint.internal', 'rallypoint.internal:80', '10.1.2.3:8910', '[fd00::1]:8910']) {
      expect((await ask(service, 'GET /api/v10/gateway', host)).status).toBe(200);
    }
    expect((await ask(service, 'GET /api/v10/gateway', 'evil.example')).status).toBe(421);
    await service.close();
  });

  it.each(['', 'a b', 'a/b', 'a:80', '10.1.2.3:80', '[fd00::1]:80', 'a@b'])('no such name as %j', async name => {
    await expect(start({ allowedHosts: [name] })).rejects.toMatchObject({ code: 'invalid_allowed_host' });
  });
});

describe('a form from a page of another origin', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start({ publicUrl: 'https://play.example' });
  });
  afterAll(() => service.close());

  const form = 'application/x-www-form-urlencoded';
  const post = (path: string, origin: string, type = form, ...fields: string[]) =>
    ask(
      service,
      `POST ${path}`,
      '127.0.0.1:8910',
      `Origin: ${origin}`,
      `Content-Type: ${type}`,
      'Content-Length: 0',
      ...fields,
    );

  it.each([
    '/oauth2/sign-in?client_id=1',
    '/oauth2/authorize?client_id=1',
    '/oauth2/sign-out',
    '/activate',
    '/api/v10/oauth2/token',
    '/api/v10/oauth2/token/revoke',
    '/api/v10/interactions/1/x/callback',
    '/control/reset',
  ])('is refused at %s', async path => {
    for (const type of [form, 'multipart/form-data; boundary=x', 'text/plain', `${form}; charset=utf-8`]) {
      const { status, body } = await post(path, 'http://evil.example', type);
      expect([status, JSON.parse(body).code]).toEqual([403, 0]);
    }
  });

  it.each([
    'http://evil.example',
    'http://127.0.0.1:3000',
    'http://localhost:8910',
    'https://play.example.evil',
    'https://x.play.example',
    'http://play.example:1',
    'null',
    'file://',
    'chrome-extension://abcdef',
    'nonsense',
  ])('is one from %s', async origin => {
    expect((await post('/api/v10/oauth2/token', origin)).status).toBe(403);
  });

  it.each(['http://127.0.0.1:8910', 'https://play.example'])('is none from %s', async origin => {
    expect((await post('/api/v10/oauth2/token', origin)).status).toBe(400);
  });

  it('is none from our own page where its browser keeps the origin to itself', async () => {
    expect((await post('/api/v10/oauth2/token', 'null', form, 'Sec-Fetch-Site: same-origin')).status).toBe(400);
    expect((await post('/api/v10/oauth2/token', 'null', form, 'Sec-Fetch-Site: cross-site')).status).toBe(403);
  });

  it('is no JSON, which browsers ask leave for', async () => {
    expect((await post('/api/v10/lobbies', 'http://evil.example', 'application/json', bot)).status).toBe(400);
    const asked = await ask(service, 'OPTIONS /api/v10/lobbies', '127.0.0.1', 'Origin: http://evil.example');
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });
});
