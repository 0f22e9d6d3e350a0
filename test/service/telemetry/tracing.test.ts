import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: number;
}

async function trace(...args: string[]): Promise<{ spans: Span[]; sent: string[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'tracing-child.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  return JSON.parse(output);
}

const [internal, server, client] = [0, 1, 2];

describe("a service beside OpenTelemetry's SDK", () => {
  it('makes spans of requests, transactions, commits and deliveries, and hands the trace on', async () => {
    const { spans, sent } = await trace();
    const named = (name: string) => spans.filter(span => span.name === name);

    // The trace that the caller named goes on.
    const [create] = named('POST /api/v10/lobbies');
    expect(create).toMatchObject({
      kind: server,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parent: 'b7ad6b7169203331',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v10/lobbies',
        'http.response.status_code': 201,
      },
    });
    expect(spans).toContainEqual(
      expect.objectContaining({
        name: 'store.transact',
        kind: internal,
        parent: create?.spanId,
        attributes: { 'db.system.name': 'memory', 'rallypoint.store.scope': 'lobby' },
      }),
    );
    const [commit] = named('store.commit');
    expect(commit).toMatchObject({ attributes: { 'rallypoint.store.transactions': expect.any(Number) } });
    expect(commit?.parent).toBeUndefined();

    expect(named('GET /api/v10/lobbies/{lobby_id}').length).toBeGreaterThan(0);
    expect(named('GET /oauth2/authorize')).toHaveLength(1);
    expect(named('GET /healthz')).toHaveLength(0);

    // A webhook event belongs to the request that caused it, and its receiver is told.
    // So does one that had to wait behind another.
    const deliveries = spans.filter(({ kind }) => kind === client);
    const causes = deliveries.map(({ parent }) => spans.find(({ spanId }) => spanId === parent));
    for (const delivery of deliveries) {
      expect(delivery).toMatchObject({
        name: 'POST',
        attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
      });
    }
    expect(causes).toMatchObject([
      { name: 'POST /control/consent', kind: server },
      { name: 'POST /control/consent', kind: server },
    ]);
    expect(causes[0]?.spanId).not.toBe(causes[1]?.spanId);
    expect(sent).toEqual(deliveries.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
    expect(JSON.stringify(spans)).not.toMatch(/secret|starfall-bot-token/);
  });

  it('leaves its outgoing requests to an instrumentation of undici where one is registered', async () => {
    const { spans, sent } = await trace('instrumented');
    expect(spans.filter(({ kind }) => kind === client)).toEqual([]);
    const traceparent = expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(sent).toEqual([traceparent, traceparent]);
  });

  it('starts and says so where the package of its API is missing', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier !== '@opentelemetry/api') return next(specifier, context);
          throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
        },
      });
      globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.9.0', trace: {} };
      const { startService } = await import('./src/service/index.ts');
      const warn = (_, message) => console.log(message);
      const service = await startService({ log: { debug() {}, info() {}, warn, error: warn } });
      console.log((await fetch(service.webBase + '/readyz')).status);
      await service.close();
    `;
    const args = ['--input-type=module', '--eval', script];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await text(child.stdout)).toBe(
      'OpenTelemetry is registered, but @opentelemetry/api cannot be loaded: nothing is traced.\n200\n',
    );
  });
});
