import { beforeEach, describe, expect, it } from 'vitest';
import type { GatewayLobby, Lobby } from '../../../../src/model/lobby.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import type { Store } from '../../../../src/service/store/contract.ts';
import { ada, ben, enter, gatewayMember, type Heard, listen, makeWorld, namesOf, type World } from '../support.ts';

let world: World;
let lobbies: Lobbies;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
});

const created = async (...members: string[]): Promise<Lobby> =>
  JSON.parse(await lobbies.create(world.starfall, { members: members.map(id => ({ id })) }));

const facts = (heard: readonly Heard[]) => heard.map(({ name, data }) => ({ name, data }));

describe('a member who connects', () => {
  it('is sent to the others in all its lobbies of that application, not to itself', async () => {
    await enter(world.core, '1', ben);
    const heardByBen = await listen(world.core, '1', ben);
    const lobby = await created(ada, ben);
    await lobbies.create(world.rival, { members: [{ id: ada }, { id: ben }] });
    heardByBen.length = 0;

    await enter(world.core, '1', ada);
    const heardByAda = await listen(world.core, '1', ada);
    await lobbies.connected('1', ada);
    const member = gatewayMember(ada);
    expect(facts(heardByBen)).toEqual([{ name: 'LOBBY_MEMBER_CONNECT', data: { member, lobby_id: lobby.id } }]);
    expect(heardByAda).toEqual([]);
    const [seen] = await lobbies.ofPlayer('1', ada);
    const shown = JSON.parse(seen?.text ?? '') as GatewayLobby;
    expect(shown.members.map(({ connected }) => connected)).toEqual([true, true]);
  });

  it('and leaves is sent as well', async () => {
    await enter(world.core, '1', ben);
    const heard = await listen(world.core, '1', ben);
    const { id } = await created(ada, ben);
    const leave = await enter(world.core, '1', ada);
    await lobbies.connected('1', ada);
    heard.length = 0;

    await leave();
    await lobbies.disconnected('1', ada);
    const member = gatewayMember(ada, false);
    expect(facts(heard)).toEqual([{ name: 'LOBBY_MEMBER_DISCONNECT', data: { member, lobby_id: id } }]);
  });

  it('and is back before its leaving was sent is shown as connected', async () => {
    await enter(world.core, '1', ben);
    const heard = await listen(world.core, '1', ben);
    await created(ada, ben);
    heard.length = 0;
    await enter(world.core, '1', ada);
    await lobbies.disconnected('1', ada);
    expect(namesOf(heard)).toEqual(['LOBBY_MEMBER_CONNECT']);
  });

  it('without lobbies sends no event', async () => {
    await enter(world.core, '1', ada);
    await lobbies.connected('1', ada);
    await lobbies.disconnected('1', ada);
    expect(await world.core.store.list('lobbies')).toEqual([]);
  });
});

describe('a player who comes between the look and the commit', () => {
  /** Runs `before` once, at the end of the next work of a lobby: after it looked who is there. */
  function betweenLookAndCommit(store: Store, before: () => Promise<unknown>): Store {
    let pending: (() => Promise<unknown>) | undefined = before;
    return new Proxy(store, {
      get(target, name) {
        if (name !== 'transact') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return (scope: string, work: Parameters<Store['transact']>[1]) =>
          target.transact(scope, async transaction => {
            const result = await work(transaction);
            const run = scope.startsWith('lobby/') ? pending : undefined;
            if (run) pending = undefined;
            await run?.();
            return result;
          });
      },
    });
  }

  it.each(['create', 'putMember', 'edit'] as const)(
    'of %s gets the lobby, and the others learn it is there',
    async call => {
      await enter(world.core, '1', ben);
      const heardByBen = await listen(world.core, '1', ben);
      const before = call === 'create' ? undefined : await created(ben);
      heardByBen.length = 0;

      const heardByAda = await listen(world.core, '1', ada);
      const store = betweenLookAndCommit(world.core.store, () => enter(world.core, '1', ada));
      const racing = createLobbies({ ...world.core, store });
      const members = [{ id: ada }, { id: ben }];
      const id = before?.id ?? '';
      const calls = {
        create: () => racing.create(world.starfall, { members }),
        putMember: () => racing.putMember(world.starfall, id, ada, {}),
        edit: () => racing.edit(world.starfall, id, { members }),
      };
      await calls[call]();

      expect(namesOf(heardByAda)).toEqual(['LOBBY_CREATE']);
      expect(heardByAda[0]?.data).toMatchObject({
        members: [
          { user_id: ada, connected: true },
          { user_id: ben, connected: true },
        ],
      });
      expect(heardByBen.at(-1)?.name).toBe('LOBBY_MEMBER_CONNECT');
    },
  );

  it('and one who leaves then is shown as disconnected', async () => {
    await enter(world.core, '1', ben);
    const heardByBen = await listen(world.core, '1', ben);
    const { id } = await created(ben);
    const leave = await enter(world.core, '1', ada);
    heardByBen.length = 0;
    const racing = createLobbies({ ...world.core, store: betweenLookAndCommit(world.core.store, leave) });
    await racing.putMember(world.starfall, id, ada, {});
    expect(namesOf(heardByBen)).toEqual(['LOBBY_MEMBER_ADD', 'LOBBY_MEMBER_DISCONNECT']);
    expect(await world.core.bus.present(topics.player('1', ada))).toBe(0);
  });
});
