import { beforeEach, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby } from '../../../../src/model/lobby.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import {
  ada,
  applicationRecord,
  ben,
  cyn,
  enter,
  type Heard,
  listen,
  makeWorld,
  gatewayMember as member,
  namesOf,
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

const secret = 'a secret';
const join = async (userId: string, input: object = {}, application = world.starfall): Promise<Lobby> =>
  JSON.parse(await lobbies.join(application, userRecord(userId), { secret, ...input }));
const leave = (userId: string, id: string) => lobbies.leave(world.starfall, userRecord(userId), id);
const read = async (id: string): Promise<Lobby> => JSON.parse(await lobbies.read(world.starfall, id));
const facts = (heard: readonly Heard[]) => heard.map(({ name, data }) => ({ name, data }));

describe('a secret', () => {
  it('that is unused makes a lobby of the caller', async () => {
    const input = { lobby_metadata: { map: 'dunes' }, member_metadata: { team: 'red' }, flags: 1 };
    const lobby = await join(ada, input);
    const members = [{ id: ada, metadata: { team: 'red' }, flags: 0 }];
    expect(lobby).toEqual({ id: lobby.id, application_id: '1', metadata: { map: 'dunes' }, members, flags: 1 });
    expect(await read(lobby.id)).toEqual(lobby);
  });

  it('brings the next one into the same lobby, and changes nothing else', async () => {
    const { id } = await join(ada, { lobby_metadata: { map: 'dunes' }, flags: 1 });
    const lobby = await join(ben, { member_metadata: { team: 'blue' } });
    expect(lobby).toMatchObject({ id, metadata: { map: 'dunes' }, flags: 1 });
    expect(lobby.members).toEqual([
      { id: ada, metadata: null, flags: 0 },
      { id: ben, metadata: { team: 'blue' }, flags: 0 },
    ]);
    expect(await read(id)).toEqual(lobby);
  });

  it('is another in another application, and by a letter', async () => {
    const ids = [
      (await join(ada)).id,
      (await join(ada, {}, world.rival)).id,
      (await join(ada, { secret: 'A secret' })).id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('is not kept in clear', async () => {
    await join(ada, { secret: 'not to be found' });
    expect(JSON.stringify(await world.core.store.dump())).not.toContain('not to be found');
  });

  it('leads back into the lobby after leaving', async () => {
    const { id } = await join(ada);
    await join(ben);
    await leave(ben, id);
    expect((await read(id)).members.map(member => member.id)).toEqual([ada]);
    expect((await join(ben)).id).toBe(id);
  });

  it('makes another lobby once the first has ended', async () => {
    const { id } = await join(ada);
    await lobbies.remove(world.starfall, id);
    expect((await join(ada)).id).not.toBe(id);
  });

  it.each([
    [serviceLimits.lobbySecretLifeMs - 1, 'leads to its lobby'],
    [serviceLimits.lobbySecretLifeMs, 'makes another'],
  ])('after %i ms of life %s', async (ms, what) => {
    const { id } = await join(ada);
    await world.core.clock.advance(ms);
    const lobby = await join(ben);
    expect(lobby.id === id).toBe(what === 'leads to its lobby');
    expect(lobby.members).toHaveLength(what === 'leads to its lobby' ? 2 : 1);
    // The first lobby lives on, whatever became of its secret.
    expect((await read(id)).members.map(member => member.id)).toContain(ada);
    expect((await join(cyn)).id).toBe(lobby.id);
    await leave(ada, id);
  });

  it('used by many users concurrently makes one lobby', async () => {
    const users = Array.from({ length: 40 }, (_, at) => String(200 + at));
    const joined = await Promise.all(users.map(userId => join(userId)));
    expect(new Set(joined.map(({ id }) => id)).size).toBe(1);
    expect((await read(joined[0]?.id ?? '')).members).toHaveLength(40);
    expect(await world.core.store.list('lobbies')).toHaveLength(1);
  });

  it('used while its lobby is deleted leads into a lobby that is there', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await join(ada, { secret: `s${round}` });
      const [lobby] = await Promise.all([
        join(ben, { secret: `s${round}` }),
        lobbies.remove(world.starfall, id),
        join(cyn, { secret: `s${round}` }),
      ]);
      const after = await join(ada, { secret: `s${round}` });
      expect(after.members.map(member => member.id)).toContain(ada);
      if (lobby.id === id) expect((await refusal(lobbies.read(world.starfall, id))).reason).toBe('unknown_lobby');
      else expect(after.id).toBe(lobby.id);
    }
  });
});

describe('a member who joins again', () => {
  it('replaces the metadata that is sent, and keeps what is absent or null', async () => {
    await join(ada, { lobby_metadata: { a: '1', b: '2' }, member_metadata: { c: '3' } });
    for (const input of [{}, { lobby_metadata: null, member_metadata: null, flags: null }]) {
      const lobby = await join(ada, input);
      expect(lobby.metadata).toEqual({ a: '1', b: '2' });
      expect(lobby.members).toEqual([{ id: ada, metadata: { c: '3' }, flags: 0 }]);
    }
    const lobby = await join(ada, { lobby_metadata: { b: '5' }, member_metadata: {}, flags: 1 });
    expect(lobby).toMatchObject({ metadata: { b: '5' }, members: [{ metadata: {} }], flags: 1 });
  });

  it('keeps the flags and the name that its server gave it, and can set neither', async () => {
    const { id } = await join(ada);
    await lobbies.putMember(world.starfall, id, ada, { flags: 1, additional_name: 'Gandalf' });
    const again = { flags: 1, member_metadata: { flags: '0' }, additional_name: 'Saruman' };
    expect((await join(ada, again)).members).toEqual([
      { id: ada, metadata: { flags: '0' }, flags: 1, additional_name: 'Gandalf' },
    ]);
    expect((await join(ben, { flags: 1 })).members[1]).toEqual({ id: ben, metadata: null, flags: 0 });
  });

  it('gives the lobby another idle timeout only when one is sent', async () => {
    const { id } = await join(ada, { idle_timeout_seconds: 60 });
    const stop = await lobbies.start();
    await world.core.clock.advance(30_000);
    await join(ada);
    await world.core.clock.advance(29_999);
    await join(ada, { idle_timeout_seconds: 100 });
    await world.core.clock.advance(99_999);
    expect((await read(id)).id).toBe(id);
    await world.core.clock.advance(1);
    expect((await refusal(read(id))).reason).toBe('unknown_lobby');
    stop();
  });
});

describe('the events of joins', () => {
  let heard: Readonly<Record<'ada' | 'ben', Heard[]>>;
  beforeEach(async () => {
    for (const userId of [ada, ben]) await enter(world.core, '1', userId);
    heard = { ada: await listen(world.core, '1', ada), ben: await listen(world.core, '1', ben) };
  });

  it('are the whole lobby for the user who joins and the new member for the others, never both', async () => {
    const { id } = await join(ada);
    expect(facts(heard.ada)).toMatchObject([{ name: 'LOBBY_CREATE', data: { id, members: [member(ada)] } }]);
    heard.ada.length = 0;
    await join(ben);
    expect(facts(heard.ada)).toEqual([
      { name: 'LOBBY_MEMBER_ADD', data: { member: member(ben), lobby_id: id, application_id: '1' } },
    ]);
    expect(facts(heard.ben)).toMatchObject([
      { name: 'LOBBY_CREATE', data: { id, members: [member(ada), member(ben)] } },
    ]);
  });

  it('is each change of metadata once, and nothing when nothing changes', async () => {
    await join(ada);
    await join(ben, { lobby_metadata: { map: 'dunes' } });
    expect(namesOf(heard.ada)).toEqual(['LOBBY_CREATE', 'LOBBY_UPDATE', 'LOBBY_MEMBER_ADD']);
    expect(namesOf(heard.ben)).toEqual(['LOBBY_CREATE']);
    for (const events of Object.values(heard)) events.length = 0;
    await join(ben, { lobby_metadata: { map: 'dunes' } });
    expect(heard).toEqual({ ada: [], ben: [] });
    await join(ben, { member_metadata: { team: 'red' } });
    await join(ben, { lobby_metadata: { map: 'sea' } });
    for (const events of Object.values(heard)) expect(namesOf(events)).toEqual(['LOBBY_MEMBER_UPDATE', 'LOBBY_UPDATE']);
  });

  it('of one who leaves is the end of the lobby to itself, the member to the others', async () => {
    const { id } = await join(ada);
    await join(ben);
    for (const events of Object.values(heard)) events.length = 0;
    await leave(ben, id);
    expect(facts(heard.ben)).toEqual([{ name: 'LOBBY_DELETE', data: { id, reason: 'removed' } }]);
    expect(facts(heard.ada)).toMatchObject([{ name: 'LOBBY_MEMBER_REMOVE', data: { member: member(ben) } }]);
  });
});

describe('leaving', () => {
  it('is safe again and again, but not a lobby that is not there', async () => {
    const { id } = await join(ada);
    for (let time = 0; time < 2; time++) await leave(ada, id);
    expect((await read(id)).members).toEqual([]);
    expect((await refusal(leave(ada, '42'))).reason).toBe('unknown_lobby');
    const rivals = await join(ada, {}, world.rival);
    expect((await refusal(leave(ada, rivals.id))).reason).toBe('unknown_lobby');
  });

  it('is rejected in a lobby that a server made, but for those who are not in it', async () => {
    const { id } = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }] })) as Lobby;
    expect((await refusal(leave(ada, id))).reason).toBe('missing_access');
    expect((await read(id)).members).toHaveLength(1);
    await leave(ben, id);
  });

  it('by the last member lets the lobby become idle, and end when its time has come', async () => {
    const stop = await lobbies.start();
    const depart = await enter(world.core, '1', ada);
    const { id } = await join(ada);
    await world.core.clock.advance(1_000_000);
    await leave(ada, id);
    await depart();
    const timeoutMs = limits.lobbyIdleTimeoutSecondsDefault * 1000;
    await world.core.clock.advance(timeoutMs - 1);
    expect((await read(id)).members).toEqual([]);
    await world.core.clock.advance(1);
    expect((await refusal(read(id))).reason).toBe('unknown_lobby');
    stop();
  });
});

