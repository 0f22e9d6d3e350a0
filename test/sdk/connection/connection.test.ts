import { filter, firstValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capabilities, closeCodes, intents, opcodes } from '../../../src/model/gateway.ts';
import { expirationNoticeMs, type TokenExpiration } from '../../../src/sdk/auth/held-token.ts';
import { Client } from '../../../src/sdk/client.ts';
import { supplementMsMax } from '../../../src/sdk/connection/connection.ts';
import type { ConnectionSnapshot, ConnectionStatus } from '../../../src/sdk/connection/connection-snapshot.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';
import { ScriptedGateway, type ScriptedLink } from '../../support/gateway/scripted-gateway.ts';

const half = { bytes: (count: number) => new Uint8Array(count).fill(128, 0, 1) };
const startMs = Date.UTC(2026, 0, 1);
const lobby = (id: string) => ({ id, application_id: '1', metadata: {}, members: [] });

let gateway: ScriptedGateway;
/** Time as timers count it; the client's own clock also knows of sleep. */
let clock: VirtualClock;
let machine: SleepyClock;
let client: Client;
let seen: ConnectionSnapshot[];

beforeEach(async () => {
  gateway = await ScriptedGateway.start();
  clock = new VirtualClock(startMs);
  machine = new SleepyClock(clock);
  client = newClient();
  seen = [];
  client.status$.subscribe(snapshot => seen.push(snapshot));
});

afterEach(async () => {
  await client.close();
  await gateway.close();
});

function newClient(): Client {
  const made = new Client({
    baseUrl: gateway.baseUrl,
    clock: machine,
    entropy: half,
  });
  made.updateToken('the-token');
  return made;
}

const statuses = () => seen.map(({ status }) => status);

function until(status: ConnectionStatus): Promise<ConnectionSnapshot> {
  return firstValueFrom(client.status$.pipe(filter(snapshot => snapshot.status === status)));
}

/** Connects; gives the gateway's end. */
async function connected(ready?: object): Promise<ScriptedLink> {
  const connecting = client.connect();
  const link = await gateway.link();
  await link.open(ready);
  await connecting;
  return link;
}

/** The link after the present one; time passes as needed. */
const nextLink = () => elapse(clock, gateway.link(), 40_000, 100);

const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;
const socialIntents =
  intents.DIRECT_MESSAGES | intents.PRIVATE_CHANNELS | intents.USER_RELATIONSHIPS | intents.USER_PRESENCE;

