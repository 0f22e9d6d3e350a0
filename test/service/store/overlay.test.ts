import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoreView } from '../../../src/service/store/contract.ts';
import { Overlay } from '../../../src/service/store/overlay.ts';
import { PlainStore } from '../../support/store/plain-store.ts';
import { tokenRecord } from '../../support/store/records.ts';
import { anyStep, type Step } from '../../support/store/store-steps.ts';

/** A view that answers with promises, as an engine behind a socket does. */
function later(view: StoreView): StoreView {
  return {
    get: async (collection, ...key) => view.get(collection, ...key),
    list: async (collection, query) => view.list(collection, query),
  };
}

async function see(overlay: Overlay, steps: readonly Step[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const step of steps) seen.push(await step(overlay));
  return seen;
}

describe('an overlay', () => {
  for (const [name, wrap] of [
    ['at once', (view: StoreView) => view],
    ['with promises', later],
  ] as const) {
    it(`shows a base that answers ${name} as if its changes were made, and leaves the base as it is`, async () => {
      const steps = fc.array(anyStep, { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(steps, steps, steps, async (below, between, above) => {
          const base = new PlainStore();
          for (const step of below) step(base);
          const overlay = new Overlay(wrap(base));
          const kept = new PlainStore(base);
          expect(await see(overlay, between)).toEqual(between.map(step => step(kept)));

          overlay.savepoint();
          const model = new PlainStore(kept);
          expect(await see(overlay, above)).toEqual(above.map(step => step(model)));

          const untouched = new PlainStore();
          for (const step of below) step(untouched);
          expect(base.list('tokens')).toEqual(untouched.list('tokens'));

          overlay.rollBack();
          expect(await overlay.list('tokens')).toEqual(kept.list('tokens'));
          expect(await overlay.list('lobby_members')).toEqual(kept.list('lobby_members'));
          expect(await see(overlay, above)).toEqual(above.map(step => step(kept)));
        }),
      );
    });
  }

  it('asks its base for no more than a list needs', async () => {
    const base = new PlainStore();
    for (let at = 0; at < 1000; at++) base.put('tokens', tokenRecord({ hash: String(1000 + at) }));
    const asked: (number | undefined)[] = [];
    const overlay = new Overlay({
      get: (collection, ...key) => base.get(collection, ...key),
      list: (collection, query) => {
        asked.push(query?.limit);
        return base.list(collection, query);
      },
    });
    overlay.put('tokens', tokenRecord({ hash: '5' }));
    expect(await overlay.list('tokens', { limit: 2 })).toMatchObject([{ hash: '1000' }, { hash: '1001' }]);
    expect(asked).toEqual([2]);
    for (let at = 0; at < 5; at++) overlay.delete('tokens', String(1000 + at));
    asked.length = 0;
    expect(await overlay.list('tokens', { limit: 2 })).toMatchObject([{ hash: '1005' }, { hash: '1006' }]);
    expect(asked).toEqual([2, 4, 8]);
  });

  it('keeps the record as it was put, whatever its maker tries afterwards', () => {
    const overlay = new Overlay(new PlainStore());
    const scopes = ['openid'];
    overlay.put('tokens', tokenRecord({ hash: 'a', scopes }));
    expect(() => scopes.push('email')).toThrow(TypeError);
    expect(overlay.get('tokens', 'a')).toMatchObject({ scopes: ['openid'] });
  });
});