describe('a full lobby', () => {
  it('takes the thousandth member and rejects the next, and lets members in again', async () => {
    const { id } = await join(ada);
    await world.core.store.transact('test', async transaction => {
      const lobby = await transaction.get('lobbies', id);
      if (lobby) transaction.put('lobbies', { ...lobby, member_count: limits.lobbyMembersMax - 1 });
    });
    await join(ben);
    const { reason, paths } = await refusal(join(cyn));
    expect([reason, paths]).toEqual(['invalid_form_body', ['members']]);
    expect((await join(ben, { member_metadata: { a: 'b' } })).members[1]?.metadata).toEqual({ a: 'b' });
  });
});

describe('the lobbies of one user', () => {
  const max = limitProfiles.standard.lobbiesPerUserMax ?? 0;
  beforeEach(async () => {
    world = await makeWorld({ limits: limitProfiles.standard });
    lobbies = createLobbies(world.core);
    for (let count = 1; count < max; count++) await join(ada, { secret: `s${count}` });
  });

  it('are at most a hundred, no matter who adds the user to the next one', async () => {
    const { id } = JSON.parse(await lobbies.create(world.starfall, {})) as Lobby;
    await join(ada, { secret: 'the last' });
    const fault = { code: 'LOBBIES_PER_USER_MAX', message: 'The user is already in 100 lobbies of this application' };
    const calls: [call: Promise<unknown>, path: string[]][] = [
      [join(ada, { secret: 'one more' }), []],
      [lobbies.create(world.starfall, { members: [{ id: ben }, { id: ada }] }), ['members', '1', 'id']],
      [lobbies.edit(world.starfall, id, { members: [{ id: ada }] }), ['members', '0', 'id']],
      [lobbies.putMember(world.starfall, id, ada, {}), ['user_id']],
    ];
    for (const [call, path] of calls) {
      const refused = await refusal(call);
      expect(refused.reason).toBe('invalid_form_body');
      expect(refused.fault.issues).toEqual([{ ...fault, path }]);
    }
    expect(await lobbies.ofPlayer('1', ada)).toHaveLength(max);
  });

  it('may be refreshed at the bound, and those of another user or application do not count', async () => {
    await join(ada, { secret: 'the last' });
    expect((await join(ada, { secret: 's1', member_metadata: { a: 'b' } })).members).toHaveLength(1);
    await join(ben, { secret: 'one more' });
    await join(ada, { secret: 'one more' }, applicationRecord('2'));
  });

  it('are no more than a hundred when many calls arrive concurrently', async () => {
    const calls = Array.from({ length: 10 }, (_, at) => join(ada, { secret: `race ${at}` }));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
