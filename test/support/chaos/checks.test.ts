import { describe, expect, it } from 'vitest';
import { snowflakeEpochMs } from '../../../src/model/snowflake.ts';
import { checkLimits, checkTimers, checkWatchers, checkWebhooks, checkWrites, type Disturbance } from './checks.ts';
import { type Committed, keyOf } from './event-history.ts';
import type { Load } from './load.ts';
import { type Call, Findings } from './record.ts';
import type { Watcher } from './watcher.ts';

const startMs = snowflakeEpochMs + 1_000_000;
const lobby = '100';

/** An event of the lobby that was committed `at` ms after the start. */
function update(n: number, at = n * 10, absentAt = at - 5): Committed {
  return event('LOBBY_UPDATE', `lobby/${lobby}`, { id: lobby, metadata: { v: `edit-${n}` } }, n, at, absentAt);
}

function event(name: string, topic: string, data: object, position: number, at: number, absentAt = at - 5): Committed {
  return {
    ...{ position, number: 0, topic, name, data: data as Committed['data'], key: keyOf(name, data) },
    ...{ except: undefined, only: undefined, atMs: startMs + at, absentAtMs: startMs + absentAt },
  };
}

function call(status: number, endMs: number, more: Partial<Call> = {}): Call {
  return { what: 'a call', status, body: {}, headers: {}, startMs, endMs: startMs + endMs, ...more };
}

/** What a check finds. */
function found(check: (findings: Findings) => unknown): string {
  const findings = new Findings(() => {});
  check(findings);
  return findings.violations.join('\n');
}

function load(parts: Partial<Record<keyof Load, unknown>>): Load {
  const empty = { writes: [], idleLobbies: [], uses: new Map(), answers: new Map(), limited: [] };
  return { ...empty, ...parts } as unknown as Load;
}

describe('the check of writes', () => {
  const check = (status: number, endMs: number, ...events: readonly Committed[]) =>
    found(findings =>
      checkWrites(load({ writes: [{ value: 'edit-1', call: call(status, endMs) }] }), events, findings),
    );

  it.each([
    ['was acknowledged and happened', 200, 20, [update(1)], ''],
    ['failed and did not happen', 503, 20, [], ''],
    ['failed and happened before', 503, 20, [update(1)], ''],
    ['got no answer and happens later', 0, 5, [update(1, 50, 40)], ''],
    ['was acknowledged and is lost', 200, 20, [update(2)], 'is lost'],
    ['happened twice', 200, 200, [update(1), { ...update(1), position: 3 }], '2 times'],
    ['failed and happens later', 503, 5, [update(1, 50, 40)], 'later'],
    ['was refused and happened', 400, 20, [update(1)], 'refused and happened'],
  ])('judges one that %s', (_, status, endMs, events, said) => {
    const violations = check(status, endMs, ...events);
    if (said === '') expect(violations).toBe('');
    else expect(violations).toContain(said);
  });
});

describe('the check of clients', () => {
  const history = [1, 2, 3, 4, 5].map(n => update(n));

  /** @param seen numbers of the events that the client got after the state with `edit-1` */
  const check = (seen: readonly number[], snapshot = 'edit-1') =>
    found(findings => {
      const epoch = {
        ...{ readyMs: startMs + 15, endMs: Number.POSITIVE_INFINITY, snapshots: new Map([[lobby, snapshot]]) },
        seen: seen.map(n => ({ name: 'LOBBY_UPDATE', key: update(n).key, lobby })),
      };
      const watcher = { name: 'player', userId: '1', epochs: [epoch] } as unknown as Watcher;
      checkWatchers([watcher], history, findings);
    });

  it('accepts every event since the state, once and in order', () => expect(check([2, 3, 4, 5])).toBe(''));
  it.each([
    ['one is missing', [2, 4, 5]],
    ['one is doubled', [2, 3, 3, 4, 5]],
    ['two are exchanged', [3, 2, 4, 5]],
    ['the last is missing', [2, 3, 4]],
    ['the first after READY is missing', [3, 4, 5]],
    ['none came', []],
    ['one is not of the history', [2, 3, 4, 5, 6]],
  ])('notices that %s', (_, seen) => expect(check(seen)).not.toBe(''));
  it('notices that the state was older than the first event', () => {
    expect(check([3, 4, 5], 'edit-1')).not.toBe('');
    expect(check([2, 3, 4, 5], 'edit-0')).not.toBe('');
  });
});

describe('the check of webhook events', () => {
  const history = [1, 2, 3].map(n =>
    event('LOBBY_MESSAGE_CREATE', `lobby/${lobby}`, { lobby_id: lobby, content: `message-${n}` }, n, n * 10),
  );
  const check = (...numbers: readonly number[]) =>
    found(findings => {
      const acknowledged = numbers.map(n => ({ lobby, content: `message-${n}` }));
      checkWebhooks(acknowledged, history, findings);
    });

  it('accepts all of them in order, and repetitions', () => {
    expect(check(1, 2, 3)).toBe('');
    expect(check(1, 2, 2, 3, 1)).toBe('');
  });
  it.each([
    ['one is lost', [1, 3], 'lost'],
    ['all are lost', [], 'lost'],
    ['two are exchanged', [1, 3, 2], 'came as'],
    ['one was never committed', [1, 2, 3, 4], 'never committed'],
  ])('notices that %s', (_, numbers, said) => expect(check(...numbers)).toContain(said));
});

describe('the check of timers', () => {
  const id = String(BigInt(startMs - snowflakeEpochMs) << 22n);
  const ended = (at: number, position = 1) => event('LOBBY_DELETE', `lobby/${id}`, { id }, position, at);
  const node: Disturbance = { what: 'node killed', isNode: true, startMs: startMs + 4000, endMs: startMs + 4500 };
  const engine: Disturbance = { ...node, what: 'Redis killed', isNode: false };
  const check = (events: readonly Committed[], ...disturbances: readonly Disturbance[]) =>
    found(findings => checkTimers(load({ idleLobbies: [id] }), events, disturbances, findings));

  it('accepts an end in time', () => expect(check([ended(5400)])).toBe(''));
  it('accepts a late end when a node died, or an engine was away', () => {
    expect(check([ended(10_900)], node)).toBe('');
    expect(check([ended(19_000)], engine)).toBe('');
  });
  it.each([
    ['early', [ended(4999)], []],
    ['late', [ended(8000)], []],
    ['too late after the end of a node', [ended(12_000)], [node]],
    ['too late after an engine was away', [ended(20_500)], [engine]],
    ['missing', [], []],
    ['there twice', [ended(5100), ended(5200, 2)], []],
  ])('notices that an end is %s', (_, events, disturbances) => expect(check(events, ...disturbances)).not.toBe(''));
});

describe('the check of limits', () => {
  const check = (calls: number) =>
    found(findings => {
      const headers = { 'x-ratelimit-reset': String(startMs / 1000 + 60) };
      checkLimits(load({ limited: Array.from({ length: calls }, () => call(200, 5, { headers })) }), findings);
    });

  it('accepts as many calls as are allowed, and no more', () => {
    expect(check(10)).toBe('');
    expect(check(11)).toContain('11 calls');
  });
});
