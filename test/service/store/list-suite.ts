import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListQuery, Store } from '../../../src/service/store/contract.ts';
import type { TokenRecord } from '../../../src/service/store/records.ts';
import { PlainStore } from '../../support/store/plain-store.ts';
import { lobbyMemberRecord, tokenRecord } from '../../support/store/records.ts';
import { anyStep, type Step } from '../../support/store/store-steps.ts';

/** How lists select and order, alone and within works; part of the store suite. */
export function listSuite(store: () => Store, numRuns: number): void {
  const putMembers = (...pairs: [lobby: string, user: string][]) =>
    store().transact('x', work => {
      for (const [lobby_id, user_id] of pairs) work.put('lobby_members', lobbyMemberRecord({ lobby_id, user_id }));
    });
  const putTokens = (tokens: Record<string, Partial<TokenRecord>>) =>
    store().transact('x', work => {
      for (const [hash, fields] of Object.entries(tokens)) work.put('tokens', tokenRecord({ hash, ...fields }));
    });
  const tokens = async (query: ListQuery<'tokens'>) => (await store().list('tokens', query)).map(token => token.hash);

  describe('a list', () => {
    it('goes by the key, part by part', async () => {
      await putMembers(['2', 'a'], ['1', 'b'], ['10', 'a'], ['1', 'a']);
      const members = await store().list('lobby_members');
      expect(members.map(member => `${member.lobby_id} ${member.user_id}`)).toEqual(['1 a', '1 b', '10 a', '2 a']);
    });

    it('gives those that equal the first parts of the key', async () => {
      await putMembers(['1', 'b'], ['1', 'a'], ['10', 'a'], ['2', 'a']);
      const members = await store().list('lobby_members', { equals: ['1'] });
      expect(members.map(member => member.user_id)).toEqual(['a', 'b']);
      expect(await store().list('lobby_members', { equals: ['1', 'a'] })).toHaveLength(1);
      expect(await store().list('lobby_members', { equals: ['3'] })).toEqual([]);
    });

    it('orders text by code point, where JavaScript would go by code unit', async () => {
      const names = ['z', '\uff01', '😀', 'a', '', '\ud7ff', '\ue000', 'aa'];
      await putTokens(Object.fromEntries(names.map(name => [name, {}])));
      expect(await tokens({})).toEqual(['', 'a', 'aa', 'z', '\ud7ff', '\ue000', '\uff01', '😀']);
    });

    it('by an index goes by its fields, then by key, and leaves out records with null there', async () => {
      await putTokens({
        d: { expires_at_ms: 10 },
        c: { expires_at_ms: 9 },
        b: { expires_at_ms: 9 },
        a: { expires_at_ms: null },
        e: { expires_at_ms: -1 },
      });
      expect(await tokens({ index: 'byExpiry' })).toEqual(['e', 'b', 'c', 'd']);
    });

    it.each([
      [8, []],
      [9, ['a']],
      [10, ['a', 'b']],
    ])('up to %d includes the bound itself', async (upTo, expected) => {
      await putTokens({ a: { expires_at_ms: 9 }, b: { expires_at_ms: 10 }, c: { expires_at_ms: 11 } });
      expect(await tokens({ index: 'byExpiry', upTo })).toEqual(expected);
    });

    it('between two bounds includes both, also in descending order and within the first parts of the key', async () => {
      await putTokens(Object.fromEntries([1, 2, 3, 4].map(n => [`t${n}`, { expires_at_ms: n }])));
      expect(await tokens({ index: 'byExpiry', from: 2, upTo: 3 })).toEqual(['t2', 't3']);
      expect(await tokens({ index: 'byExpiry', from: 3, descending: true })).toEqual(['t4', 't3']);
      expect(await tokens({ from: 't3' })).toEqual(['t3', 't4']);
      expect(await tokens({ index: 'byExpiry', from: 4, upTo: 3 })).toEqual([]);
      await putMembers(['1', 'a'], ['1', 'b'], ['1', 'c'], ['2', 'c']);
      const members = await store().list('lobby_members', { equals: ['1'], from: 'b' });
      expect(members.map(member => member.user_id)).toEqual(['b', 'c']);
      await expect(async () => store().list('lobby_members', { equals: ['1', 'a'], from: 'a' })).rejects.toMatchObject({
        code: 'bad_query',
      });
    });

    it.each([0, 1, 2, 3])('gives at most its limit, %d', async limit => {
      await putTokens({ a: {}, b: {} });
      expect(await tokens({ limit })).toEqual(['a', 'b'].slice(0, limit));
    });

    it('descending gives the last first, ties by key too, and bounds what it begins with', async () => {
      await putTokens({ a: { expires_at_ms: 9 }, b: { expires_at_ms: 10 }, c: { expires_at_ms: 10 }, d: {} });
      expect(await tokens({ descending: true })).toEqual(['d', 'c', 'b', 'a']);
      expect(await tokens({ index: 'byExpiry', descending: true })).toEqual(['c', 'b', 'a']);
      expect(await tokens({ index: 'byExpiry', descending: true, limit: 1 })).toEqual(['c']);
      expect(await tokens({ index: 'byExpiry', descending: true, upTo: 9 })).toEqual(['a']);
      await putMembers(['1', 'a'], ['1', 'b'], ['2', 'c']);
      const members = await store().list('lobby_members', { equals: ['1'], descending: true });
      expect(members.map(member => member.user_id)).toEqual(['b', 'a']);
    });

    it('follows a record from one value of an index to another and out of it', async () => {
      await putTokens({ a: { authorization_id: '1' }, b: { authorization_id: '1' }, c: { authorization_id: '2' } });
      await putTokens({ a: { authorization_id: '2' }, b: { authorization_id: null } });
      expect(await tokens({ index: 'byAuthorization', equals: ['1'] })).toEqual([]);
      expect(await tokens({ index: 'byAuthorization', equals: ['2'] })).toEqual(['a', 'c']);
    });
  });

  it('gives works what a plain model gives, whatever runs together and fails', async () => {
    const empty = await store().dump();
    const anyWork = fc.record({ steps: fc.array(anyStep, { maxLength: 8 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyWork, { maxLength: 5 }), { maxLength: 5 }), async batches => {
        await store().load(empty);
        let model = new PlainStore();
        for (const batch of batches) {
          const expected: unknown[][] = [];
          for (const { steps, fails } of batch) {
            const changed = new PlainStore(model);
            expected.push(steps.map(step => step(changed)));
            if (!fails) model = changed;
          }
          const seen = batch.map(({ steps, fails }) => run(store(), steps, fails));
          expect(await Promise.all(seen)).toEqual(expected);
          expect(await store().list('lobby_members')).toEqual(model.list('lobby_members'));
          expect(await store().list('tokens')).toEqual(model.list('tokens'));
        }
      }),
      { numRuns },
    );
  });
}

/** Runs the steps as one work, which then fails if it is to, and gives what they read. */
async function run(store: Store, steps: readonly Step[], fails: boolean): Promise<unknown[]> {
  const seen: unknown[] = [];
  const refusal = new Error('to be taken back');
  const work = store.transact('x', async transaction => {
    for (const step of steps) seen.push(await step(transaction));
    if (fails) throw refusal;
  });
  if (fails) await expect(work).rejects.toBe(refusal);
  else await work;
  return seen;
}
