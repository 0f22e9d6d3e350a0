import { afterEach, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { type Entropy, type LogFields, type Logger, systemEntropy } from '../../../src/wire/clock/ports.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';
import { playerToken } from '../../support/service/tokens.ts';
import { head, sendRaw } from '../http/raw.ts';

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(service => service.close())));

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  running.push(service);
  return service;
}

const generated = /^[0-9a-f]{16}$/;
const idOf = async (service: Service, target: string, ...fields: string[]) =>
  (await sendRaw(service, head('GET', target, ...fields))).headers['x-request-id'];

describe('the id of a request', () => {
  it.each([
    '/api/v10/gateway',
    '/api/v10/users/@me',
    '/api/v10/nothing',
    '/api/v10/%',
    '/oauth2/authorize',
    '/control/clock',
    '/nothing',
    '/healthz',
    '/metrics',
  ])('comes with the answer of %s, and is another each time', async target => {
    const service = await start();
    const ids = [await idOf(service, target), await idOf(service, target)];
    for (const id of ids) expect(id).toMatch(generated);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('comes with the rejection of a foreign host too, and at the port for operators', async () => {
    const service = await start({ opsPort: 0 });
    const foreign = await sendRaw(service, head('GET', '/').replace('127.0.0.1', 'evil.example'));
    expect(foreign).toMatchObject({ status: 421, headers: { 'x-request-id': expect.stringMatching(generated) } });
    expect((await fetch(`${service.opsBase}/healthz`)).headers.get('x-request-id')).toMatch(generated);
  });

  it.each(['abc-123', 'Root=1-67891233-abcdef012345678912345678', 'a'.repeat(128)])(
    'is %s when a trusted proxy says so',
    async id => {
      const service = await start({ trustedProxies: ['127.0.0.1'] });
      expect(await idOf(service, '/api/v10/gateway', `X-Request-Id: ${id}`)).toBe(id);
      expect(await idOf(service, '/nothing', `X-Request-Id: ${id}`)).toBe(id);
    },
  );

  it.each(['', 'two words', 'a"b', 'a{b', 'é', 'a'.repeat(129)])(
    'is a new one where a trusted proxy says %j, which is no id',
    async id => {
      const service = await start({ trustedProxies: ['127.0.0.1'] });
      expect(await idOf(service, '/api/v10/gateway', `X-Request-Id: ${id}`)).toMatch(generated);
    },
  );

  it('is a new one whatever anybody else says', async () => {
    const direct = await start();
    expect(await idOf(direct, '/api/v10/gateway', 'X-Request-Id: abc-123')).toMatch(generated);
    const behind = await start({ trustedProxies: ['10.0.0.1'] });
    expect(await idOf(behind, '/api/v10/gateway', 'X-Request-Id: abc-123')).toMatch(generated);
  });

  it('is in the control log', async () => {
    const service = await start();
    const { headers } = await callApi(service, 'GET', '/users/@me');
    const log = await fetch(`${service.controlBase}/log`, {
      headers: { authorization: `Bearer ${service.controlToken}` },
    });
    const { entries } = (await log.json()) as { entries: readonly LogFields[] };
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'request', request_id: headers.get('x-request-id') }),
    );
  });

  it('is in the log line of a request that fails because of an internal error', async () => {
    const { log, lines } = collect();
    let isBroken = false;
    const entropy: Entropy = {
      bytes(count) {
        // Not while the id of the request is drawn.
        if (isBroken && count > 8) throw new Error('There is no randomness.');
        return systemEntropy.bytes(count);
      },
    };
    const service = await start({ log, entropy });
    isBroken = true;
    const failed = [
      await fetch(`${service.apiBase}/v10/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${starfall.applications[0].id}:starfall-client-secret`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' }),
      }),
      await fetch(`${service.controlBase}/users/${starfall.users[0].id}/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.controlToken}` },
      }),
    ];
    isBroken = false;
    expect(failed.map(({ status }) => status)).toEqual([500, 500]);
    const errors = lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(errors.map(({ request_id }) => request_id)).toEqual(
      failed.map(({ headers }) => headers.get('x-request-id')),
    );
    for (const { error } of errors) expect(error).toMatchObject({ message: 'There is no randomness.' });
  });
});

interface Line {
  readonly level: keyof Logger;
  readonly fields: LogFields;
}

function collect(): { log: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: keyof Logger) => (fields: LogFields) => void lines.push({ level, fields });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

describe('the request log', () => {
  it('has a line for every answer, with templates instead of paths, and no secret', async () => {
    const { log, lines } = collect();
    const service = await start({ log, logRequests: true });
    const token = await playerToken(service, starfall.users[0].id);
    const { headers } = await callApi(service, 'GET', '/users/@me?secret=hidden', undefined, {
      authorization: `Bearer ${token}`,
    });
    await callApi(service, 'POST', '/lobbies', {});
    await callApi(service, 'POST', '/interactions/123/hidden-token/callback', { type: 4 });
    await fetch(`${service.webBase}/oauth2/authorize?client_id=1&state=hidden`);
    await fetch(`${service.webBase}/nothing/hidden`, { headers: botHeaders });
    await fetch(`${service.webBase}/healthz`);
    await service.close();

    const logged = lines.map(({ fields }) => fields).filter(fields => 'duration_ms' in fields);
    expect(logged).toContainEqual({
      request_id: headers.get('x-request-id'),
      method: 'GET',
      route: '/api/v10/users/@me',
      status: 200,
      duration_ms: expect.any(Number),
      bytes: Number(headers.get('content-length')),
      address: '127.0.0.1',
      application_id: starfall.applications[0].id,
      user_id: starfall.users[0].id,
    });
    expect(logged).toContainEqual(expect.objectContaining({ route: '/api/v10/lobbies', status: 201 }));
    expect(logged).toContainEqual(
      expect.objectContaining({ route: '/api/v10/interactions/{interaction_id}/{interaction_token}/callback' }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ route: '/oauth2/authorize' }));
    expect(logged).toContainEqual(expect.objectContaining({ route: '/control/consent', status: 200 }));
    expect(logged).toContainEqual(expect.objectContaining({ route: '/healthz', status: 200 }));
    expect(logged).toContainEqual(expect.objectContaining({ route: 'other', status: 404 }));
    expect(JSON.stringify(logged)).not.toMatch(/hidden|starfall-bot-token/);
    expect(JSON.stringify(logged)).not.toContain(token);
  });

  it('is not written unless it is asked for', async () => {
    const { log, lines } = collect();
    const service = await start({ log });
    await callApi(service, 'GET', '/users/@me');
    expect(lines.filter(({ fields }) => 'duration_ms' in fields)).toEqual([]);
  });
});
