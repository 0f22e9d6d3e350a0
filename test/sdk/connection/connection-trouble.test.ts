import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { opcodes } from '../../../src/model/gateway.ts';
import type { SocketFactory } from '../../../src/wire/clock/ports.ts';
import { loadSystemSocket } from '../../../src/wire/gateway/socket.ts';
import { reachingMsMax } from '../../../src/wire/http/reaching.ts';
import { ScriptedGame } from '../../support/gateway/scripted-game.ts';

const lobby = (id: string) => ({ id, application_id: '1', metadata: {}, members: [] });

let openReal: SocketFactory;
/** How many sockets are refused from now on. */
let refusals: number;
/** What happens to sockets instead of opening: they never do, or they close with this reason. */
let fate: 'hang' | { reason: string } | undefined;
/** How many sockets were asked for. */
let made: number;
/** Whether sockets ignore that they are closed. */
let isDeaf: boolean;
let game: ScriptedGame;
beforeEach(async () => {
  openReal = await loadSystemSocket();
  refusals = 0;
  fate = undefined;
  made = 0;
  isDeaf = false;
  game = await ScriptedGame.start({
    socket(url, events) {
      made++;
      if (refusals-- > 0) throw new SyntaxError('no such address');
      if (fate === 'hang') return { send() {}, close: () => queueMicrotask(() => events.closed(1006, 'given up')) };
      if (fate) {
        const { reason } = fate;
        queueMicrotask(() => events.closed(1006, reason));
        return { send() {}, close() {} };
      }
      const real = openReal(url, events);
      return { send: text => real.send(text), close: (...args) => void (isDeaf || real.close(...args)) };
    },
  });
});
afterEach(() => game.close());

describe('a connection', () => {
  it('rejects connect() when no socket can be made, and leaves nothing behind', async () => {
    refusals = 1;
    await expect(game.client.connect()).rejects.toMatchObject({ code: 'unreachable' });
    expect(game.client.status).toMatchObject({ status: 'disconnected', error: { code: 'unreachable' } });
  });

  it('tries again when no socket can be made later on', async () => {
    const link = await game.connect();
    refusals = 3;
    link.cut();
    const next = await game.nextLink();
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
    expect(game.seen.filter(({ status }) => status === 'reconnecting')).toHaveLength(4);
  });

  it('finds back by the first address when the one for resuming is dead, or opens no socket', async () => {
    for (const resume_gateway_url of ['ws://127.0.0.1:1', 'ws://127.0.0.1:1/#a', 'ws://127.0.0.1:0']) {
      const link = await game.connect({ resume_gateway_url });
      link.cut();
      const next = await game.nextLink();
      next.hello();
      expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
      await game.client.disconnect();
    }
  });

  it('shows nothing of a new session before its READY', async () => {
    const { client } = game;
    const link = await game.connect({ lobbies: [lobby('5')] });
    const states: string[] = [];
    client.lobbies$.subscribe(state => states.push(state.map(({ id }) => id).join()));
    link.send({ op: opcodes.INVALID_SESSION, d: false });
    const next = await game.nextLink();
    next.hello();
    await next.next();
    next.dispatch('LOBBY_CREATE', lobby('6'));
    next.dispatch('LOBBY_DELETE', { id: '5' });
    next.ready({ lobbies: [lobby('7')] });
    await game.until('ready');
    expect(states).toEqual(['5', '7']);
  });

  it('pauses ever longer between sockets that open and close immediately', async () => {
    const { client, clock, gateway } = game;
    const pauses: number[] = [];
    client.status$.subscribe(({ retryAtMs }) => {
      if (retryAtMs !== undefined) pauses.push(retryAtMs - clock.now());
    });
    (await game.connect()).cut();
    for (let i = 0; i < 7; i++) (await game.nextLink()).close(1000);
    await game.until('reconnecting');
    expect(pauses.slice(0, 7)).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    expect(gateway.openMax).toBe(1);
  });

  /** The pauses that were announced while time passed. */
  async function pausesOf(ms: number): Promise<number[]> {
    const { client, clock } = game;
    const pauses: number[] = [];
    const watching = client.status$.subscribe(({ retryAtMs }) => {
      if (retryAtMs !== undefined) pauses.push(retryAtMs - clock.now());
    });
    await clock.advance(ms);
    watching.unsubscribe();
    return pauses;
  }

  it.each([25, 60, 240])('is ready within 5 s after %d s without a network', async seconds => {
    const link = await game.connect();
    fate = { reason: 'connect ECONNREFUSED' };
    link.cut();
    await game.until('reconnecting');
    const pauses = await pausesOf(seconds * 1_000);
    expect(Math.max(...pauses) + reachingMsMax).toBeLessThanOrEqual(5_000);
    fate = undefined;
    const sinceMs = game.clock.now();
    const next = await game.nextLink();
    expect(game.clock.now() - sinceMs).toBeLessThanOrEqual(1_500);
    next.hello();
    expect(await next.next()).toMatchObject({ op: opcodes.RESUME });
  });

  it('pauses up to 30 s while something answers in place of the gateway that it is not available', async () => {
    const link = await game.connect();
    fate = { reason: 'Unexpected server response: 503' };
    link.cut();
    await game.until('reconnecting');
    expect(await pausesOf(60_000)).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
  });

  it('pauses up to 30 s again after minutes in which nobody could be reached', async () => {
    const link = await game.connect();
    fate = { reason: 'connect ECONNREFUSED' };
    link.cut();
    await game.until('reconnecting');
    const pauses = await pausesOf(400_000);
    expect(pauses.at(-1)).toBe(22_500);
    expect(pauses.length).toBeLessThan(320);
  });

  it.each([
    [1_999, 0],
    [2_000, 1],
  ])('gives up an attempt that has hung for %d ms when it is checked, and begins another: %d', async (ms, begun) => {
    const link = await game.connect();
    fate = 'hang';
    link.cut();
    await game.until('reconnecting');
    await game.clock.advance(750);
    await game.clock.advance(ms);
    fate = undefined;
    const before = made;
    game.client.checkConnection();
    await game.clock.advance(0);
    expect(made - before).toBe(begun);
  });

  it('closes within a second, whatever its socket does', async () => {
    const link = await game.connect();
    const { client, clock } = game;
    isDeaf = true;
    let isClosed = false;
    client.status$.subscribe({
      complete: () => {
        isClosed = true;
      },
    });
    const closing = client.close();
    await clock.advance(1_000);
    await closing;
    expect(isClosed).toBe(true);
    link.cut();
  });
});
