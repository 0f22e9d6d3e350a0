import { beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../src/service/core.ts';
import { createExpiry } from '../../src/service/expiry.ts';
import { StoreError } from '../../src/service/store/errors.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';
import { lobbyRecord } from '../support/store/records.ts';
import { makeWorld } from './features/support.ts';

let core: Core;
let clock: VirtualClock;
let lines: LogLine[];
let looked: string[];
const startMs = 1_800_000_000_000;
const idOf = (number: number) => String(1000 + number);

/** More than are looked at side by side, all due a second after the start. */
beforeEach(async () => {
  const { core: made } = await makeWorld();
  const recorded = recordingLog();
  lines = recorded.lines;
  looked = [];
  clock = new VirtualClock(startMs);
  core = { ...made, clock, log: recorded.log };
  const lobbies = Array.from({ length: 300 }, (_, number) =>
    lobbyRecord({ id: idOf(number), expires_at_ms: startMs + 1000 }),
  );
  await core.store.load({ ...(await core.store.dump()), lobbies });
});

async function expire(id: string): Promise<void> {
  looked.push(id);
  await core.store.transact(`lobby/${id}`, work => work.delete('lobbies', id));
}

const left = async () => (await core.store.list('lobbies')).map(({ id }) => id);

it('a store that fails is logged once, and the sweep goes on when it works again', async () => {
  let isAway = true;
  const list: Core['store']['list'] = (...query) =>
    isAway ? Promise.reject(new StoreError('store_unavailable', 'It is away.')) : core.store.list(...query);
  const store = new Proxy(core.store, { get: (of, name) => (name === 'list' ? list : Reflect.get(of, name).bind(of)) });
  const expiry = createExpiry({ ...core, store }, 'lobbies', expire);
  const stop = await expiry.start();
  await clock.advance(60_000);
  expect(lines).toHaveLength(1);
  isAway = false;
  await clock.advance(1000);
  expect(await left()).toEqual([]);
  stop();
});

describe('a record that is due and cannot be dealt with', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('It is broken.'))],
    ['stays due whatever is done', async () => {}],
  ])('does not keep the others when it %s, and is tried again after ten minutes', async (_what, fail) => {
    const broken = new Set([idOf(0), idOf(1), idOf(299)]);
    const expiry = createExpiry(core, 'lobbies', id => (broken.has(id) ? fail() : expire(id)));
    const stop = await expiry.start();
    await clock.advance(1000);
    expect(await left()).toEqual([...broken]);
    expect(looked).toHaveLength(297);
    expect(lines.map(({ level, collection, id }) => ({ level, collection, id }))).toEqual(
      expect.arrayContaining([...broken].map(id => ({ level: 'error', collection: 'lobbies', id }))),
    );
    expect(lines).toHaveLength(3);

    broken.clear();
    await clock.advance(600_000);
    expect(await left()).toEqual([]);
    stop();
  });

  it('keeps nothing that falls due later', async () => {
    const expiry = createExpiry(core, 'lobbies', id => (id === idOf(0) ? Promise.reject(new Error('x')) : expire(id)));
    const stop = await expiry.start();
    await clock.advance(1000);
    const record = lobbyRecord({ id: '9', expires_at_ms: clock.now() + 5000 });
    await core.store.transact('lobby/9', work => work.put('lobbies', record));
    expiry.notice(record.expires_at_ms);
    await clock.advance(5000);
    expect(await left()).toEqual([idOf(0)]);
    stop();
  });
});
