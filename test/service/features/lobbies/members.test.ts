import { beforeEach, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby, LobbyMember, LobbyMemberChange } from '../../../../src/model/lobby.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import {
  ada,
  ben,
  cyn,
  enter,
  type Heard,
  listen,
  makeWorld,
  namesOf,
  nobody,
  refusal,
  userRecord,
  type World,
} from '../support.ts';

let world: World;
let lobbies: Lobbies;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
});

const created = async (...members: string[]): Promise<Lobby> =>
  JSON.parse(await lobbies.create(world.starfall, { members: members.map(id => ({ id })) }));
const update = async (id: string, changes: readonly (LobbyMemberChange | { id: number })[]): Promise<LobbyMember[]> =>
  JSON.parse(await lobbies.updateMembers(world.starfall, id, changes));
const membersOf = async (id: string): Promise<readonly LobbyMember[]> =>
  (JSON.parse(await lobbies.read(world.starfall, id)) as Lobby).members;

describe('a bulk update', () => {
  it('adds, updates and removes atomically, and answers with those added and updated in the order asked', async () => {
    const { id } = await created(ada, ben);
    const changes = [
      { id: cyn, metadata: { team: 'red' }, flags: 1, additional_name: 'Cynthia' },
      { id: ben, remove_member: true },
      { id: ada, metadata: { team: 'blue' }, remove_member: false },
    ];
    const [newcomer, veteran] = [
      { id: cyn, metadata: { team: 'red' }, flags: 1, additional_name: 'Cynthia' },
      { id: ada, metadata: { team: 'blue' }, flags: 0 },
    ];
    expect(await update(id, changes)).toEqual([newcomer, veteran]);
    expect(await membersOf(id)).toEqual([veteran, newcomer]);
  });

  it('writes a member as a body of its own does: what is left out goes back, but for the name', async () => {
    const { id } = await created();
    await update(id, [{ id: ada, metadata: { a: 'b' }, flags: 1, additional_name: 'Gandalf' }]);
    expect(await update(id, [{ id: ada }])).toEqual([
      { id: ada, metadata: null, flags: 0, additional_name: 'Gandalf' },
    ]);
    expect(await update(id, [{ id: ada, additional_name: null }])).toEqual([{ id: ada, metadata: null, flags: 0 }]);
  });

  it('takes ids that are numbers, and answers with text', async () => {
    const { id } = await created();
    expect(await update(id, [{ id: Number(ada) }])).toEqual([{ id: ada, metadata: null, flags: 0 }]);
  });

  it('passes over a removal of one who is not a member', async () => {
    const { id } = await created(ada);
    expect(await update(id, [{ id: ben, remove_member: true }])).toEqual([]);
    expect(await membersOf(id)).toHaveLength(1);
  });

  it.each([[{ id: nobody }], [{ id: nobody, remove_member: true }]])(
    'with %o, whom nobody knows, fails whole',
    async entry => {
      const { id } = await created(ben);
      const changes = [{ id: ada }, { id: ben, remove_member: true }, entry];
      expect((await refusal(update(id, changes))).reason).toBe('unknown_user');
      expect((await membersOf(id)).map(member => member.id)).toEqual([ben]);
    },
  );

  it('is rejected in a lobby that does not exist or belongs to another application', async () => {
    expect((await refusal(update('42', [{ id: ada }]))).reason).toBe('unknown_lobby');
    const { id } = JSON.parse(await lobbies.create(world.rival, {})) as Lobby;
    expect((await refusal(update(id, [{ id: ada }]))).reason).toBe('unknown_lobby');
  });

  it('names its faults by their place in the list', async () => {
    const { id } = await created();
    const { reason, paths } = await refusal(update(id, [{ id: ada }, { id: ada, flags: 2 }]));
    expect([reason, paths]).toEqual(['invalid_form_body', ['1.flags', '1.id']]);
  });

  it('fills a lobby to the thousandth member and no further, counting what it removes', async () => {
    const { id } = await created(ada);
    await world.core.store.transact('test', async transaction => {
      const lobby = await transaction.get('lobbies', id);
      if (lobby) transaction.put('lobbies', { ...lobby, member_count: limits.lobbyMembersMax - 1 });
    });
    const { reason, paths } = await refusal(update(id, [{ id: ben }, { id: cyn }]));
    expect([reason, paths]).toEqual(['invalid_form_body', ['members']]);
    await update(id, [{ id: ben }, { id: cyn }, { id: ada, remove_member: true }]);
    expect(await world.core.store.get('lobbies', id)).toMatchObject({ member_count: limits.lobbyMembersMax });
    await update(id, [{ id: ben, metadata: { a: 'b' } }]);
  });

  it('leaves out, without an error, who can be in no further lobby, unless it is in this one', async () => {
    world = await makeWorld({ limits: limitProfiles.standard });
    lobbies = createLobbies(world.core);
    const max = limitProfiles.standard.lobbiesPerUserMax ?? 0;
    const { id } = await created(ada);
    for (let count = 1; count < max; count++) {
      await lobbies.join(world.starfall, userRecord(ada), { secret: `s${count}` });
      await lobbies.join(world.starfall, userRecord(ben), { secret: `s${count}` });
    }
    await lobbies.join(world.starfall, userRecord(ben), { secret: 'the last' });
    const upserted = await update(id, [{ id: ben }, { id: cyn }, { id: ada, flags: 1 }]);
    expect(upserted.map(member => member.id)).toEqual([cyn, ada]);
    expect((await membersOf(id)).map(member => member.id)).toEqual([ada, cyn]);
  });
});

describe('the events of a bulk update', () => {
  const facts = (heard: readonly Heard[]) => heard.map(({ name, data }) => ({ name, data }));
  let heard: Readonly<Record<'ada' | 'ben' | 'cyn', Heard[]>>;
  beforeEach(async () => {
    for (const userId of [ada, ben, cyn]) await enter(world.core, '1', userId);
    heard = {
      ada: await listen(world.core, '1', ada),
      ben: await listen(world.core, '1', ben),
      cyn: await listen(world.core, '1', cyn),
    };
  });

  it('is each change once to each who is concerned, and the lobby to those who come', async () => {
    const { id } = await created(ada, ben);
    for (const events of Object.values(heard)) events.length = 0;
    await update(id, [{ id: cyn }, { id: ben, remove_member: true }, { id: ada, flags: 1 }]);
    expect(namesOf(heard.ada)).toEqual(['LOBBY_MEMBER_REMOVE', 'LOBBY_MEMBER_UPDATE', 'LOBBY_MEMBER_ADD']);
    expect(facts(heard.ben)).toEqual([{ name: 'LOBBY_DELETE', data: { id, reason: 'removed' } }]);
    expect(facts(heard.cyn)).toMatchObject([
      { name: 'LOBBY_CREATE', data: { members: [{ user_id: ada, flags: 1 }, { user_id: cyn }] } },
    ]);
  });

  it('is nothing when nothing changes', async () => {
    const { id } = await created(ada);
    heard.ada.length = 0;
    await update(id, [{ id: ada }, { id: ben, remove_member: true }]);
    expect(heard.ada).toEqual([]);
  });
});