describe('connecting', () => {
  it('identifies with the bearer token, all intents of games and the capabilities, and is ready with READY', async () => {
    const connecting = client.connect();
    const link = await gateway.link();
    expect(link.url).toBe('/gateway?v=10&encoding=json');
    const identify = await link.open();
    await connecting;
    expect(identify).toMatchObject({
      op: opcodes.IDENTIFY,
      d: {
        token: 'Bearer the-token',
        intents: lobbyIntents | socialIntents,
        capabilities:
          capabilities.AUTO_LOBBY_CONNECT | capabilities.DEDUPE_USER_OBJECTS | capabilities.PRIORITIZED_READY_PAYLOAD,
        properties: { os: process.platform, browser: '@rallypoint/sdk', device: '@rallypoint/sdk' },
      },
    });
    expect(statuses()).toEqual(['disconnected', 'connecting', 'connected', 'ready']);
    expect(client.status).toEqual({ status: 'ready', userId: '9' });
    expect(seen.every(Object.isFrozen)).toBe(true);
  });

  it('asks for the events that the granted scopes open, when the token names its scopes', async () => {
    client.updateToken({ accessToken: 'the-token', scopes: 'identify sdk.social_layer_presence' });
    const connecting = client.connect();
    const identify = await (await gateway.link()).open();
    await connecting;
    expect(identify).toMatchObject({
      d: { intents: lobbyIntents | intents.USER_RELATIONSHIPS | intents.USER_PRESENCE },
    });
  });

  it('has the lobbies of READY before its status becomes ready', async () => {
    const known = until('ready').then(() => client.lobbies.snapshot.length);
    client.status$.subscribe(({ status }) => {
      if (status === 'ready') expect(client.lobbies.snapshot).toHaveLength(2);
    });
    await connected({ lobbies: [lobby('5'), lobby('6')] });
    expect(await known).toBe(2);
  });

  it('waits 5 s for the presences of friends where users are listed apart, and no longer', async () => {
    const connecting = client.connect();
    const link = await gateway.link();
    await link.open({ users: [{ id: '9', username: 'ada' }] });
    await link.settled();
    clock.advance(supplementMsMax - 1);
    await link.settled();
    expect(client.status.status).toBe('connected');
    clock.advance(1);
    await connecting;
    expect(client.status).toEqual({ status: 'ready', userId: '9' });
    link.dispatch('READY_SUPPLEMENTAL', { merged_presences: { friends: [] } });
    await link.settled();
    expect(statuses()).toEqual(['disconnected', 'connecting', 'connected', 'ready']);
  });

  it('shows the presence again when a session is resumed, because the last change may have been lost', async () => {
    const link = await connected();
    await client.presence.set({ state: 'In a group' });
    await client.presence.clear();
    await link.next();
    await link.next();
    link.close(1012);
    const next = await nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
    next.send({ op: opcodes.DISPATCH, t: 'RESUMED', d: {}, s: 3 });
    expect(await next.next()).toMatchObject({ op: opcodes.PRESENCE_UPDATE, d: { activities: [], status: 'online' } });
  });

  it('joins the call in progress, and resolves immediately when it is ready', async () => {
    const both = Promise.all([client.connect(), client.connect()]);
    await (await gateway.link()).open();
    await both;
    await client.connect();
    expect(gateway.asked).toBe(1);
    expect(gateway.waiting).toBe(0);
  });

  it('needs a token first', async () => {
    const bare = new Client({ baseUrl: gateway.baseUrl });
    await expect(bare.connect()).rejects.toMatchObject({ name: 'ArgumentError', code: 'missing_access_token' });
    expect(() => bare.updateToken('')).toThrow(expect.objectContaining({ code: 'missing_access_token' }));
  });

  it('rejects when the service cannot be reached, and says why in the status', async () => {
    await gateway.close();
    await expect(elapse(clock, client.connect())).rejects.toMatchObject({ code: 'unreachable' });
    expect(client.status).toMatchObject({ status: 'disconnected', error: { code: 'unreachable' } });
  });

  it.each([
    ['https://gateway.example', 'unreadable_answer'],
    [undefined, 'unreadable_answer'],
    ['ws://gateway.example', 'insecure_address'],
  ])('rejects the gateway address %j, to which no token may go', async (url, code) => {
    gateway.answers = [{ status: 200, body: { url } }];
    await expect(client.connect()).rejects.toMatchObject({ code });
    expect(client.status).toMatchObject({ status: 'disconnected', error: { code } });
  });

  it('waits in http_wait while the service is not well, then continues', async () => {
    gateway.answers = Array.from({ length: 4 }, () => ({ status: 503, body: {} }));
    const connecting = client.connect();
    const link = await nextLink();
    await link.open();
    await connecting;
    expect(statuses()).toEqual(['disconnected', 'connecting', 'http_wait', 'connecting', 'connected', 'ready']);
    expect(seen[2]).toMatchObject({ error: { status: 503 }, retryAtMs: expect.any(Number) });
  });

  it('gives up after 30 s, and not before', async () => {
    const connecting = client.connect();
    connecting.catch(() => {});
    const link = await gateway.link();
    link.hello();
    await link.next();
    await clock.advance(29_999);
    expect(client.status.status).not.toBe('disconnected');
    await clock.advance(1);
    await expect(connecting).rejects.toMatchObject({ name: 'TransportError', code: 'deadline_exceeded' });
    await until('disconnected');
    expect(client.status).toMatchObject({ error: { code: 'deadline_exceeded' } });
  });

  it('has no deadline once it was ready', async () => {
    const link = await connected();
    await clock.advance(39_000);
    await link.settled();
    expect(client.status.status).toBe('ready');
  });

  it.each(['before it begins', 'while it opens', 'while it identifies'])('ends when aborted %s', async when => {
    const abort = new AbortController();
    if (when === 'before it begins') abort.abort();
    const connecting = client.connect({ signal: abort.signal });
    connecting.catch(() => {});
    if (when !== 'before it begins') {
      const link = await gateway.link();
      if (when === 'while it identifies') link.hello();
      abort.abort();
      await link.closed;
    }
    await expect(connecting).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await until('disconnected');
    expect(client.status).toEqual({ status: 'disconnected' });
  });

  it('is not ended by an abort once it was ready', async () => {
    const abort = new AbortController();
    const connecting = client.connect({ signal: abort.signal });
    const link = await gateway.link();
    await link.open();
    await connecting;
    abort.abort();
    await link.settled();
    expect(client.status.status).toBe('ready');
  });
});

