import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Backend,
  createBackend,
  type EndpointOptions,
  type InteractionEndpoint,
  type InteractionHandler,
  type ReceivedInteraction,
} from '../../../src/backend/index.ts';
import { endpointLimits } from '../../../src/backend/interactions/signed-request.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { snowflakeSource } from '../../../src/service/support/ids.ts';
import { createKeyPair } from '../../../src/service/testing/fixtures/secrets.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { readSigningKey, signMessage } from '../../../src/wire/signature.ts';
import { seededEntropy } from '../../service/control/support.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';

const keys = createKeyPair(seededEntropy('endpoint'));
const startMs = Date.UTC(2026, 7, 1);
const quiet: InteractionHandler = () => {};
const reply: InteractionHandler = interaction => interaction.reply({ content: 'On the way!' });

let clock: VirtualClock;
let api: LoopbackServer;
let backend: Backend;
let errors: unknown[];

beforeEach(async () => {
  clock = new VirtualClock(startMs);
  errors = [];
  api = await startLoopbackServer(({ method, url }, response) => {
    if (url.endsWith('/applications/@me')) answerJson(response, 200, { id: '1', verify_key: keys.verify_key });
    else if (method === 'PATCH') answerJson(response, 200, { id: '5', content: 'edited' });
    else response.writeHead(204).end();
  });
  backend = createBackend({ applicationId: '1', botToken: 'bot', baseUrl: api.baseUrl, clock });
});
afterEach(async () => {
  backend.close();
  await api.close();
});

const open = (handler: InteractionHandler, options: EndpointOptions = {}) =>
  backend.interactions.endpoint(handler, {
    publicKey: keys.verify_key,
    onError: error => errors.push(error),
    ...options,
  });

/** A use of a command, made now. */
function interaction(fields: object = {}): string {
  const id = snowflakeSource(clock, 0).next();
  return JSON.stringify({
    id,
    application_id: '1',
    type: 2,
    token: 'the-token',
    data: { id: '2', name: 'rally' },
    ...fields,
  });
}

interface Sent {
  readonly method?: string;
  readonly timestamp?: string;
  readonly signature?: string;
}

/** What the service would send, but for what is told otherwise. */
function signed(body: string, { timestamp = String(Math.floor(clock.now() / 1000)), signature }: Sent = {}) {
  return {
    'content-type': 'application/json',
    'x-signature-ed25519': signature ?? signMessage(readSigningKey(keys.signing_key), timestamp, body),
    'x-signature-timestamp': timestamp,
  };
}

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

