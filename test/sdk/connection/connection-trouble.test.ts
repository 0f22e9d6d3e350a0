import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { opcodes } from '../../../src/model/gateway.ts';
import type { SocketFactory } from '../../../src/wire/clock/ports.ts';
import { loadSystemSocket } from '../../../src/wire/gateway/socket.ts';
import { ScriptedGame } from '../../support/gateway/scripted-game.ts';

const lobby = (id: string) => ({ id, application_id: '1', metadata: {}, members: [] });

let openReal: SocketFactory;
/** How many sockets are refused from now on. */
let refusals: number;
let game: ScriptedGame;
beforeEach(async () => {
  openReal = await loadSystemSocket();
  refusals = 0;
  game = await ScriptedGame.start({
    socket(url, events) {
      if (refusals-- > 0) throw new SyntaxError('no such address');
      return openReal(url, events);
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
});
