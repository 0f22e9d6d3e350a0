import { beforeEach, describe, expect, it } from 'vitest';
import type { GatewayLobby, Lobby } from '../../../../src/model/lobby.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import {
  ada,
  ben,
  cyn,
  enter,
  type Heard,
  listen,
  makeWorld,
  gatewayMember as member,
  namesOf,
  userRecord,
  type World,
} from '../support.ts';

let world: World;
let lobbies: Lobbies;
/** What each player's session hears; all of them are there from the beginning. */
let heard: Readonly<Record<'ada' | 'ben' | 'cyn', Heard[]>>;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
  for (const userId of [ada, ben, cyn]) await enter(world.core, '1', userId);
  heard = {
    ada: await listen(world.core, '1', ada),
    ben: await listen(world.core, '1', ben),
    cyn: await listen(world.core, '1', cyn),
  };
});

const created = async (...members: string[]): Promise<Lobby> => {
  const lobby = JSON.parse(await lobbies.create(world.starfall, { members: members.map(id => ({ id })) }));
  return lobby;
};
const forget = () => {
  for (const events of Object.values(heard)) events.length = 0;
};

describe('a new lobby', () => {
  it('is sent to the connected members alone, whole and encoded once', async () => {
    const { id } = await created(ada, ben);
    const lobby = {
      id,
      application_id: '1',
      metadata: null,
      members: [member(ada), member(ben)],
      flags: 0,
      voice_states: [],
      region: 'local',
    };
    expect(heard.ada.map(({ name, data }) => ({ name, data }))).toEqual([{ name: 'LOBBY_CREATE', data: lobby }]);
    expect(namesOf(heard.ben)).toEqual(['LOBBY_CREATE']);
    expect(heard.ada[0]?.announced.event).toBe(heard.ben[0]?.announced.event);
    expect(heard.cyn).toEqual([]);
  });

  it('of another application says nothing to this one', async () => {
    await lobbies.create(world.rival, { members: [{ id: ada }] });
    expect(heard.ada).toEqual([]);
  });

  it('that is rejected is not announced', async () => {
    await lobbies.create(world.starfall, { members: [{ id: ada }, { id: '999' }] }).catch(() => {});
    expect(heard.ada).toEqual([]);
  });
});

describe('a new member', () => {
  it('receives the lobby, the others receive the member, and no session receives both', async () => {
    const { id } = await created(ada);
    forget();
    await lobbies.putMember(world.starfall, id, ben, { flags: 1, additional_name: 'Benno' });
    const added = { ...member(ben), flags: 1, additional_name: 'Benno' };
    expect(heard.ada.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'LOBBY_MEMBER_ADD', data: { member: added, lobby_id: id, application_id: '1' } },
    ]);
    expect(namesOf(heard.ben)).toEqual(['LOBBY_CREATE']);
    expect(heard.ben[0]?.data).toMatchObject({ members: [member(ada), added] });
  });

  it('receives from then on the same events as the others', async () => {
    const { id } = await created(ada);
    await lobbies.putMember(world.starfall, id, ben, {});
    forget();
    await lobbies.putMember(world.starfall, id, cyn, {});
    expect(namesOf(heard.ada)).toEqual(['LOBBY_MEMBER_ADD']);
    expect(namesOf(heard.ben)).toEqual(['LOBBY_MEMBER_ADD']);
  });
});

describe('the user of a member', () => {
  const usersIn = (event: Heard | undefined) => {
    const lobby = event?.data as GatewayLobby | undefined;
    return lobby?.members.map(({ user }) => user?.global_name ?? user?.username);
  };

  it('is shown as it is by now', async () => {
    const { id } = await created(ada, ben);
    await world.core.store.transact('users', work => work.put('users', { ...userRecord(ben), global_name: 'Benno' }));
    forget();
    await lobbies.edit(world.starfall, id, { metadata: { a: '1' } });
    expect(usersIn(heard.ada[0])).toEqual(['user101', 'Benno']);
  });

  it('is left out when the account is no more', async () => {
    const { id } = await created(ada, ben);
    await world.core.store.transact('users', work => work.delete('users', ben));
    forget();
    await lobbies.edit(world.starfall, id, { metadata: { a: '1' } });
    expect(usersIn(heard.ada[0])).toEqual(['user101', undefined]);
  });
});

describe('an updated member', () => {
  it('is sent to all members, the changed one included', async () => {
    const { id } = await created(ada, ben);
    forget();
    await lobbies.putMember(world.starfall, id, ben, { metadata: { hp: '9' } });
    const update = {
      name: 'LOBBY_MEMBER_UPDATE',
      data: { member: { ...member(ben), metadata: { hp: '9' } }, lobby_id: id, application_id: '1' },
    };
    expect(heard.ada.map(({ name, data }) => ({ name, data }))).toEqual([update]);
    expect(heard.ben.map(({ name, data }) => ({ name, data }))).toEqual([update]);
  });

  it('that is as it was is not told', async () => {
    const { id } = await created(ada);
    await lobbies.putMember(world.starfall, id, ada, { metadata: { a: '1', b: '2' } });
    forget();
    await lobbies.putMember(world.starfall, id, ada, { metadata: { b: '2', a: '1' } });
    expect(heard.ada).toEqual([]);
  });
});

