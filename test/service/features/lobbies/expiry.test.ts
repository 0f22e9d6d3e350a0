import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby } from '../../../../src/model/lobby.ts';
import { localBus } from '../../../../src/service/bus/local.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { ada, ben, enter, listen, makeWorld, namesOf, type World } from '../support.ts';

const timeoutSeconds = 5;
const timeoutMs = timeoutSeconds * 1000;

let world: World;
let lobbies: Lobbies;
let stop: () => void;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
  stop = await lobbies.start();
});

const created = async (members: string[] = [], idle_timeout_seconds = timeoutSeconds): Promise<Lobby> =>
  JSON.parse(await lobbies.create(world.starfall, { members: members.map(id => ({ id })), idle_timeout_seconds }));
const lives = async (id: string): Promise<boolean> => (await world.core.store.get('lobbies', id)) !== undefined;
const advance = (ms: number) => world.core.clock.advance(ms);

describe('an idle lobby', () => {
  it('lives 1 ms before its time and is gone at its time', async () => {
    const { id } = await created([ada]);
    await advance(timeoutMs - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
    expect(await world.core.store.list('lobby_members')).toEqual([]);
  });

  it('has 300 s when nothing else was asked for', async () => {
    const { id } = JSON.parse(await lobbies.create(world.starfall, {}));
    await advance(limits.lobbyIdleTimeoutSecondsDefault * 1000 - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('is not kept alive by reads, edits of other fields and members who do not connect', async () => {
    const { id } = await created();
    await advance(timeoutMs - 1);
    await lobbies.read(world.starfall, id);
    await lobbies.edit(world.starfall, id, { metadata: { a: '1' } });
    await lobbies.putMember(world.starfall, id, ada, {});
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('starts its time again when an edit gives an idle timeout', async () => {
    const { id } = await created();
    await advance(timeoutMs - 1);
    await lobbies.edit(world.starfall, id, { idle_timeout_seconds: timeoutSeconds });
    await advance(timeoutMs - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('may be given less time than all others', async () => {
    const { id: slow } = await created([], 60);
    const { id: quick } = await created([], 60);
    await lobbies.edit(world.starfall, quick, { idle_timeout_seconds: 5 });
    await advance(5000);
    expect([await lives(slow), await lives(quick)]).toEqual([true, false]);
  });

  it('notifies the sessions that still follow it, once', async () => {
    const leave = await enter(world.core, '1', ada);
    const heard = await listen(world.core, '1', ada);
    const { id } = await created([ada]);
    await leave();
    await lobbies.disconnected('1', ada);
    await advance(timeoutMs);
    expect(namesOf(heard)).toEqual(['LOBBY_CREATE', 'LOBBY_DELETE']);
    expect(heard[1]?.data).toEqual({ id, reason: 'deleted' });
  });

  it('is ended on time beside a thousand others, each at its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => (await created([], 5 + (index % 3))).id),
    );
    const alive = async () => (await Promise.all(ids.map(lives))).filter(Boolean).length;
    await advance(4999);
    expect(await alive()).toBe(1000);
    await advance(1);
    expect(await alive()).toBe(666);
    await advance(1000);
    expect(await alive()).toBe(333);
    await advance(1000);
    expect(await alive()).toBe(0);
  });
});

describe('a lobby with a connected member', () => {
  it('lives as long as the member stays, and its whole time after', async () => {
    const { id } = await created([ada, ben]);
    await advance(timeoutMs - 1);
    const leave = await enter(world.core, '1', ada);
    await lobbies.connected('1', ada);
    await advance(10 * timeoutMs + 1234);
    expect(await lives(id)).toBe(true);

    await leave();
    await lobbies.disconnected('1', ada);
    await advance(timeoutMs - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('lives on while the last of several is there', async () => {
    const { id } = await created([ada, ben]);
    const leaveAda = await enter(world.core, '1', ada);
    const leaveBen = await enter(world.core, '1', ben);
    await leaveAda();
    await lobbies.disconnected('1', ada);
    await advance(3 * timeoutMs);
    expect(await lives(id)).toBe(true);
    await leaveBen();
    await lobbies.disconnected('1', ben);
    await advance(timeoutMs);
    expect(await lives(id)).toBe(false);
  });

  it.each(['removeMember', 'edit'] as const)('becomes idle when %s takes that member away', async call => {
    await enter(world.core, '1', ada);
    const { id } = await created([ada]);
    await advance(2 * timeoutMs + 100);
    if (call === 'edit') await lobbies.edit(world.starfall, id, { members: [] });
    else await lobbies.removeMember(world.starfall, id, ada);
    await advance(timeoutMs - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('of another application is idle', async () => {
    await enter(world.core, '2', ada);
    const { id } = await created([ada]);
    await advance(timeoutMs);
    expect(await lives(id)).toBe(false);
  });
});

describe('a service that starts again', () => {
  /** A node on the same store that knows of no session. */
  const nextService = () => createLobbies({ ...world.core, bus: localBus(world.core.clock) });

  it('ends lobbies that were idle and whose time has come meanwhile, before it is ready', async () => {
    const { id } = await created([ada]);
    stop();
    await advance(timeoutMs);
    expect(await lives(id)).toBe(true);
    await nextService().start();
    expect(await lives(id)).toBe(false);
  });

  it('gives those that were attended their time once more, so that their members can come back', async () => {
    await enter(world.core, '1', ada);
    const { id } = await created([ada]);
    stop();
    await advance(timeoutMs);
    await nextService().start();
    await advance(timeoutMs - 1);
    expect(await lives(id)).toBe(true);
    await advance(1);
    expect(await lives(id)).toBe(false);
  });

  it('ends nothing after it was stopped', async () => {
    const { id } = await created();
    stop();
    await advance(10 * timeoutMs);
    expect(await lives(id)).toBe(true);
  });
});

describe('a sweep that the store failed', () => {
  it('is tried again', async () => {
    const { id } = await created();
    const { store } = world.core;
    const list = store.list.bind(store);
    let failures = 1;
    const failing: typeof store.list = (collection, query) => {
      if (failures-- > 0) throw new Error('disk on fire');
      return list(collection, query);
    };
    store.list = failing;
    await advance(timeoutMs);
    expect(await lives(id)).toBe(true);
    await advance(1000);
    expect(await lives(id)).toBe(false);
  });
});