interface Answered {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** The forms of an endpoint. */
const forms: readonly [string, (endpoint: InteractionEndpoint, request: RequestInit) => Promise<Answered>][] = [
  [
    'node:http',
    async (endpoint, request) => {
      const { url, server } = await serve(endpoint.handleRequest);
      try {
        return await answeredBy(await fetch(url, request));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  ],
  [
    'Fastify',
    async (endpoint, request) => {
      const app = fastify();
      // A parser of the application's own does not reach the endpoint's scope.
      app.addContentTypeParser('application/json', { parseAs: 'string' }, () => expect.unreachable());
      await app.register(endpoint.fastify, { prefix: '/interactions' });
      try {
        return await answeredBy(
          await fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/interactions`, request),
        );
      } finally {
        await app.close();
      }
    },
  ],
  [
    'Express',
    async (endpoint, request) => {
      const app = express();
      app.all('/interactions', endpoint.handleRequest);
      // Parsers after the route, or for other routes, do not reach the endpoint.
      app.use(express.json());
      const { url, server } = await serve(app);
      try {
        return await answeredBy(await fetch(`${url}/interactions`, request));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  ],
  [
    'Hono',
    async (endpoint, request) => {
      const app = new Hono();
      app.all('/interactions', context => endpoint.fetch(context.req.raw));
      return answeredBy(await app.fetch(new Request('http://game.example/interactions', request)));
    },
  ],
  [
    'web requests',
    async (endpoint, request) => answeredBy(await endpoint.fetch(new Request('http://game.example/', request))),
  ],
];

async function answeredBy(response: Response): Promise<Answered> {
  return { status: response.status, contentType: response.headers.get('content-type'), text: await response.text() };
}

describe.each(forms)('an endpoint for %s', (_, ask) => {
  const post = (endpoint: InteractionEndpoint, body: string, sent: Sent = {}) =>
    ask(endpoint, { method: sent.method ?? 'POST', headers: signed(body, sent), body });

  it('answers in the response what the handler answers, and knows the application’s key by itself', async () => {
    const endpoint = await backend.interactions.endpoint(reply);
    expect(await post(endpoint, interaction())).toEqual({
      status: 200,
      contentType: 'application/json',
      text: '{"type":4,"data":{"content":"On the way!"}}',
    });
    expect(api.seen.map(({ url }) => url)).toEqual(['/api/v10/applications/@me']);
  });

  it.each([
    ['defer()', ({ defer }: ReceivedInteraction) => defer(), '{"type":5}'],
    [
      'an ephemeral defer()',
      ({ defer }: ReceivedInteraction) => defer({ ephemeral: true }),
      '{"type":5,"data":{"flags":64}}',
    ],
    [
      'an ephemeral reply with flags',
      ({ reply }: ReceivedInteraction) => reply({ content: 'x', flags: 4, ephemeral: true }),
      '{"type":4,"data":{"content":"x","flags":68}}',
    ],
  ])('sends %s as a callback', async (_, handler, text) => {
    expect(await post(await open(handler), interaction())).toMatchObject({ status: 200, text });
    expect(errors).toEqual([]);
  });

  it('sends deferUpdate() as a callback to the use of a component, and rejects it for a command', async () => {
    const update = ({ deferUpdate }: ReceivedInteraction) => deferUpdate();
    const use = interaction({ type: 3, data: { custom_id: 'go', component_type: 2 }, message: { id: '3', flags: 0 } });
    expect(await post(await open(update), use)).toMatchObject({ status: 200, text: '{"type":6}' });
    expect(errors).toEqual([]);
    expect(await post(await open(update), interaction())).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([
      { name: 'ValidationError', issues: [{ path: ['type'], code: 'BASE_TYPE_CHOICES' }] },
    ]);
  });

  it('closes when the requests under way have been answered', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const endpoint = await open(async ({ reply }) => {
      start();
      await released;
      await reply({ content: 'On the way!' });
    });
    const answered = post(endpoint, interaction());
    await started;
    const order: string[] = [];
    const closed = endpoint.close().then(() => order.push('closed'));
    await Promise.resolve();
    order.push('released');
    release();
    await closed;
    expect(order).toEqual(['released', 'closed']);
    expect((await answered).status).toBe(200);
    expect((await post(endpoint, interaction())).status).toBe(503);
  });

  it('answers a PING by itself', async () => {
    const endpoint = await open(() => expect.unreachable());
    const ping = JSON.stringify({ id: '7', application_id: '1', type: 1, token: 'x', version: 1 });
    expect(await post(endpoint, ping)).toEqual({ status: 200, contentType: 'application/json', text: '{"type":1}' });
  });

  it('hands a request on once, and refuses it when it comes again', async () => {
    const seen: string[] = [];
    const endpoint = await open(({ payload }) => void seen.push(payload.id));
    const body = interaction();
    const sent = { timestamp: nowSeconds() };
    const answers = await Promise.all([post(endpoint, body, sent), post(endpoint, body, sent)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 401]);
    await clock.advance(endpointLimits.interactionTimestampDriftMs);
    expect((await post(endpoint, body, sent)).status).toBe(401);
    const upper = signed(body, sent)['x-signature-ed25519'].toUpperCase();
    expect((await post(endpoint, body, { ...sent, signature: upper })).status).toBe(401);
    expect((await post(endpoint, interaction(), sent)).status).toBe(202);
    expect(seen).toHaveLength(2);
  });

  it('refuses a request that comes again also where no time is too old', async () => {
    const endpoint = await open(quiet, { timestampDriftMs: Number.POSITIVE_INFINITY });
    const body = interaction();
    const sent = { timestamp: nowSeconds() };
    expect((await post(endpoint, body, sent)).status).toBe(202);
    await clock.advance(30 * 24 * 3_600_000);
    expect((await post(endpoint, body, sent)).status).toBe(401);
  });

  it('answers a PING as often as it comes: there is nothing to repeat', async () => {
    const endpoint = await open(quiet);
    const ping = JSON.stringify({ id: '7', application_id: '1', type: 1, token: 'x', version: 1 });
    for (let time = 0; time < 2; time++) expect((await post(endpoint, ping)).status).toBe(200);
  });

  it.each<[string, (body: string) => Sent]>([
    ['of another key', body => ({ signature: signMessage(readSigningKey(otherKey), nowSeconds(), body) })],
    [
      'of another body',
      body => ({ signature: signMessage(readSigningKey(keys.signing_key), nowSeconds(), `${body} `) }),
    ],
    ['of another time', body => ({ signature: signMessage(readSigningKey(keys.signing_key), '1', body) })],
    ['that is empty', () => ({ signature: '' })],
    ['that is too short', () => ({ signature: 'ab'.repeat(63) })],
    ['that is no hex', () => ({ signature: 'zz'.repeat(64) })],
    ['over a time that is no number', () => ({ timestamp: 'now' })],
    ['over a time with a fraction', () => ({ timestamp: `${nowSeconds()}.5` })],
  ])('refuses with 401 a signature %s', async (_, sent) => {
    const endpoint = await open(() => expect.unreachable());
    const body = interaction();
    expect((await post(endpoint, body, sent(body))).status).toBe(401);
  });

  it('refuses with 401 a request without a signature', async () => {
    const endpoint = await open(() => expect.unreachable());
    const body = interaction();
    for (const name of ['x-signature-ed25519', 'x-signature-timestamp'] as const) {
      const { [name]: _, ...headers } = signed(body);
      expect((await ask(endpoint, { method: 'POST', headers, body })).status).toBe(401);
    }
  });

  it('takes a request five minutes old or early, and none beyond that', async () => {
    const endpoint = await open(reply);
    const seconds = endpointLimits.interactionTimestampDriftMs / 1000;
    const at = async (offset: number) =>
      (await post(endpoint, interaction(), { timestamp: String(startMs / 1000 + offset) })).status;
    expect([await at(-seconds), await at(seconds)]).toEqual([200, 200]);
    expect([await at(-seconds - 1), await at(seconds + 1)]).toEqual([401, 401]);
    const patient = await open(reply, { timestampDriftMs: Number.POSITIVE_INFINITY });
    expect((await post(patient, interaction(), { timestamp: '1' })).status).toBe(200);
  });

  it('takes a body of a mebibyte, and none longer', async () => {
    const endpoint = await open(reply);
    const body = interaction().padEnd(endpointLimits.interactionBytesMax);
    expect((await post(endpoint, body)).status).toBe(200);
    expect((await post(endpoint, `${body} `)).status).toBe(413);
  });

  it.each(['', 'nonsense', '[]', 'null', '{}', '{"id":"x","type":2,"token":"t"}', '{"id":"1","type":"2","token":"t"}'])(
    'answers 400 to a signed %j',
    async body => {
      expect((await post(await open(quiet), body)).status).toBe(400);
    },
  );

  it.each([
    { type: 4, data: { name: 'rally', options: 7 } },
    { type: 4, data: { name: 'rally', options: [null] } },
    { type: 2, data: { name: 'rally', options: [{ name: 'add', type: 1, options: [[]] }] } },
    { type: 2, data: JSON.parse(`${'{"options":['.repeat(1_000)}${']}'.repeat(1_000)}`) },
    { type: 3, data: { custom_id: 'leave' }, message: null },
  ])('answers 400 to a use of a shape that no handler expects (%#)', async use => {
    let calls = 0;
    const endpoint = await open(() => {
      calls++;
    });
    expect((await post(endpoint, JSON.stringify({ id: '1', token: 't', ...use }))).status).toBe(400);
    expect(calls).toBe(0);
  });

  it('takes POST alone', async () => {
    const endpoint = await open(quiet);
    expect((await ask(endpoint, { method: 'GET' })).status).toBe(405);
    expect((await post(endpoint, interaction(), { method: 'PUT' })).status).toBe(405);
  });

  it('answers 202 when the handler ends without an answer, and carries a later one by the callback endpoint', async () => {
    const { promise: later, resolve } = Promise.withResolvers<() => Promise<void>>();
    const endpoint = await open(received => resolve(() => received.reply({ content: 'later' })));
    expect(await post(endpoint, interaction())).toMatchObject({ status: 202, text: '' });
    await (await later)();
    expect(api.seen[0]?.url).toMatch(/\/interactions\/[0-9]+\/the-token\/callback$/);
  });

  it('answers 500 when the handler fails before it answered, and tells of what is thrown after', async () => {
    const failing = await open(() => Promise.reject(new Error('before')));
    expect((await post(failing, interaction())).status).toBe(500);
    const late = await open(async received => {
      await received.reply({ content: 'Hello' });
      throw new Error('after');
    });
    expect((await post(late, interaction())).status).toBe(200);
    await turn();
    expect(errors).toEqual([new Error('before'), new Error('after')]);
  });

  it('answers 500 and lives on when onError fails itself', async () => {
    const onError = () => {
      throw new Error('again');
    };
    const endpoint = await open(() => Promise.reject(new Error('first')), { onError });
    expect((await post(endpoint, interaction())).status).toBe(500);
  });

  it('answers 504 when the handler has not answered for 3 s', async () => {
    const { promise: called, resolve } = Promise.withResolvers<void>();
    const endpoint = await open(() => {
      resolve();
      return new Promise(() => {});
    });
    const answered = post(endpoint, interaction());
    await called;
    await clock.advance(limits.interactionAnswerMs);
    expect((await answered).status).toBe(504);
  });

  it('takes one answer: a second one is already_acknowledged, a wrong one leaves it open', async () => {
    const codes: unknown[] = [];
    const endpoint = await open(async received => {
      const fail = (error: { code: string }) => codes.push(error.code);
      await received.reply({ content: 'x'.repeat(limits.messageContentLengthMax + 1) }).catch(fail);
      await received.respond({ type: 4, data: { content: 'x', embeds: [{ big: 1n }] } }).catch(fail);
      await received.reply({ content: 'one' });
      await received.reply({ content: 'two' }).catch(fail);
    });
    expect((await post(endpoint, interaction())).text).toContain('one');
    await turn();
    expect(codes).toEqual(['invalid_form_body', 'unencodable_body', 'already_acknowledged']);
    expect(api.seen).toEqual([]);
  });

  it('rejects an empty message as the service would, and leaves the interaction open', async () => {
    const codes: unknown[] = [];
    const endpoint = await open(async received => {
      for (const message of [{}, { content: ' ' }, { embeds: [] }]) {
        await received.reply(message).catch((error: { code: string }) => codes.push(error.code));
      }
      await received.reply({ content: 'one' });
    });
    expect((await post(endpoint, interaction())).text).toContain('one');
    expect(codes).toEqual(['empty_message', 'empty_message', 'empty_message']);
    expect(api.seen).toEqual([]);
  });

  it.each(['On the way!', null, undefined, 5])('takes no %j for an answer, a message or a form', async wrong => {
    const codes: unknown[] = [];
    await post(
      await open(async received => {
        for (const method of ['reply', 'update', 'respond', 'showModal', 'editReply', 'followUp'] as const) {
          const answer = received[method] as (given: unknown) => Promise<unknown>;
          codes.push(await answer(wrong).catch((error: { code: string }) => error.code));
        }
      }),
      interaction(),
    );
    expect(codes).toEqual(Array.from({ length: 6 }, () => 'invalid_argument'));
    expect(api.seen).toEqual([]);
  });

  it('answers 503 once it is closed, by itself or with its backend', async () => {
    const [one, other] = [await open(reply), await open(reply)];
    one.close();
    expect((await post(one, interaction())).status).toBe(503);
    expect((await post(other, interaction())).status).toBe(200);
    backend.close();
    expect((await post(other, interaction())).status).toBe(503);
  });
});

describe('an endpoint', () => {
  it.each([Number.NaN, -1, null, '300000'])('is not opened with a drift of %j', async timestampDriftMs => {
    await expect(open(quiet, { timestampDriftMs: timestampDriftMs as number })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('is not opened once the backend is closed', async () => {
    const opening = open(quiet);
    backend.close();
    await expect(opening).rejects.toMatchObject({ code: 'closed' });
    await expect(open(quiet)).rejects.toMatchObject({ code: 'closed' });
  });

  it.each(['', 'ab', 'zz'.repeat(32), 'ab'.repeat(33)])('is not opened with the key %j', async publicKey => {
    await expect(open(quiet, { publicKey })).rejects.toMatchObject({ code: 'invalid_public_key' });
  });

  it('asks for a key or a bot token to find it out by', async () => {
    const other = createBackend({ applicationId: '1', clientSecret: 's', baseUrl: api.baseUrl });
    await expect(other.interactions.endpoint(quiet)).rejects.toMatchObject({ code: 'credential_missing' });
    expect(await other.interactions.endpoint(quiet, { publicKey: keys.verify_key })).toHaveProperty('handleRequest');
    other.close();
  });

  it('says so when its body was read before it', async () => {
    const endpoint = await open(() => expect.unreachable());
    const { url, server } = await serve(async (request, response) => {
      await request.toArray();
      await endpoint.handleRequest(request, response);
    });
    const body = interaction();
    const parsed = await fetch(url, { method: 'POST', headers: signed(body), body });
    expect(parsed.status).toBe(500);
    server.closeAllConnections();
    const request = new Request('http://game.example/', { method: 'POST', headers: signed(body), body });
    await request.text();
    expect((await endpoint.fetch(request)).status).toBe(500);
  });

  it.each<readonly [kept: string, parser: RequestHandler]>([
    ['as rawBody', express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) })],
    ['as body', express.raw({ type: '*/*', limit: '2mb' })],
  ])('checks the bytes that a body parser has kept %s', async (_, parser) => {
    const endpoint = await open(reply);
    const app = express();
    app.use(parser).post('/', endpoint.handleRequest);
    const { url, server } = await serve(app);
    const post = (headers: Record<string, string>, body: string) => fetch(url, { method: 'POST', headers, body });
    const body = interaction();
    const right = await post(signed(body), body);
    expect([right.status, await right.json()]).toEqual([200, { type: 4, data: { content: 'On the way!' } }]);
    expect((await post(signed(body), body)).status).toBe(401);
    const changed = interaction({ token: 'another' });
    expect((await post(signed(body), changed)).status).toBe(401);
    const long = JSON.stringify({ long: 'x'.repeat(endpointLimits.interactionBytesMax) });
    expect((await post(signed(long), long)).status).toBe(413);
    server.close();
  });

  it('tells the handler when nobody waits for its answer any more', async () => {
    const { promise: goOn, resolve: go } = Promise.withResolvers<void>();
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    const { promise: failed, resolve: fail } = Promise.withResolvers<unknown>();
    const endpoint = await open(async received => {
      call();
      await goOn;
      await received.reply({ content: 'Hello' }).catch(fail);
    });
    const { url, server } = await serve(endpoint.handleRequest);
    const gone = new Promise<void>(resolve => server.on('request', (_, response) => response.on('close', resolve)));
    const body = interaction();
    const asked = httpRequest(url, { method: 'POST', headers: signed(body) });
    asked.on('error', () => {});
    asked.end(body);
    await called;
    asked.destroy();
    await gone;
    go();
    expect(await failed).toMatchObject({ code: 'connection_lost' });
    server.close();
  });

  it('repeats what overtook its answer on the way to the service, for a moment', async () => {
    let tries = 0;
    const busy = await startLoopbackServer((_, response) => {
      if (++tries < 3) answerJson(response, 404, { message: 'Unknown Webhook', code: 10015 });
      else answerJson(response, 200, { id: '5', content: 'done' });
    });
    const other = createBackend({ applicationId: '1', botToken: 'bot', baseUrl: busy.baseUrl });
    const { promise: edited, resolve } = Promise.withResolvers<unknown>();
    const endpoint = await other.interactions.endpoint(
      async received => {
        await received.respond({ type: 5 });
        resolve(await received.editReply({ content: 'done' }));
      },
      { publicKey: keys.verify_key, timestampDriftMs: Number.POSITIVE_INFINITY },
    );
    const body = interaction();
    await endpoint.fetch(new Request('http://game.example/', { method: 'POST', headers: signed(body), body }));
    expect(await edited).toMatchObject({ content: 'done' });
    expect(tries).toBe(3);
    other.close();
    await busy.close();
  });

  it('ends what it repeats by its deadline, its signal, and close()', async () => {
    const unknown = { status: 404, headers: {}, text: JSON.stringify({ message: 'Unknown Webhook', code: 10015 }) };
    const transport = { send: async () => unknown, close() {} };
    const other = createBackend({ applicationId: '1', botToken: 'bot', baseUrl: api.baseUrl, clock, transport });
    const { promise, resolve } = Promise.withResolvers<ReceivedInteraction>();
    const endpoint = await other.interactions.endpoint(
      async received => {
        await received.respond({ type: 5 });
        resolve(received);
      },
      { publicKey: keys.verify_key },
    );
    const body = interaction();
    await endpoint.fetch(new Request('http://game.example/', { method: 'POST', headers: signed(body), body }));
    const { editReply } = await promise;
    const leaving = new AbortController();
    const edits = [{ deadlineMs: 50 }, { signal: leaving.signal }, {}].map(options =>
      editReply({ content: 'done' }, options).catch((error: { code: string }) => error.code),
    );
    await clock.advance(50);
    expect(await edits[0]).toBe('deadline_exceeded');
    leaving.abort();
    expect(await edits[1]).toBe('aborted');
    await other.close();
    expect(await edits[2]).toBe('aborted');
  });
});

const { signing_key: otherKey } = createKeyPair(seededEntropy('other'));
const nowSeconds = () => String(startMs / 1000);
const turn = () => new Promise(resolve => setImmediate(resolve));