describe('staying connected', () => {
  it('sends heartbeats with the last sequence number: the first after a part of the interval, then each interval', async () => {
    const connecting = client.connect();
    const link = await gateway.link();
    link.hello(10_000);
    await link.next();
    link.ready();
    await connecting;
    await clock.advance(4_999);
    await link.settled();
    await clock.advance(1); // half an interval: the entropy of this test
    await expect(clock.advance(1)).resolves.toBe(startMs + 5_001);
    expect(await link.next()).toEqual({ op: opcodes.HEARTBEAT, d: 1, s: null, t: null });
    link.send({ op: opcodes.HEARTBEAT_ACK, d: null });
    link.dispatch('SOMETHING_ELSE', {});
    await link.settled();
    await clock.advance(10_000);
    expect(await link.next()).toMatchObject({ op: opcodes.HEARTBEAT, d: 2 });
  });

  it('treats a gateway that acknowledges no heartbeat as gone, closes with neither 1000 nor 1001, and resumes', async () => {
    const link = await connected();
    await clock.advance(20_000);
    expect(await link.next()).toMatchObject({ op: opcodes.HEARTBEAT });
    await clock.advance(40_000);
    expect([1000, 1001]).not.toContain(await link.closed);
    const next = await nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
  });

  it('resumes after a drop: the gap is replayed, no lobby is forgotten, the player is the same', async () => {
    const link = await connected({ lobbies: [lobby('5')] });
    link.cut();
    const down = await until('reconnecting');
    expect(down).toMatchObject({ error: { code: 'connection_lost' }, retryAtMs: clock.now() + 750 });
    expect(client.lobbies.snapshot).toHaveLength(1);
    const next = await nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({
      op: opcodes.RESUME,
      d: { token: 'Bearer the-token', session_id: 'the-session', seq: 1 },
    });
    next.send({ op: opcodes.DISPATCH, t: 'LOBBY_CREATE', d: lobby('6'), s: 2 });
    next.send({ op: opcodes.DISPATCH, t: 'RESUMED', d: {}, s: 3 });
    await until('ready');
    expect(client.status).toEqual({ status: 'ready', userId: '9' });
    expect(client.lobbies.snapshot).toHaveLength(2);
  });

  it('begins a new session when it may not resume; its READY replaces the lobbies in one emission', async () => {
    const link = await connected({ lobbies: [lobby('5'), lobby('6')] });
    const states: string[][] = [];
    client.lobbies$.subscribe(state => states.push(state.map(({ id }) => id)));
    link.send({ op: opcodes.INVALID_SESSION, d: false });
    const next = await nextLink();
    const identify = await next.open({ lobbies: [lobby('6'), lobby('7')] });
    expect(identify.op).toBe(opcodes.IDENTIFY);
    await until('ready');
    expect(states).toEqual([
      ['5', '6'],
      ['6', '7'],
    ]);
  });

  it('uses the newest token for the next connection', async () => {
    const link = await connected();
    client.updateToken('the-new-token');
    await link.settled();
    link.close(closeCodes.SESSION_TIMED_OUT.code);
    const next = await nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.IDENTIFY, d: { token: 'Bearer the-new-token' } });
  });

  const codes = Object.values(closeCodes);

  it.each(codes.filter(({ remedy }) => remedy === 'stop'))('stops for good at close code $code', async ({ code }) => {
    const link = await connected({ lobbies: [lobby('5')] });
    link.close(code);
    const end = await until('disconnected');
    expect(end).toMatchObject({
      closeCode: code,
      error: { name: 'GatewayError', closeCode: code, recoverable: false },
    });
    expect(client.lobbies.snapshot).toEqual([]);
    await clock.advance(120_000);
    expect(gateway.waiting).toBe(0);
  });

  it.each(codes.filter(({ remedy }) => remedy !== 'stop'))('connects again at close code $code', async ({ code }) => {
    const link = await connected();
    link.close(code);
    expect(await until('reconnecting')).toMatchObject({ closeCode: code, error: { recoverable: true } });
    await nextLink();
  });

  it('rejects connect() with the close code that ends the first attempt', async () => {
    const connecting = client.connect();
    const link = await gateway.link();
    link.hello();
    await link.next();
    link.close(closeCodes.AUTHENTICATION_FAILED.code);
    await expect(connecting).rejects.toMatchObject({ name: 'GatewayError', closeCode: 4004, recoverable: false });
  });

  it('lets the first attempt fail and succeeds with the next', async () => {
    const connecting = client.connect();
    (await gateway.link()).cut();
    await (await nextLink()).open();
    await connecting;
    expect(statuses().filter(status => status === 'reconnecting')).toHaveLength(1);
  });

  it('drops a connection that sends what is no frame, and keeps its state', async () => {
    for (const send of [
      (link: ScriptedLink) => link.sendText('no frame'),
      (link: ScriptedLink) => link.sendText('{"op":"0"}'),
      (link: ScriptedLink) => link.sendBytes(new Uint8Array([1, 2])),
    ]) {
      const link = await connected({ lobbies: [lobby('5')] });
      send(link);
      await until('reconnecting');
      expect(client.lobbies.snapshot).toHaveLength(1);
      await client.disconnect();
    }
  });

  it('ignores dispatches it cannot read, frames it does not know and events about other things', async () => {
    const link = await connected({ lobbies: [lobby('5')] });
    link.dispatch('LOBBY_UPDATE', { id: [] });
    link.dispatch('LOBBY_DELETE', null);
    link.dispatch('GUILD_CREATE', {});
    link.send({ op: 99, d: {} });
    link.dispatch('LOBBY_CREATE', lobby('6'));
    await link.settled();
    expect(client.status.status).toBe('ready');
    expect(client.lobbies.snapshot).toHaveLength(2);
  });
});

