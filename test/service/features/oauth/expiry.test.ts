import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSweeping, sweepExpired } from '../../../../src/service/features/oauth/expiry.ts';
import type { EmbeddedStore } from '../../../../src/service/store/embedded.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { silentLogger } from '../../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';

const startMs = 1_800_000_000_000;
let clock: VirtualClock;
let store: EmbeddedStore;

beforeAll(async () => {
  store = await openSqliteStore({ location: ':memory:', sink: () => {} });
});
beforeEach(() => {
  clock = new VirtualClock(startMs);
});
afterAll(() => store.close());

function core() {
  return { clock, store, log: silentLogger };
}

async function addSignIns(count: number, expires_at_ms: number): Promise<void> {
  await store.transact('test', transaction => {
    for (let index = 0; index < count; index++) {
      transaction.put('sign_ins', { hash: `${expires_at_ms}/${index}`, user_id: '9', expires_at_ms });
    }
  });
}

async function left(): Promise<number> {
  return (await store.list('sign_ins')).length;
}

describe('a sweep', () => {
  it('deletes what ends now or ended before, and nothing that ends a millisecond later', async () => {
    await addSignIns(1, startMs - 1);
    await addSignIns(1, startMs);
    await addSignIns(1, startMs + 1);
    await sweepExpired(core());
    expect((await store.list('sign_ins')).map(({ expires_at_ms }) => expires_at_ms)).toEqual([startMs + 1]);
    await clock.advance(1);
    await sweepExpired(core());
    expect(await left()).toBe(0);
  });

  it('keeps tokens that never expire', async () => {
    const token = { kind: 'refresh', application_id: '1', user_id: '9', scopes: [], expires_at_ms: null } as const;
    await store.transact('test', transaction =>
      transaction.put('tokens', { hash: 'x', authorization_id: '2', grant_id: 'g', ...token }),
    );
    await clock.advance(1e12);
    await sweepExpired(core());
    expect(await store.get('tokens', 'x')).toMatchObject({ hash: 'x' });
  });

  it('deletes any number, in bounded units of work', async () => {
    await addSignIns(1201, startMs);
    await sweepExpired(core());
    expect(await left()).toBe(0);
  });

  it('happens from time to time until it is stopped', async () => {
    const stop = startSweeping(core());
    await addSignIns(1, startMs);
    await clock.advance(600_000);
    expect(await left()).toBe(0);
    stop();
    await addSignIns(1, startMs);
    await clock.advance(6_000_000);
    expect(await left()).toBe(1);
  });
});
