import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  ArgumentError,
  RallypointError,
  RateLimitError,
  TransportError,
} from '../../../src/model/errors/errors.ts';
import { systemFetch } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { Http, type HttpOptions, type HttpWait } from '../../../src/wire/http/http.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { answerBytesMax, fetchTransport } from '../../../src/wire/http/transport.ts';
import { RateLimiter } from '../../../src/wire/rate-limits/limiter.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';
import { freePort } from '../../support/runs/free-port.ts';

const lobby = { lobby_id: '123' };
const token = 'Bot s3cret-t0ken';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

async function setUp(answer: Answer, options: Partial<HttpOptions> = {}) {
  const server = await startLoopbackServer(answer);
  const clock = new VirtualClock(Date.now());
  const limiter = new RateLimiter({ clock, global: 'off' });
  const http = new Http({ baseUrl: server.baseUrl, clock, limiter, transport: nodeTransport(), ...options });
  closing.push(server.close, () => http.close());
  return { server, http, clock };
}

/** What a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<RallypointError> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(RallypointError);
  return failure as RallypointError;
}

describe.each([
  ['nodeTransport', nodeTransport],
  ['fetchTransport', () => fetchTransport(systemFetch)],
] as const)('Http over %s', (_, transport) => {
  const open = (answer: Answer) => setUp(answer, { transport: transport() });

  it('sends method, path, query, credential, form of name and JSON body', async () => {
    const { server, http } = await open((_, response) => answerJson(response, 200, { id: '1' }));
    const answer = await http.send('editLobby', {
      path: { lobby_id: 'a/b' },
      query: { with: 'a b&c' },
      body: { metadata: { ä: 'ö' } },
      authorization: token,
    });
    expect(answer).toEqual({ status: 200, body: { id: '1' } });
    expect(server.seen).toMatchObject([
      {
        method: 'PATCH',
        url: '/api/v10/lobbies/a%2Fb?with=a+b%26c',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: '{"metadata":{"ä":"ö"}}',
      },
    ]);
    expect(server.seen[0]?.headers['user-agent']).toMatch(/^DiscordBot \(\S+, \d+\.\d+\.\d+\)/);
  });

  it('says that there is no body where there might be one', async () => {
    const { server, http } = await open((_, response) => answerJson(response, 200, { code: 'x' }));
    await http.send('createLobbyInvite', { path: { lobby_id: '1', user_id: '2' } });
    await http.send('getLobby', { path: lobby });
    const [post, get] = server.seen;
    expect(post?.headers).toMatchObject({ 'content-length': '0' });
    expect({ ...post?.headers, ...get?.headers }).not.toHaveProperty('transfer-encoding');
  });

  it('sends a form where the route has one', async () => {
    const { server, http } = await open((_, response) => answerJson(response, 200, {}));
    await http.send('createToken', { path: {}, body: { grant_type: 'client_credentials', scope: 'a b' } });
    expect(server.seen[0]).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=a+b',
    });
  });

  it('resolves an empty answer with an undefined body', async () => {
    const { http } = await open((_, response) => answerJson(response, 204, undefined));
    expect(await http.send('deleteLobby', { path: lobby })).toEqual({ status: 204, body: undefined });
  });

  it('turns an error body into an ApiError with its code, status, route and issues', async () => {
    const { http } = await open((_, response) =>
      answerJson(response, 400, {
        code: 50035,
        message: 'Invalid Form Body',
        errors: { members: { 2: { id: { _errors: [{ code: 'NUMBER_TYPE_COERCE', message: 'no' }] } } } },
      }),
    );
    const error = await failureOf(http.send('createLobby', { path: {}, body: {} }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'invalid_form_body',
      status: 400,
      apiCode: 50035,
      route: 'POST /lobbies',
      issues: [{ path: ['members', '2', 'id'], code: 'NUMBER_TYPE_COERCE', message: 'no' }],
    });
  });

  it('shows of a long message its beginning, without control characters', async () => {
    const { http } = await open((_, response) =>
      answerJson(response, 400, { code: 0, message: `\u001b[31m${'x'.repeat(1e6)}` }),
    );
    const { message } = await failureOf(http.send('createLobby', { path: {}, body: {} }));
    expect(message).toMatch(/^POST \/lobbies answered 400: {2}\[31mx+$/);
    expect(message.length).toBeLessThan(1_100);
  });

  it('does not follow redirects, and says so', async () => {
    const { server, http } = await open((_, response) =>
      answerJson(response, 302, undefined, { location: '/elsewhere' }),
    );
    expect(await failureOf(http.send('getLobby', { path: lobby, authorization: token }))).toMatchObject({
      status: 302,
      message: 'GET /lobbies/{lobby_id} answered 302: a redirect. Check baseUrl.',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('rejects an answer that is not JSON', async () => {
    const { http } = await open((_, response) => response.end('<html>secret</html>'));
    const error = await failureOf(http.send('getLobby', { path: lobby }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.code).toBe('unreadable_answer');
    expect(error.message).not.toContain('secret');
  });

  it('reads an answer of the largest size, and rejects one byte more without reading on', async () => {
    const { http } = await open((request, response) => {
      const length = answerBytesMax - 2 + Number(request.url.endsWith('/2'));
      response.end(`"${'x'.repeat(length)}"`);
    });
    expect((await http.send('getLobby', { path: { lobby_id: '1' } })).body).toHaveLength(answerBytesMax - 2);
    expect((await failureOf(http.send('getLobby', { path: { lobby_id: '2' } }))).code).toBe('unreadable_answer');
  });

  it('reads an answer that comes in many pieces, also where a character is divided', async () => {
    const { http } = await open(async (_, response) => {
      const bytes = Buffer.from(`"${'ä'.repeat(3_000)}"`);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect((await http.send('getLobby', { path: lobby })).body).toBe('ä'.repeat(3_000));
  });

  it('ends a call when the service switches to another protocol', async () => {
    const { http } = await open((_, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    const error = await failureOf(http.send('createLobby', { path: {}, body: {} }));
    expect(error instanceof ApiError ? error.status : error.code).toBeOneOf([101, 'connection_lost']);
  });

  it('survives any error status with any body', async () => {
    let next: { status: number; text: string } = { status: 400, text: '' };
    const { http } = await open((_, response) => {
      response.writeHead(next.status);
      response.end(next.text);
    });
    // 407 never arrives: fetch takes it for a proxy's.
    const statuses = fc.integer({ min: 400, max: 428 }).filter(status => status !== 407);
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ errors: fc.jsonValue(), message: fc.jsonValue() }).map(value => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(statuses, bodies, async (status, text) => {
        next = { status, text };
        expect(await failureOf(http.send('createLobby', { path: {}, body: {} }))).toMatchObject({ status });
      }),
      { numRuns: 60 },
    );
  });

  it('names the address where no server listens', async () => {
    const port = await freePort();
    const clock = new VirtualClock(Date.now());
    const http = new Http({ baseUrl: `http://127.0.0.1:${port}`, clock, transport: transport() });
    const error = await elapse(clock, failureOf(http.send('createLobby', { path: {}, body: {} })));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain(`http://127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);
  });

  it('repeats any method when no connection was made', async () => {
    const port = await freePort();
    const clock = new VirtualClock(Date.now());
    const http = new Http({ baseUrl: `http://127.0.0.1:${port}`, clock, transport: transport() });
    closing.push(() => http.close());
    const call = http.send('createLobby', { path: {}, body: {} });
    const server = await new Promise<LoopbackServer>((resolve, reject) => {
      clock.schedule(100, () =>
        startLoopbackServer((_, response) => answerJson(response, 201, {}), port).then(resolve, reject),
      );
      void clock.advance(100);
    });
    closing.push(server.close);
    expect((await elapse(clock, call)).status).toBe(201);
    expect(server.seen).toHaveLength(1);
  });

  it('tells a caller who gives up from a deadline', async () => {
    const { http, clock } = await open(() => {});
    const abort = new AbortController();
    const aborted = failureOf(http.send('getLobby', { path: lobby, signal: abort.signal }));
    abort.abort(new Error(token));
    expect(await aborted).toMatchObject({ code: 'aborted' });
    const late = failureOf(http.send('getLobby', { path: lobby, deadlineMs: 200 }));
    await clock.advance(200);
    expect(await late).toMatchObject({ code: 'deadline_exceeded' });
  });
});

describe('Http over nodeTransport repeats', () => {
  const open = (answer: Answer, options: Partial<HttpOptions> = {}) => setUp(answer, options);

  it.each([
    ['getLobby', 'GET'],
    ['editLobby', 'PATCH'],
    ['deleteLobby', 'DELETE'],
  ] as const)('%s after a 5xx, three times at most', async (name, method) => {
    const { server, http, clock } = await open((_, response) => answerJson(response, 502, {}));
    const error = await elapse(clock, failureOf(http.send(name, { path: lobby })));
    expect(error).toMatchObject({ status: 502, code: 'api_error' });
    expect(server.seen.map(request => request.method)).toEqual([method, method, method, method]);
  });

  it('an idempotent call until it succeeds', async () => {
    const { server, http, clock } = await open((_, response, i) => answerJson(response, i < 3 ? 503 : 200, { i }));
    expect((await elapse(clock, http.send('getLobby', { path: lobby }))).body).toEqual({ i: 3 });
    expect(server.seen).toHaveLength(4);
  });

  it('never a POST that was answered 5xx', async () => {
    const { server, http } = await open((_, response) => answerJson(response, 500, {}));
    expect(await failureOf(http.send('createLobby', { path: {}, body: {} }))).toMatchObject({ code: 'internal_error' });
    expect(server.seen).toHaveLength(1);
  });

  it('never a POST whose connection broke off, which may have been processed', async () => {
    const { server, http } = await open((_, response) => response.destroy());
    expect(await failureOf(http.send('createLobby', { path: {}, body: {} }))).toMatchObject({
      code: 'connection_lost',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('an idempotent call whose connection broke off, also in the middle of its answer', async () => {
    const { http, clock } = await open((_, response, i) => {
      if (i === 0) response.destroy();
      else if (i === 1) {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"half":', () => response.destroy());
      } else answerJson(response, 200, { whole: true });
    });
    expect((await elapse(clock, http.send('getLobby', { path: lobby }))).body).toEqual({ whole: true });
  });

  it('nothing when the pause would pass the deadline', async () => {
    const { server, http } = await open((_, response) => answerJson(response, 500, {}));
    expect(await failureOf(http.send('getLobby', { path: lobby, deadlineMs: 100 }))).toMatchObject({ status: 500 });
    expect(server.seen).toHaveLength(1);
  });

  it('nothing after a 4xx', async () => {
    const { server, http } = await open((_, response) =>
      answerJson(response, 404, { code: 10031, message: 'Unknown Lobby' }),
    );
    expect(await failureOf(http.send('getLobby', { path: lobby }))).toMatchObject({ code: 'unknown_lobby' });
    expect(server.seen).toHaveLength(1);
  });
});

// RFC 9110, section 15.2: a client must be able to parse interim responses that it does not expect.
describe('Http over nodeTransport', () => {
  it.each(['writeContinue', 'writeProcessing', 'writeEarlyHints'] as const)(
    'gets the response after an interim one that nobody asked for (%s)',
    async interim => {
      const open = await setUp((_, response) => {
        response[interim]({ link: '</a>; rel=preload' } as never);
        answerJson(response, 200, { id: '1' });
      });
      for (let times = 0; times < 2; times++) {
        const answer = await open.http.send('createLobby', { path: {}, body: {} });
        expect(answer).toEqual({ status: 200, body: { id: '1' } });
      }
    },
  );
});

describe('Http and limits', () => {
  const refuse =
    (retryAfter: number, headers: Record<string, string> = {}): Answer =>
    (_, response, i) => {
      if (i === 0) answerJson(response, 429, { message: 'slow', retry_after: retryAfter, global: false }, headers);
      else answerJson(response, 200, { i });
    };

  it.each([{}, { 'x-ratelimit-scope': 'shared' }, { 'x-ratelimit-scope': 'global' }])(
    'waits a 429 out (%o), also for a POST',
    async headers => {
      const { http, clock, server } = await setUp(refuse(2.5, headers));
      const startMs = clock.now();
      expect((await elapse(clock, http.send('createLobby', { path: {}, body: {} }))).body).toEqual({ i: 1 });
      expect(clock.now() - startMs).toBeGreaterThanOrEqual(2_500);
      expect(server.seen).toHaveLength(2);
    },
  );

  it('rejects immediately with a RateLimitError when the wait would pass the deadline; its cause is the answer', async () => {
    const { http } = await setUp((_, response) =>
      answerJson(
        response,
        429,
        { message: 'Max number', retry_after: 432, code: 30034 },
        { 'x-ratelimit-scope': 'shared' },
      ),
    );
    const error = await failureOf(http.send('createGlobalCommand', { path: { application_id: '1' }, body: {} }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ bucket: 'too_many_command_creates', retryAfterMs: 432_000 });
    expect(error.cause).toMatchObject({ apiCode: 30034, status: 429 });
  });

  it('pauses ever longer after 429s that name no time, such as those of a proxy', async () => {
    const sentAtMs: number[] = [];
    const { http, clock } = await setUp((_, response) => {
      sentAtMs.push(clock.now());
      response.writeHead(429).end('<html>Too many requests</html>');
    });
    const error = await elapse(
      clock,
      failureOf(http.send('getLobby', { path: lobby, deadlineMs: 120_000 })),
      200_000,
      50,
    );
    expect(error).toBeInstanceOf(RateLimitError);
    const pauses = sentAtMs.slice(1).map((atMs, i) => atMs - (sentAtMs[i] ?? 0));
    expect(pauses.length).toBeGreaterThanOrEqual(4);
    expect(pauses.length).toBeLessThanOrEqual(8);
    pauses.forEach((pauseMs, i) => {
      expect(pauseMs).toBeGreaterThanOrEqual(Math.min(1_000 * 2 ** i, 30_000));
    });
  });

  it('gives up after ten rejections', async () => {
    const { http, clock, server } = await setUp((_, response) => answerJson(response, 429, { retry_after: 0.01 }));
    const error = await elapse(clock, failureOf(http.send('getLobby', { path: lobby })), 60_000, 10);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(server.seen).toHaveLength(11);
  });
});

describe('Http tells of its waits', () => {
  async function told(answer: Answer, calls = 1) {
    const { http, clock } = await setUp(answer);
    const waits: unknown[] = [];
    const startMs = clock.now();
    const onWait = (wait: HttpWait | undefined) =>
      waits.push(wait && { ...wait, untilMs: wait.untilMs === undefined ? undefined : wait.untilMs - startMs });
    const all = Array.from({ length: calls }, () => http.send('getLobby', { path: lobby, onWait }).catch(() => {}));
    await elapse(clock, Promise.all(all));
    return waits;
  }

  it('and says nothing when there is none', async () => {
    expect(await told((_, response) => answerJson(response, 200, {}))).toEqual([]);
  });

  it('for the next attempt, with when that is', async () => {
    const waits = await told((_, response, i) => answerJson(response, i === 0 ? 503 : 200, {}));
    expect(waits).toEqual([{ reason: 'retry', untilMs: expect.any(Number) }, undefined]);
  });

  it('for a limit that rejected it', async () => {
    const waits = await told((_, response, i) => answerJson(response, i === 0 ? 429 : 200, { retry_after: 3 }));
    expect(waits.slice(0, 2)).toEqual([{ reason: 'rate_limit', untilMs: 3_000 }, undefined]);
  });

  it('for a limit that is used up', async () => {
    const headers = {
      'x-ratelimit-bucket': 'b',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '5',
      'x-ratelimit-reset-after': '2',
    };
    const { http, clock } = await setUp((_, response) => answerJson(response, 200, {}, headers));
    await http.send('getLobby', { path: lobby });
    const waits: unknown[] = [];
    await elapse(clock, http.send('getLobby', { path: lobby, onWait: wait => waits.push(wait) }));
    expect(waits).toEqual([{ reason: 'rate_limit', untilMs: expect.any(Number) }, undefined]);
  });

  it('for the answer that names the limit, which is not known before', async () => {
    const waits = await told((_, response) => answerJson(response, 200, {}), 2);
    expect(waits).toEqual([{ reason: 'rate_limit', untilMs: undefined }, undefined]);
  });

  it('and ends them when the deadline ends the call', async () => {
    const waits = await told((_, response, i) => answerJson(response, 429, { retry_after: i === 0 ? 10 : 100 }));
    expect(waits.at(-1)).toBeUndefined();
  });
});

describe('Http', () => {
  it('aborts what is under way when it is closed, and rejects what comes later', async () => {
    const { http } = await setUp(() => {});
    const call = failureOf(http.send('getLobby', { path: lobby }));
    await new Promise(resolve => setImmediate(resolve));
    http.close();
    expect(await call).toMatchObject({ code: 'aborted' });
    expect(await failureOf(http.send('getLobby', { path: lobby }))).toMatchObject({ code: 'closed' });
  });

  it('sends nothing that was aborted or late before, whatever the transport makes of that', async () => {
    let sent = 0;
    const deaf = fetchTransport(async () => {
      sent++;
      return new Response('{}');
    });
    const { http } = await setUp((_, response) => answerJson(response, 200, {}), { transport: deaf });
    const failures = [
      { deadlineMs: 0 },
      { deadlineMs: -5 },
      { signal: AbortSignal.abort() },
      { deadlineMs: Number.NaN },
    ];
    const codes = failures.map(
      async options => (await failureOf(http.send('getLobby', { path: lobby, ...options }))).code,
    );
    expect(await Promise.all(codes)).toEqual(['deadline_exceeded', 'deadline_exceeded', 'aborted', 'invalid_deadline']);
    expect(sent).toBe(0);
    await http.send('getLobby', { path: lobby, deadlineMs: Number.POSITIVE_INFINITY });
    expect(sent).toBe(1);
  });

  it('rejects a body no JSON can hold before sending it', async () => {
    const { http, server } = await setUp((_, response) => answerJson(response, 200, {}));
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const body of [cycle, { n: 1n }]) {
      const error = await failureOf(http.send('createLobby', { path: {}, body }));
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.code).toBe('unencodable_body');
    }
    expect(server.seen).toHaveLength(0);
  });

  it('lets no token into any error, also not by a transport of the host’s own', async () => {
    const leaky = {
      send: () =>
        Promise.reject(Object.assign(new Error(`failed with ${token}`), { code: 'EWHATEVER', headers: { token } })),
      close() {},
    };
    const http = new Http({ baseUrl: 'http://127.0.0.1:1', transport: leaky });
    const error = await failureOf(http.send('createLobby', { path: {}, body: {}, authorization: token }));
    for (let link: unknown = error; link instanceof Error; link = link.cause) {
      expect(`${link.message} ${link.stack} ${JSON.stringify(link)}`).not.toContain('s3cret');
    }
  });
});