describe('a removed member', () => {
  it('receives the end of the lobby, the others the removal of the member; then it receives no more', async () => {
    const { id } = await created(ada, ben);
    forget();
    await lobbies.removeMember(world.starfall, id, ben);
    expect(heard.ben.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'LOBBY_DELETE', data: { id, reason: 'removed' } },
    ]);
    expect(heard.ada.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'LOBBY_MEMBER_REMOVE', data: { member: member(ben), lobby_id: id, application_id: '1' } },
    ]);
    forget();
    await lobbies.putMember(world.starfall, id, ada, { flags: 1 });
    expect(heard.ben).toEqual([]);
  });
});

describe('an edit', () => {
  it('of a visible field is sent to all members', async () => {
    const { id } = await created(ada, ben);
    forget();
    await lobbies.edit(world.starfall, id, { metadata: { map: 'dunes' } });
    expect(namesOf(heard.ada)).toEqual(['LOBBY_UPDATE']);
    expect(heard.ben[0]?.data).toMatchObject({ id, metadata: { map: 'dunes' }, members: [member(ada), member(ben)] });
  });

  it('of nothing, or of the idle timeout alone, is not told', async () => {
    const { id } = await created(ada);
    forget();
    await lobbies.edit(world.starfall, id, {});
    await lobbies.edit(world.starfall, id, { metadata: null, members: [{ id: ada }], flags: 0 });
    await lobbies.edit(world.starfall, id, { idle_timeout_seconds: 7 });
    expect(heard.ada).toEqual([]);
  });

  it('of the member list sends each member what changed for it: removed, updated, added, then the whole', async () => {
    const { id } = await created(ada, ben);
    forget();
    await lobbies.edit(world.starfall, id, { members: [{ id: ada, flags: 1 }, { id: cyn }] });
    expect(namesOf(heard.ada)).toEqual([
      'LOBBY_MEMBER_REMOVE',
      'LOBBY_MEMBER_UPDATE',
      'LOBBY_MEMBER_ADD',
      'LOBBY_UPDATE',
    ]);
    expect(namesOf(heard.ben)).toEqual(['LOBBY_DELETE']);
    expect(namesOf(heard.cyn)).toEqual(['LOBBY_CREATE']);
    expect(heard.cyn[0]?.data).toMatchObject({ members: [{ ...member(ada), flags: 1 }, member(cyn)] });
  });
});

describe('a deleted lobby', () => {
  it('is sent to all members once, who receive nothing of the lobby afterwards', async () => {
    const { id } = await created(ada, ben);
    forget();
    await lobbies.remove(world.starfall, id);
    await lobbies.remove(world.starfall, id);
    const gone = [{ name: 'LOBBY_DELETE', data: { id, reason: 'deleted' } }];
    expect(heard.ada.map(({ name, data }) => ({ name, data }))).toEqual(gone);
    expect(heard.ben.map(({ name, data }) => ({ name, data }))).toEqual(gone);
    expect(heard.ada[0]?.announced.unfollow).toBe(topics.lobby(id));
  });
});

describe('the events of one lobby', () => {
  it('carry rising revisions of its scope, which a snapshot read in between falls into', async () => {
    const { id } = await created(ada);
    const [snapshot] = await lobbies.ofPlayer('1', ada);
    await lobbies.edit(world.starfall, id, { flags: 1 });
    await lobbies.putMember(world.starfall, id, ben, {});
    const revisions = heard.ada.map(({ announced }) => announced.revision);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(new Set(heard.ada.map(({ announced }) => announced.scope))).toEqual(new Set([snapshot?.scope]));
    expect(snapshot?.revision).toBe(revisions[0]);
    expect(snapshot?.revision).toBeLessThan(revisions[1] ?? 0);
  });

  it('are not encoded when no session receives them', async () => {
    const silent = await makeWorld();
    // What an event holds itself is encoded already.
    const encoded: boolean[] = [];
    const { transact } = silent.core.store;
    silent.core.store.transact = (scope, work) =>
      transact.call(silent.core.store, scope, transaction => {
        const announce = transaction.announce.bind(transaction);
        transaction.announce = announcement => {
          const { event } = announcement;
          if (event) encoded.push(Object.hasOwn(event, 'data'));
          announce(announcement);
        };
        return work(transaction);
      }) as never;
    const quiet = createLobbies(silent.core);
    const { id } = JSON.parse(await quiet.create(silent.starfall, { members: [{ id: ada }] }));
    await quiet.putMember(silent.starfall, id, ben, {});
    await quiet.edit(silent.starfall, id, { flags: 1 });
    expect(encoded).toEqual([false, false]);
  });
});
