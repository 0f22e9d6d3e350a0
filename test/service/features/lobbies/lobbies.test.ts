import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby, LobbyMember } from '../../../../src/model/lobby.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { ada, ben, cyn, gatewayMember, makeWorld, nobody, refusal, userRecord, type World } from '../support.ts';

let world: World;
let lobbies: Lobbies;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
});

const created = async (input: unknown = {}): Promise<Lobby> => JSON.parse(await lobbies.create(world.starfall, input));
const read = async (id: string): Promise<Lobby> => JSON.parse(await lobbies.read(world.starfall, id));
const edited = async (id: string, input: unknown): Promise<Lobby> =>
  JSON.parse(await lobbies.edit(world.starfall, id, input));
const put = async (id: string, userId: string, input: unknown = {}): Promise<LobbyMember> =>
  JSON.parse(await lobbies.putMember(world.starfall, id, userId, input));

describe('a new lobby', () => {
  it('has every field in the order of the interface, and none of those that are never shown', async () => {
    const input = {
      metadata: { map: 'dunes' },
      members: [{ id: ada, metadata: { team: 'red' }, flags: 1 }],
      idle_timeout_seconds: 60,
      flags: 1,
      override_event_webhooks_url: 'https://game.example/events',
    };
    const text = await lobbies.create(world.starfall, input);
    const { id } = JSON.parse(text);
    expect(text).toBe(
      `{"id":"${id}","application_id":"1","metadata":{"map":"dunes"},` +
        `"members":[{"id":"${ada}","metadata":{"team":"red"},"flags":1}],"flags":1,` +
        `"override_event_webhooks_url":"https://game.example/events"}`,
    );
  });

  it('is empty when nothing is asked for', async () => {
    const lobby = await created();
    expect(lobby).toEqual({ id: lobby.id, application_id: '1', metadata: null, members: [], flags: 0 });
  });

  it('takes null in every field for absent', async () => {
    const lobby = await created({
      metadata: null,
      members: null,
      idle_timeout_seconds: null,
      flags: null,
      override_event_webhooks_url: null,
    });
    expect(lobby).toEqual({ id: lobby.id, application_id: '1', metadata: null, members: [], flags: 0 });
  });

  it('lists its members by id, in whichever order they were given, and reads back as it was answered', async () => {
    const text = await lobbies.create(world.starfall, { members: [{ id: cyn }, { id: ada }, { id: ben }] });
    const { id, members } = JSON.parse(text) as Lobby;
    expect(members.map(member => member.id)).toEqual([ada, ben, cyn]);
    expect(await lobbies.read(world.starfall, id)).toBe(text);
  });

  it('takes user ids as whole numbers too', async () => {
    const { members } = await created({ members: [{ id: Number(ada) }] });
    expect(members).toEqual([{ id: ada, metadata: null, flags: 0 }]);
  });

  it('does not take an additional name', async () => {
    const { members } = await created({ members: [{ id: ada, additional_name: 'Aldara' }] });
    expect(members[0]).not.toHaveProperty('additional_name');
  });

  it('is rejected with an unknown member, and then does not exist', async () => {
    const input = { members: [{ id: ada }, { id: nobody }] };
    expect((await refusal(lobbies.create(world.starfall, input))).reason).toBe('unknown_user');
    expect(await world.core.store.list('lobbies')).toEqual([]);
    expect(await world.core.store.list('lobby_members')).toEqual([]);
  });

  it.each([
    [null],
    ['lobby'],
    [[]],
    [{ metadata: 7 }],
    [{ members: {} }],
    [{ members: [null] }],
    [{ members: [{ id: 'x' }] }],
    [{ members: [{ id: ada }, { id: Number(ada) }] }],
    [{ members: Array.from({ length: limits.lobbyMembersPerRequestMax + 1 }, (_, index) => ({ id: String(index) })) }],
    [{ idle_timeout_seconds: limits.lobbyIdleTimeoutSecondsMin - 1 }],
    [{ idle_timeout_seconds: limits.lobbyIdleTimeoutSecondsMax + 1 }],
    [{ idle_timeout_seconds: '60' }],
  ])('is refused as an invalid body: %j', async input => {
    expect((await refusal(lobbies.create(world.starfall, input))).reason).toBe('invalid_form_body');
  });

  it('keeps hostile metadata keys as they are', async () => {
    const input = JSON.parse('{"metadata":{"__proto__":"a","constructor":"b","1":"c"}}');
    const text = await lobbies.create(world.starfall, input);
    expect(text).toContain('"metadata":{"1":"c","__proto__":"a","constructor":"b"}');
    expect(await lobbies.read(world.starfall, JSON.parse(text).id)).toBe(text);
  });
});