describe('waking up', () => {
  const heartbeat = { op: opcodes.HEARTBEAT };

  it('asks for a sign of life within 5 s of a sleep, instead of waiting for the next heartbeat', async () => {
    const link = await connected();
    machine.sleep(3_600_000);
    await clock.advance(5_000);
    expect(await link.next()).toMatchObject(heartbeat);
    link.send({ op: opcodes.HEARTBEAT_ACK, d: null });
    await link.settled();
    await clock.advance(10_000);
    expect(client.status.status).toBe('ready');
  });

  it('takes the connection for lost when none comes within 5 s, and resumes', async () => {
    const link = await connected();
    machine.sleep(3_600_000);
    await clock.advance(5_000);
    expect(await link.next()).toMatchObject(heartbeat);
    await clock.advance(4_999);
    expect(client.status.status).toBe('ready');
    await clock.advance(1);
    await link.closed;
    const next = await nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
  });

  it('sends a heartbeat immediately when the machine resumes', async () => {
    const link = await connected();
    client.checkConnection();
    expect(await link.next()).toMatchObject(heartbeat);
  });

  it('does not wait for the end of a pause, and opens one socket', async () => {
    (await connected()).cut();
    await until('reconnecting');
    client.checkConnection();
    client.checkConnection();
    const link = await gateway.link();
    client.checkConnection();
    link.hello();
    expect(await link.next()).toMatchObject({ op: opcodes.RESUME });
    await clock.advance(10_000);
    expect(gateway.waiting).toBe(0);
  });

  it('is nothing to a client that is not connected', async () => {
    client.checkConnection();
    await clock.advance(60_000);
    expect([gateway.asked, gateway.waiting]).toEqual([0, 0]);
  });
});

describe('one socket at a time', () => {
  it('whatever comes together: drops, sleep, wake-ups, disconnects', async () => {
    const script = [
      (link: ScriptedLink) => link.cut(),
      (link: ScriptedLink) => link.close(closeCodes.SESSION_TIMED_OUT.code),
      (link: ScriptedLink) => link.send({ op: opcodes.RECONNECT, d: null }),
      (link: ScriptedLink) => link.send({ op: opcodes.INVALID_SESSION, d: false }),
      () => machine.sleep(60_000),
      () => void client.disconnect().then(() => client.connect()),
    ];
    let link = await connected();
    for (const [place, act] of [...script, ...script.toReversed()].entries()) {
      act(link);
      client.checkConnection();
      if (place % 2 === 0) await clock.advance(5_000);
      client.checkConnection();
      link = await elapse(clock, openNext(link), 60_000, 500);
    }
    expect(gateway.openMax).toBe(1);
  });

  /** The link that is ready after whatever happened to this one; heartbeats of it are not answered. */
  async function openNext(link: ScriptedLink): Promise<ScriptedLink> {
    await link.closed;
    const next = await gateway.link();
    next.hello();
    const greeting = await next.next();
    const { seq = 0 } = greeting.d as { seq?: number };
    if (greeting.op === opcodes.RESUME) next.send({ op: opcodes.DISPATCH, t: 'RESUMED', d: {}, s: seq + 1 });
    else next.ready();
    await until('ready');
    return next;
  }
});

