import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/service/index.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';
import { starfall } from '../../support/service/starfall.ts';
import { head, sendRaw } from './raw.ts';

const json = 'Content-Type: application/json';

describe('bytes that are no HTTP request', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
  });
  afterAll(() => service.close());

  it.each([
    ['no request line', 'hello\r\n\r\n'],
    ['an unknown method', head('FLY', '/api/v10/gateway')],
    ['a blank in the target', head('GET', '/api/v10/lobbies/1 2')],
    ['a length given twice', `${head('POST', '/api/v10/lobbies', json, 'Content-Length: 2', 'Content-Length: 3')}{}`],
    ['a length below nothing', `${head('POST', '/api/v10/lobbies', json, 'Content-Length: -2')}{}`],
    [
      'a length and chunks',
      `${head('POST', '/api/v10/lobbies', json, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['a transfer coding other than chunks', `${head('POST', '/api/v10/lobbies', json, 'Transfer-Encoding: gzip')}{}`],
    ['a chunk without a size', `${head('POST', '/api/v10/lobbies', json, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n`],
    ['no Host', 'GET /api/v10/gateway HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['no Host for a probe', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a control character in a header', head('GET', '/api/v10/gateway', 'X: \u0001')],
  ])('(%s) are answered 400 in the interface’s form', async (_, bytes) => {
    const { status, headers, body } = await sendRaw(service, bytes);
    expect({ status, body: JSON.parse(body) }).toEqual({ status: 400, body: { message: '400: Bad Request', code: 0 } });
    expect(headers['content-type']).toBe('application/json');
    expect((await fetch(`${service.apiBase}/v10/gateway`)).status).toBe(200);
  });

  it('are answered 431 when its headers are too long', async () => {
    const { status, body } = await sendRaw(service, head('GET', '/api/v10/gateway', `X: ${'a'.repeat(20_000)}`));
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 431, code: 0 });
  });

  it('are answered 431 when it has more than 100 headers', async () => {
    const ofHeaders = (count: number) => {
      const { length } = ['Host', 'Connection'];
      return head('GET', '/api/v10/gateway', ...Array.from({ length: count - length }, (_, n) => `X-${n}: a`));
    };
    const { headersMax } = intakeLimits;
    expect((await sendRaw(service, ofHeaders(headersMax))).status).toBe(200);
    for (const count of [headersMax + 1, headersMax + 2, 1000]) {
      expect((await sendRaw(service, ofHeaders(count))).status, `${count}`).toBe(431);
    }
  });

  it('that break off have no effect on others', async () => {
    const logged: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (_: unknown, message: string) => logged.push(message) };
    const other = await startService({ fixtures: starfall, limits: 'off', log });
    const { hostname, port } = new URL(other.webBase);
    const { connect } = await import('node:net');
    for (const bytes of ['POST /api/v10/lobbies', head('POST', '/api/v10/lobbies', json, 'Content-Length: 100')]) {
      await new Promise<void>(resolve => {
        const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.destroy()));
        socket.on('close', () => resolve());
      });
    }
    expect((await fetch(`${other.apiBase}/v10/gateway`)).status).toBe(200);
    await other.close();
    expect(logged).toEqual([]);
  });
});
