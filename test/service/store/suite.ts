import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Announced } from '../../../src/service/events/announcement.ts';
import type { AnnouncementSink, Store, StoreContent } from '../../../src/service/store/contract.ts';
import { lobbyMemberRecord, lobbyRecord, tokenRecord } from '../../support/store/records.ts';
import { listSuite } from './list-suite.ts';

/** Where one store lies. Every `open` opens the same one. */
export interface StorePlace {
  open(sink: AnnouncementSink): Promise<Store>;
  /** Whether the next `open` finds what the last one stored. */
  readonly isLasting: boolean;
  /** Of an engine of several nodes: reads the events that were committed, in order; no sink receives them. */
  readEvents?(): Promise<readonly Announced[]>;
  remove(): Promise<void>;
}

/**
 * What every engine of the Store contract keeps.
 *
 * @param kind `embedded`: events reach the sink before the caller is answered, and all commits have one order. `shared`: several
 *   nodes have the store; events are read, and each scope has an order of its own.
 */
export function storeSuite(
  name: string,
  createPlace: () => Promise<StorePlace>,
  kind: 'embedded' | 'shared' = 'embedded',
): void {
  describe(`${name}: the store contract`, () => {
    let place: StorePlace;
    let store: Store;
    let announced: Announced[];
    const sink: AnnouncementSink = events => {
      announced.push(...events);
    };

    beforeEach(async () => {
      announced = [];
      place = await createPlace();
      store = await place.open(sink);
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const committed = async () => (await place.readEvents?.()) ?? announced;

    const putLobby = (id: string, fields = {}) =>
      store.transact(`lobby/${id}`, work => work.put('lobbies', lobbyRecord({ id, ...fields })));

    describe('a work', () => {
      it('reads what it has written before anybody else does', async () => {
        await putLobby('1', { flags: 1 });
        await store.transact('lobby/1', async work => {
          work.put('lobbies', lobbyRecord({ id: '1', flags: 2 }));
          work.put('lobbies', lobbyRecord({ id: '2' }));
          expect(await work.get('lobbies', '1')).toMatchObject({ flags: 2 });
          expect((await work.list('lobbies')).map(lobby => lobby.id)).toEqual(['1', '2']);
          expect(await store.get('lobbies', '1')).toMatchObject({ flags: 1 });
          expect((await store.list('lobbies')).map(lobby => lobby.id)).toEqual(['1']);
          work.delete('lobbies', '1');
          expect(await work.get('lobbies', '1')).toBeUndefined();
          expect((await work.list('lobbies')).map(lobby => lobby.id)).toEqual(['2']);
        });
        expect(await store.get('lobbies', '1')).toBeUndefined();
        expect(await store.get('lobbies', '2')).toEqual(lobbyRecord({ id: '2' }));
      });

      it('gives its result to the caller', async () => {
        await expect(store.transact('x', () => 7)).resolves.toBe(7);
        await expect(store.transact('x', async () => 'later')).resolves.toBe('later');
      });

      it('that throws leaves nothing, and its caller gets what it threw', async () => {
        const error = new Error('refused');
        for (const fail of [
          () => Promise.reject(error),
          (): never => {
            throw error;
          },
        ]) {
          const work = store.transact('lobby/1', work => {
            work.put('lobbies', lobbyRecord({ id: '1' }));
            work.announce({ to: 'lobby/1' });
            return fail();
          });
          await expect(work).rejects.toBe(error);
        }
        expect(await store.get('lobbies', '1')).toBeUndefined();
        expect(await committed()).toEqual([]);
      });

      it('that throws does not affect concurrent transactions', async () => {
        const works = Array.from({ length: 20 }, (_, at) =>
          store.transact('shared', async work => {
            const seen = (await work.list('lobbies')).length;
            work.put('lobbies', lobbyRecord({ id: String(at) }));
            work.delete('lobbies', String(at - 1));
            if (at % 2 === 1) throw new Error('odd');
            return seen;
          }),
        );
        const outcomes = await Promise.allSettled(works);
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(works.map((_, at) => at % 2 === 0));
        const kept = (await store.list('lobbies')).map(lobby => Number(lobby.id)).sort((a, b) => a - b);
        expect(kept).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
      });

      it('may delete what does not exist', async () => {
        await store.transact('lobby/1', work => work.delete('lobbies', '1'));
        expect(await store.list('lobbies')).toEqual([]);
      });

      it('cannot use its transaction once it has ended', async () => {
        let leaked: Parameters<Parameters<Store['transact']>[1]>[0] | undefined;
        await store.transact('x', work => {
          leaked = work;
        });
        expect(() => leaked?.put('lobbies', lobbyRecord({ id: '1' }))).toThrow(
          expect.objectContaining({ code: 'transaction_ended' }),
        );
        expect(() => leaked?.announce({ to: 'x' })).toThrow(expect.objectContaining({ code: 'transaction_ended' }));
      });

      it('runs after those queued before it in its scope: 200 concurrent increments lose none', async () => {
        await putLobby('1', { member_count: 0 });
        const increment = () =>
          store.transact('lobby/1', async work => {
            const lobby = await work.get('lobbies', '1');
            await Promise.resolve();
            if (lobby) work.put('lobbies', { ...lobby, member_count: lobby.member_count + 1 });
            return lobby?.member_count;
          });
        const before = await Promise.all(Array.from({ length: 200 }, increment));
        expect(await store.get('lobbies', '1')).toMatchObject({ member_count: 200 });
        expect(before).toEqual(Array.from({ length: 200 }, (_, at) => at));
      });

      it('runs after those queued before it that share a guard, in whatever scopes they are', async () => {
        const increment = (_: unknown, at: number) =>
          store.transact(
            `lobby/${at}`,
            async work => {
              const lobby = await work.get('lobbies', '1');
              await Promise.resolve();
              work.put('lobbies', lobbyRecord({ id: '1', member_count: (lobby?.member_count ?? 0) + 1 }));
            },
            [`another/${at}`, 'guard'],
          );
        await Promise.all(Array.from({ length: 100 }, increment));
        expect(await store.get('lobbies', '1')).toMatchObject({ member_count: 100 });
      });

      it('sees all that was acknowledged before it began, in whatever scope', async () => {
        for (let round = 0; round < 10; round++) {
          await putLobby(`a${round}`);
          const count = await store.transact('elsewhere', async work => (await work.list('lobbies')).length);
          expect(count).toBe(round + 1);
        }
      });
    });

    describe('a record', () => {
      it('comes back as it was put, whatever text it holds', async () => {
        const metadata = { '': '', null: 'null', 'nul\0': 'a\0b', 'half pair': '\ud83d', 'ä 😀': '"\\\n\u2028' };
        const lobby = lobbyRecord({ id: '1', metadata, expires_at_ms: Number.MAX_SAFE_INTEGER });
        await store.transact('lobby/1', work => work.put('lobbies', lobby));
        expect(await store.get('lobbies', '1')).toEqual(lobby);
        expect(await store.list('lobbies')).toEqual([lobby]);
      });

      it('is shared and frozen all the way down', async () => {
        await putLobby('1', { metadata: { mode: 'duel' } });
        for (const lobby of [await store.get('lobbies', '1'), (await store.list('lobbies'))[0]]) {
          expect(Object.isFrozen(lobby)).toBe(true);
          expect(Object.isFrozen(lobby?.metadata)).toBe(true);
        }
      });

      it('is not found under a key that only looks alike', async () => {
        await store.transact('x', work => {
          work.put('lobby_members', lobbyMemberRecord({ lobby_id: '1', user_id: '\ufffd' }));
        });
        expect(await store.get('lobby_members', '1', '\ufffd')).toMatchObject({ user_id: '\ufffd' });
        expect(await store.get('lobby_members', '1', '\ud800')).toBeUndefined();
        expect(await store.get('lobby_members', '1', '\ufffd\0')).toBeUndefined();
        expect(await store.get('lobby_members', '1\0\ufffd', '')).toBeUndefined();
        expect(await store.list('lobby_members', { equals: ['1', '\ud800'] })).toEqual([]);
      });

      it.each([
        ['a key that is missing', { hash: undefined }],
        ['a key that is a number', { hash: 5 }],
        ['a key with NUL', { hash: 'a\0b' }],
        ['a key with half a surrogate pair', { hash: 'a\ud800' }],
        ['a fraction in a numeric index', { expires_at_ms: 0.5 }],
        ['text in a numeric index', { expires_at_ms: '5' }],
        ['a number in a text index', { authorization_id: 5 }],
        ['something JSON cannot hold', { scopes: [1n] }],
      ])('with %s fails its own work only', async (_, fields) => {
        const bad = store.transact('bad', work =>
          work.put('tokens', { ...tokenRecord({ hash: 'a' }), ...fields } as never),
        );
        const good = store.transact('good', work => work.put('tokens', tokenRecord({ hash: 'b' })));
        await expect(bad).rejects.toThrow();
        await good;
        expect((await store.list('tokens')).map(token => token.hash)).toEqual(['b']);
      });

      it('is rejected with the wrong number of key parts, or an unknown index', async () => {
        await expect(async () => store.get('lobby_members', '1')).rejects.toMatchObject({ code: 'bad_key' });
        await expect(async () => store.list('lobbies', { index: 'byNothing' as never })).rejects.toMatchObject({
          code: 'bad_query',
        });
        await expect(async () => store.list('lobbies', { limit: -1 })).rejects.toMatchObject({ code: 'bad_query' });
        await expect(async () => store.list('lobbies', { upTo: 'a\ud800' })).rejects.toMatchObject({
          code: 'bad_query',
        });
        await expect(async () => store.list('lobbies', { equals: ['1', '2'] })).rejects.toMatchObject({
          code: 'bad_query',
        });
      });
    });

    listSuite(() => store, kind === 'embedded' ? 60 : 20);

    describe('the number of records', () => {
      it('is that of what is committed, up to a bound', async () => {
        expect(await store.count('lobbies', 10)).toBe(0);
        for (const id of ['1', '2', '3', '3']) await putLobby(id);
        await store.transact('x', work => work.delete('lobbies', '2'));
        expect(await store.count('lobbies', 10)).toBe(2);
        expect(await store.count('lobbies', 1)).toBe(1);
        expect(await store.count('users', 10)).toBe(0);
        await store.load(await store.dump());
        expect(await store.count('lobbies', 10)).toBe(2);
      });
    });

    describe('the revision of a scope', () => {
      it('rises with every commit in the scope, to the number that the transaction was given', async () => {
        let last = await store.revision('lobby/1');
        for (let round = 0; round < 3; round++) {
          const own = await store.transact('lobby/1', work => {
            work.put('lobbies', lobbyRecord({ id: '1', flags: round }));
            return work.revision;
          });
          expect(own).toBeGreaterThan(last);
          last = await store.revision('lobby/1');
          expect(last).toBe(own);
        }
      });

      it('does not rise by transactions that fail', async () => {
        await putLobby('1');
        const before = await store.revision('lobby/1');
        await expect(store.transact('lobby/1', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
        expect(await store.revision('lobby/1')).toBe(before);
      });

      it('gives transactions of one scope numbers in the order of their commits', async () => {
        const numbers = await Promise.all(
          Array.from({ length: 50 }, (_, at) =>
            store.transact(`scope/${at % 5}`, work => {
              work.put('lobbies', lobbyRecord({ id: String(at % 5), flags: at }));
              return work.revision;
            }),
          ),
        );
        for (let scope = 0; scope < 5; scope++) {
          const own = numbers.filter((_, at) => at % 5 === scope);
          expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
        }
      });

      it('asked before reading is never newer than what is read', async () => {
        let current = 0;
        const writing = Promise.all(
          Array.from({ length: 30 }, (_, at) =>
            store.transact('lobby/1', work => {
              work.put('lobbies', lobbyRecord({ id: '1', member_count: at }));
              return work.revision;
            }),
          ),
        ).then(numbers => {
          current = numbers.at(-1) ?? 0;
        });
        const revision = await store.revision('lobby/1');
        const read = await store.get('lobbies', '1');
        await writing;
        expect(revision).toBeLessThanOrEqual(current);
        if (revision === current) expect(read).toMatchObject({ member_count: 29 });
      });
    });

    describe('announcements', () => {
      it('leave in the order of the commits of their scope, those of one transaction in the order they were made', async () => {
        const works = Array.from({ length: 100 }, (_, at) =>
          store.transact(`lobby/${at % 3}`, async work => {
            work.announce({ to: 'all', follow: `${at}.1` });
            await work.get('lobbies', '1');
            work.announce({ to: 'all', follow: `${at}.2` });
            if (at % 10 === 0) throw new Error('refused');
          }),
        );
        await Promise.allSettled(works);
        const events = await committed();
        for (let scope = 0; scope < 3; scope++) {
          const expected = works.flatMap((_, at) => (at % 10 === 0 || at % 3 !== scope ? [] : [`${at}.1`, `${at}.2`]));
          const own = events.filter(event => event.scope === `lobby/${scope}`);
          expect(own.map(event => event.follow)).toEqual(expected);
          const revisions = own.map(event => event.revision);
          expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
        }
        const positions = events.map(event => event.position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
      });

      if (kind === 'embedded') {
        it('leave after the commit and before the caller is answered, with scope and revision', async () => {
          const seen: unknown[] = [];
          await store.close();
          store = await place.open(async events => {
            seen.push(...events, await store.get('lobbies', '1'));
          });
          const revision = await store.transact('lobby/1', work => {
            work.put('lobbies', lobbyRecord({ id: '1' }));
            work.announce({ to: 'lobby/1', follow: 'x' });
            return work.revision;
          });
          expect(seen[0]).toMatchObject({ to: 'lobby/1', follow: 'x', scope: 'lobby/1', revision });
          await Promise.resolve();
          expect(seen[1]).toEqual(lobbyRecord({ id: '1' }));
        });

        it('that the sink cannot take fail no work', async () => {
          for (const failing of [
            () => {
              throw new Error('sink');
            },
            () => Promise.reject(new Error('sink')),
          ]) {
            await store.close();
            store = await place.open(failing);
            await store.transact('x', work => {
              work.put('lobbies', lobbyRecord({ id: '1' }));
              work.announce({ to: 'x' });
            });
            expect(await store.get('lobbies', '1')).toMatchObject({ id: '1' });
          }
        });
      }
    });

    describe('dump and load', () => {
      it('give every collection, in the order of its keys, without what is not committed', async () => {
        await Promise.all(['b', 'a', 'c'].map(id => putLobby(id)));
        await store.transact('x', async work => {
          work.put('lobbies', lobbyRecord({ id: 'd' }));
          expect((await store.dump()).lobbies.map(lobby => lobby.id)).toEqual(['a', 'b', 'c']);
        });
      });

      it('give what there was at one instant, in pieces, whatever is changed, deleted and added meanwhile', async () => {
        const ids = Array.from({ length: 1201 }, (_, n) => `l${String(n).padStart(4, '0')}`);
        await store.transact('x', work => {
          for (const id of ids) work.put('lobbies', lobbyRecord({ id, metadata: { text: 'x'.repeat(900) } }));
          work.put('lobby_members', lobbyMemberRecord({ lobby_id: 'l0001', user_id: '2' }));
          work.put('settings', { name: 'key', value: 'first' });
        });
        const before = await store.dump();
        const found: Record<string, object[]> = {};
        let pieces = 0;
        await store.read(async (collection, records) => {
          found[collection] = [...(found[collection] ?? []), ...records];
          if (collection !== 'lobbies' || pieces++ > 0) return;
          await store.transact('x', work => {
            for (const id of ['l0000', 'l0700', 'l1200']) work.put('lobbies', lobbyRecord({ id, flags: 7 }));
            for (const id of ['l0001', 'l0701', 'l1199']) work.delete('lobbies', id);
            for (const id of ['a', 'l0700a', 'z']) work.put('lobbies', lobbyRecord({ id }));
            work.delete('lobby_members', 'l0001', '2');
            work.put('lobby_members', lobbyMemberRecord({ lobby_id: 'a', user_id: '2' }));
            work.put('settings', { name: 'key', value: 'second' });
          });
          // A second time: what counts is what there was at the beginning.
          await store.transact('x', work => {
            work.put('lobbies', lobbyRecord({ id: 'l0701', flags: 8 }));
            work.delete('lobbies', 'l0700');
            work.delete('lobbies', 'z');
          });
        });
        expect(pieces).toBeGreaterThan(1);
        found.lobbies?.sort((a, b) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1));
        expect(found).toEqual(before);
        expect(await store.list('lobbies')).toHaveLength(1200);
        expect(await store.get('settings', 'key')).toEqual({ name: 'key', value: 'second' });
      });

      it('stop with what the receiver of a piece throws, and work again', async () => {
        await putLobby('1');
        const stopped = new Error('enough');
        await expect(
          store.read(() => {
            throw stopped;
          }),
        ).rejects.toBe(stopped);
        expect((await store.dump()).lobbies).toHaveLength(1);
      });

      it('put back exactly what was taken out, also after JSON', async () => {
        await store.transact('x', work => {
          work.put('lobbies', lobbyRecord({ id: '1', metadata: { a: 'ä' } }));
          work.put('lobby_members', lobbyMemberRecord({ lobby_id: '1', user_id: '2' }));
          work.put('tokens', tokenRecord({ hash: 'h', authorization_id: '3', expires_at_ms: 9 }));
          work.put('settings', { name: 'key', value: { nested: [1, null, true] } });
        });
        const content = JSON.parse(JSON.stringify(await store.dump())) as StoreContent;
        await store.transact('x', work => {
          work.delete('lobbies', '1');
          work.put('lobbies', lobbyRecord({ id: '5' }));
          work.put('settings', { name: 'key', value: 'changed' });
        });
        await store.load(content);
        expect(await store.dump()).toEqual(content);
        expect(await store.get('lobbies', '5')).toBeUndefined();
        expect(await store.get('settings', 'key')).toEqual({ name: 'key', value: { nested: [1, null, true] } });
        expect(await store.list('tokens', { index: 'byAuthorization', equals: ['3'] })).toHaveLength(1);
      });

      it('take their turn among the works', async () => {
        const empty = await store.dump();
        const first = putLobby('1');
        const loaded = store.load(empty);
        const second = putLobby('2');
        await Promise.all([first, loaded, second]);
        expect((await store.list('lobbies')).map(lobby => lobby.id)).toEqual(['2']);
      });

      it('raise the revision of every scope', async () => {
        await putLobby('1');
        const before = [await store.revision('lobby/1'), await store.revision('never used')];
        await store.load(await store.dump());
        const after = [await store.revision('lobby/1'), await store.revision('never used')];
        expect(after[0]).toBeGreaterThan(before[0] ?? 0);
        expect(after[1]).toBeGreaterThan(before[1] ?? 0);
        expect(await store.transact('lobby/1', work => work.revision)).toBeGreaterThan(after[0] ?? 0);
      });

      it.each([
        ['a collection is missing', (content: StoreContent) => ({ ...content, lobbies: undefined })],
        ['a collection is unknown', (content: StoreContent) => ({ ...content, planets: [] })],
        ['a record is none', (content: StoreContent) => ({ ...content, lobbies: [null] })],
        ['a record has no key', (content: StoreContent) => ({ ...content, lobbies: [{}] })],
      ])('replace nothing when %s', async (_, spoil) => {
        await putLobby('1');
        const content = spoil(await store.dump()) as unknown as StoreContent;
        await expect(store.load(content)).rejects.toMatchObject({
          code: expect.stringMatching(/^bad_(content|record)$/),
        });
        expect(await store.get('lobbies', '1')).toMatchObject({ id: '1' });
      });
    });

    describe('closing', () => {
      it('finishes the queued transactions, and may be called twice', async () => {
        const works = Array.from({ length: 20 }, (_, at) => putLobby(String(at)));
        await Promise.all([store.close(), store.close()]);
        await expect(Promise.all(works)).resolves.toHaveLength(20);
        await store.close();
      });

      it('makes every later use fail with store_closed', async () => {
        await putLobby('1');
        await store.close();
        const closed = { code: 'store_closed' };
        await expect(store.transact('x', () => {})).rejects.toMatchObject(closed);
        await expect(async () => store.get('lobbies', '1')).rejects.toMatchObject(closed);
        await expect(async () => store.list('lobbies')).rejects.toMatchObject(closed);
        await expect(store.dump()).rejects.toMatchObject(closed);
        await expect(store.load({} as StoreContent)).rejects.toMatchObject(closed);
      });

      it('keeps what was stored, and numbers continue rising, where the engine lasts', async () => {
        const revision = await store.transact('lobby/1', work => {
          work.put('lobbies', lobbyRecord({ id: '1', flags: 3 }));
          return work.revision;
        });
        await store.close();
        store = await place.open(sink);
        if (!place.isLasting) {
          expect(await store.list('lobbies')).toEqual([]);
          return;
        }
        expect(await store.get('lobbies', '1')).toEqual(lobbyRecord({ id: '1', flags: 3 }));
        expect(await store.revision('lobby/1')).toBeGreaterThanOrEqual(revision);
        expect(await store.transact('lobby/1', work => work.revision)).toBeGreaterThan(revision);
      });
    });
  });
}