describe('disconnecting', () => {
  it('closes with 1000, resolves when the socket is gone, and forgets the lobbies', async () => {
    const link = await connected({ lobbies: [lobby('5')] });
    await client.disconnect();
    expect(await link.closed).toBe(1000);
    expect(statuses().slice(-2)).toEqual(['disconnecting', 'disconnected']);
    expect(client.status).toEqual({ status: 'disconnected' });
    expect(client.lobbies.snapshot).toEqual([]);
    await client.disconnect();
  });

  it('rejects a connect() under way', async () => {
    const connecting = client.connect();
    connecting.catch(() => {});
    await gateway.link();
    await client.disconnect();
    await expect(connecting).rejects.toMatchObject({ code: 'aborted' });
    expect(client.status.status).toBe('disconnected');
  });

  it.each(['disconnect', 'close'] as const)(
    'is final when an observer of READY calls %s(): nothing is ready or sent any more',
    async end => {
      const waiting = client.lobbies.join('the harbour', { whenOffline: 'queue' });
      const ended = expect(waiting).rejects.toMatchObject({ code: 'aborted' });
      const connecting = expect(client.connect()).rejects.toMatchObject({ code: 'aborted' });
      const link = await gateway.link();
      client.lobbies$.subscribe(({ length }) => length > 0 && void client[end]());
      await link.open({ lobbies: [lobby('5')] });
      await connecting;
      await link.closed;
      await client[end]();
      expect(statuses()).toEqual(['disconnected', 'connecting', 'connected', 'disconnecting', 'disconnected']);
      if (end === 'disconnect') expect(client.waits).toMatchObject([{ operation: 'join', reason: 'offline' }]);
      await client.close();
      await ended;
    },
  );

  it('ends the wait for the next attempt', async () => {
    (await connected()).cut();
    await until('reconnecting');
    await client.disconnect();
    await clock.advance(120_000);
    expect(gateway.waiting).toBe(0);
  });

  it('is waited for by a connect() that comes meanwhile', async () => {
    await connected();
    const gone = client.disconnect();
    const connecting = client.connect();
    await gone;
    await (await gateway.link()).open();
    await connecting;
    expect(client.status.status).toBe('ready');
  });

  it('is part of close(), which completes the observables and rejects later calls', async () => {
    await connected();
    let completed = 0;
    const streams: readonly Observable<unknown>[] = [client.status$, client.lobbies$, client.lobby$('5')];
    for (const stream of streams) {
      stream.subscribe({ complete: () => completed++ });
    }
    await client.close();
    await client.close();
    expect(completed).toBe(3);
    await expect(client.connect()).rejects.toMatchObject({ code: 'closed' });
    await expect(client.getToken({ code: 'c', redirectUri: 'r', verifier: 'v' })).rejects.toMatchObject({
      code: 'closed',
    });
  });
});

describe('the end of the access token', () => {
  const hourMs = 3_600_000;
  const told: TokenExpiration[] = [];
  beforeEach(() => {
    told.length = 0;
    client.tokenExpiration$.subscribe(expiration => told.push(expiration));
    client.updateToken({ accessToken: 'the-token', expiresAtMs: startMs + hourMs });
  });

  it('is announced once, five minutes ahead, while connected', async () => {
    await clock.advance(hourMs / 2);
    await connected();
    await clock.advance(hourMs / 2 - expirationNoticeMs - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    client.updateToken({ accessToken: 'the-token', expiresAtMs: startMs + hourMs });
    await clock.advance(10_000);
    expect(told).toEqual([{ expiresAtMs: startMs + hourMs, isExpired: false }]);
  });

  it('is not announced while disconnected, but with the next connection', async () => {
    await clock.advance(2 * hourMs);
    expect(told).toEqual([]);
    const connecting = client.connect();
    await clock.advance(0);
    expect(told).toEqual([{ expiresAtMs: startMs + hourMs, isExpired: true }]);
    connecting.catch(() => {});
  });

  it('is announced immediately to a game that checks after a sleep', async () => {
    await connected();
    machine.sleep(hourMs);
    client.checkConnection();
    expect(told).toHaveLength(1);
  });
});