describe('a lobby', () => {
  it.each(['read', 'edit', 'putMember', 'removeMember'] as const)(
    'of another application is as unknown to %s as one that never was',
    async call => {
      const { id } = await created({ members: [{ id: ada }] });
      const calls = {
        read: (lobbyId: string) => lobbies.read(world.rival, lobbyId),
        edit: (lobbyId: string) => lobbies.edit(world.rival, lobbyId, {}),
        putMember: (lobbyId: string) => lobbies.putMember(world.rival, lobbyId, ada, {}),
        removeMember: (lobbyId: string) => lobbies.removeMember(world.rival, lobbyId, ada),
      };
      expect((await refusal(calls[call](id))).reason).toBe('unknown_lobby');
      expect((await refusal(calls[call]('123'))).reason).toBe('unknown_lobby');
      expect((await read(id)).members).toHaveLength(1);
    },
  );

  it('read by its owner first is not shown to another application from memory', async () => {
    const { id } = await created();
    await read(id);
    await read(id);
    expect((await refusal(lobbies.read(world.rival, id))).reason).toBe('unknown_lobby');
  });

  it('is gone after its deletion, which can be repeated', async () => {
    const { id } = await created({ members: [{ id: ada }] });
    await read(id);
    await lobbies.remove(world.starfall, id);
    await lobbies.remove(world.starfall, id);
    expect((await refusal(read(id))).reason).toBe('unknown_lobby');
    expect(await world.core.store.list('lobby_members')).toEqual([]);
  });

  it('survives its deletion by another application', async () => {
    const { id } = await created();
    await lobbies.remove(world.rival, id);
    expect((await read(id)).id).toBe(id);
  });
});

describe('an edit', () => {
  const whole = {
    metadata: { a: '1', b: '2' },
    members: [{ id: ada }, { id: ben, metadata: { team: 'red' }, flags: 1 }],
    flags: 1,
    override_event_webhooks_url: 'https://game.example/',
  };

  it('keeps what it leaves out', async () => {
    const lobby = await created(whole);
    expect(await edited(lobby.id, {})).toEqual(lobby);
  });

  it('replaces the metadata whole and clears it by null', async () => {
    const { id } = await created(whole);
    expect((await edited(id, { metadata: { b: '3' } })).metadata).toEqual({ b: '3' });
    expect((await edited(id, { metadata: {} })).metadata).toEqual({});
    expect((await edited(id, { metadata: null })).metadata).toBeNull();
  });

  it('clears flags and the webhooks address by null, and keeps members and idle timeout', async () => {
    const { id, members } = await created(whole);
    const lobby = await edited(id, {
      flags: null,
      override_event_webhooks_url: null,
      members: null,
      idle_timeout_seconds: null,
    });
    expect(lobby).toEqual({ id, application_id: '1', metadata: whole.metadata, members, flags: 0 });
  });

  it('makes its members the whole list: adds, updates, and removes those not in it', async () => {
    const { id } = await created(whole);
    await put(id, ben, { additional_name: 'Benno', flags: 1 });
    const { members } = await edited(id, { members: [{ id: cyn }, { id: ben, metadata: { team: 'blue' } }] });
    expect(members).toEqual([
      { id: ben, metadata: { team: 'blue' }, flags: 0, additional_name: 'Benno' },
      { id: cyn, metadata: null, flags: 0 },
    ]);
    expect((await read(id)).members).toEqual(members);
    expect((await edited(id, { members: [] })).members).toEqual([]);
  });

  it('that adds an unknown user changes nothing', async () => {
    const lobby = await created(whole);
    const call = lobbies.edit(world.starfall, lobby.id, { metadata: {}, members: [{ id: nobody }] });
    expect((await refusal(call)).reason).toBe('unknown_user');
    expect(await read(lobby.id)).toEqual(lobby);
  });

  it('can add as many members as it has removed', async () => {
    const { id } = await created({ members: [{ id: ada }, { id: ben }] });
    await edited(id, { members: [{ id: cyn }] });
    await lobbies.removeMember(world.starfall, id, cyn);
    const record = await world.core.store.get('lobbies', id);
    expect(record?.member_count).toBe(0);
  });
});

