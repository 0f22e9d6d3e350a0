import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TurnShare } from '../../../src/service/http/turn-share.ts';
import { startService } from '../../../src/service/index.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';
import { playerToken } from '../../support/service/tokens.ts';

const { strangersTurnMs } = intakeLimits;

/** What of a socket is paused. */
class Connection extends PassThrough {
  isRead = true;
  readonly _handle = {
    reading: true,
    readStart: () => {
      this.isRead = true;
    },
    readStop: () => {
      this.isRead = false;
    },
  };
}

/** Connections by their names; what stands before the slash is the address. */
function open(...names: readonly string[]) {
  const clock = { nowMs: 0 };
  const connections = new Map(names.map(name => [name, new Connection()]));
  const listed = [...connections].map(([name, connection]) => [connection, name.split('/')[0] ?? ''] as const);
  const share = new TurnShare(
    () => listed,
    () => clock.nowMs,
  );
  const paused = () => names.filter(name => !connections.get(name)?.isRead);
  const spend = (...ms: readonly number[]) => {
    share.spend();
    for (const one of ms) {
      clock.nowMs += one;
      share.spend();
    }
  };
  return { connections, share, spend, paused };
}

describe('connections without a credential', () => {
  it('are not paused while they take no more than their share of a turn, in however many turns', async () => {
    const { spend, paused } = open('a/1', 'a/2');
    for (let turn = 0; turn < 3; turn++) {
      spend(strangersTurnMs / 2, strangersTurnMs / 2);
      expect(paused()).toEqual([]);
      await nextTurn();
    }
  });

  it('are all paused when they take more, and continue one of each address, then two, then four', async () => {
    const names = Array.from({ length: 8 }, (_, number) => `a/${number}`);
    const { spend, paused } = open(...names, 'b/1', 'b/2');
    for (let time = 0; time < 2; time++) {
      spend(strangersTurnMs, 1);
      expect(paused()).toEqual([...names, 'b/1', 'b/2']);
      await nextTurn();
      expect(paused()).toEqual([...names.slice(1), 'b/2']);
      await nextTurn();
      expect(paused()).toEqual(names.slice(3));
      await nextTurn();
      expect(paused()).toEqual(names.slice(7));
      await nextTurn();
      expect(paused()).toEqual([]);
    }
  });

  it('wait behind the others of their address when they take too much again', async () => {
    const { spend, paused } = open('a/1', 'a/2', 'a/3');
    spend(strangersTurnMs + 1);
    const continued: string[][] = [];
    for (let turn = 0; turn < 4; turn++) {
      const before = paused();
      await nextTurn();
      continued.push(before.filter(name => !paused().includes(name)));
      spend(strangersTurnMs + 1);
    }
    expect(continued).toEqual([['a/1'], ['a/2'], ['a/3'], ['a/1']]);
  });

  it('that Node does not read, or that were closed meanwhile, are left alone', async () => {
    const { connections, spend, paused } = open('a/1', 'a/2', 'a/3');
    const [first, second] = connections.values();
    if (first) Object.assign(first, { isRead: false })._handle.reading = false;
    spend(strangersTurnMs + 1);
    Object.assign(second ?? {}, { _handle: null });
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    expect(paused()).toEqual(['a/1', 'a/2']);
  });

  it('continue immediately when a credential was accepted on them', () => {
    const { connections, share, spend, paused } = open('a/1', 'a/2', 'a/3');
    spend(strangersTurnMs + 1);
    const proven = connections.get('a/3') as Connection;
    share.release(proven, 'a');
    share.release(proven, 'a');
    expect(paused()).toEqual(['a/1', 'a/2']);
  });
});

it('a service whose strangers always take too much answers requests and opens gateway connections', async () => {
  const bounds: { strangersTurnMs: number } = intakeLimits;
  bounds.strangersTurnMs = -1;
  onTestFinished(() => {
    bounds.strangersTurnMs = strangersTurnMs;
  });
  const service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  onTestFinished(() => service.close());
  const [ada] = starfall.users;
  const token = await playerToken(service, ada.id);
  const clients = Array.from({ length: 20 }, () =>
    GatewayClient.identified(service.gateway, { token: `Bearer ${token}` }),
  );
  const calls = Array.from({ length: 20 }, () => callApi(service, 'POST', '/lobbies', { metadata: { a: 'b' } }));
  for (const { status } of await Promise.all(calls)) expect(status).toBe(201);
  for (const client of await Promise.all(clients)) await client.end();
});