describe('a member', () => {
  it('is added, and then updated by the same call', async () => {
    const { id } = await created();
    expect(await put(id, ada, { metadata: { a: '1' }, flags: 1, additional_name: 'Aldara' })).toEqual({
      id: ada,
      metadata: { a: '1' },
      flags: 1,
      additional_name: 'Aldara',
    });
    expect(await put(id, ada, { metadata: { b: '2' } })).toEqual({
      id: ada,
      metadata: { b: '2' },
      flags: 0,
      additional_name: 'Aldara',
    });
    expect((await read(id)).members).toHaveLength(1);
  });

  it('loses metadata and flags left out or null, keeps an additional name left out, loses it by null', async () => {
    const { id } = await created();
    await put(id, ada, { metadata: { a: '1' }, flags: 1, additional_name: 'Aldara' });
    expect(await put(id, ada, {})).toEqual({ id: ada, metadata: null, flags: 0, additional_name: 'Aldara' });
    await put(id, ada, { metadata: { a: '1' }, flags: 1 });
    expect(await put(id, ada, { metadata: null, flags: null, additional_name: null })).toEqual({
      id: ada,
      metadata: null,
      flags: 0,
    });
  });

  it('that is unknown is rejected; a missing lobby is reported first', async () => {
    const { id } = await created();
    expect((await refusal(put(id, nobody))).reason).toBe('unknown_user');
    expect((await refusal(put('123', nobody))).reason).toBe('unknown_lobby');
  });

  it.each([[null], [[]], [{ flags: 'x' }], [{ additional_name: '' }], [{ metadata: { a: 1 } }]])(
    'is refused as an invalid body: %j',
    async input => {
      const { id } = await created();
      expect((await refusal(put(id, ada, input))).reason).toBe('invalid_form_body');
    },
  );

  it('is removed once; removing one who is none does nothing, unless the lobby is missing', async () => {
    const { id } = await created({ members: [{ id: ada }] });
    await lobbies.removeMember(world.starfall, id, ada);
    await lobbies.removeMember(world.starfall, id, ada);
    await lobbies.removeMember(world.starfall, id, nobody);
    expect((await read(id)).members).toEqual([]);
    expect((await refusal(lobbies.removeMember(world.starfall, '123', ada))).reason).toBe('unknown_lobby');
  });

  it('is the last that fits as number 1000; number 1001 is rejected until one has left', async () => {
    const { id } = await created();
    const userIds = Array.from({ length: limits.lobbyMembersMax + 1 }, (_, index) => String(100_000 + index));
    await world.core.store.transact('world', transaction => {
      for (const userId of userIds) transaction.put('users', userRecord(userId));
    });
    const last = userIds.pop() ?? '';
    await Promise.all(userIds.map(userId => put(id, userId)));

    const { reason, paths } = await refusal(put(id, last));
    expect({ reason, paths }).toEqual({ reason: 'invalid_form_body', paths: ['members'] });
    expect((await read(id)).members).toHaveLength(limits.lobbyMembersMax);
    expect(await put(id, userIds[0] ?? '', { flags: 1 })).toHaveProperty('flags', 1);

    await lobbies.removeMember(world.starfall, id, userIds[0] ?? '');
    expect(await put(id, last)).toHaveProperty('id', last);
  });

  it('added many times concurrently is added once', async () => {
    const { id } = await created();
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(id, ada, { metadata: { n: String(index) } })));
    const record = await world.core.store.get('lobbies', id);
    expect(record?.member_count).toBe(1);
    expect((await read(id)).members).toEqual([{ id: ada, metadata: { n: '19' }, flags: 0 }]);
  });
});

describe('reading', () => {
  it('sees every acknowledged write immediately', async () => {
    const { id } = await created();
    for (let round = 0; round < 5; round++) {
      await edited(id, { metadata: { round: String(round) } });
      expect((await read(id)).metadata).toEqual({ round: String(round) });
      await put(id, ada, { metadata: { round: String(round) } });
      expect((await read(id)).members[0]?.metadata).toEqual({ round: String(round) });
    }
  });

  it('beside writes never shows two states mixed', async () => {
    const { id } = await created({ metadata: { n: '0' }, members: [{ id: ada, metadata: { n: '0' } }] });
    const write = (n: string) => edited(id, { metadata: { n }, members: [{ id: ada, metadata: { n } }] });
    const rounds = Array.from({ length: 50 }, (_, index) => Promise.all([write(String(index)), read(id), read(id)]));
    for (const [, ...seen] of await Promise.all(rounds)) {
      for (const { metadata, members } of seen) expect(members[0]?.metadata).toEqual(metadata);
    }
  });
});

describe('all lobbies of an application', () => {
  it('end immediately, with and without members, and those of other applications do not', async () => {
    const own = [await created({ members: [{ id: ada }] }), await created({})];
    const theirs = JSON.parse(await lobbies.create(world.rival, {})) as Lobby;
    await lobbies.removeAll(world.starfall);
    for (const { id } of own) {
      expect((await refusal(lobbies.read(world.starfall, id))).reason).toBe('unknown_lobby');
    }
    expect(JSON.parse(await lobbies.read(world.rival, theirs.id))).toEqual(theirs);
  });
});

describe('the lobbies of a player', () => {
  it('are those of one application, as the gateway shows them, with the revision of each', async () => {
    const { id } = await created({ metadata: { a: '1' }, members: [{ id: ada, flags: 1 }] });
    await created({ members: [{ id: ben }] });
    await lobbies.create(world.rival, { members: [{ id: ada }] });
    const [seen, ...others] = await lobbies.ofPlayer(world.starfall.id, ada);
    expect(others).toEqual([]);
    expect(seen?.id).toBe(id);
    expect(JSON.parse(seen?.text ?? '')).toEqual({
      id,
      application_id: '1',
      metadata: { a: '1' },
      members: [{ ...gatewayMember(ada, false), flags: 1 }],
      flags: 0,
      voice_states: [],
      region: 'local',
    });
    expect(seen?.revision).toBe(await world.core.store.revision(seen?.scope ?? ''));
  });

  it('are none for a user without', async () => {
    expect(await lobbies.ofPlayer(world.starfall.id, nobody)).toEqual([]);
  });
});
