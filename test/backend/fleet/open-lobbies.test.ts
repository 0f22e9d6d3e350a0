import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type OpenLobbies,
  type OpenLobbiesOptions,
  openLobbies,
  searchLimitMax,
} from '../../../src/backend/fleet/index.ts';
import type { Transport } from '../../../src/backend/index.ts';
import { apiErrors, TransportError } from '../../../src/model/errors/errors.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import type { LobbyMemberInput } from '../../../src/model/lobby.ts';
import type { StandardSchema } from '../../../src/model/metadata-schema.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { notAwaited } from '../../support/not-awaited.ts';
import { tries } from '../../support/runs/tries.ts';
import { Fleet, type GameServer, players } from './rig.ts';

const users = players(30).map(({ id }) => id);
const [ada = '', grace = '', edsger = ''] = users;

let fleet: Fleet;
let server: GameServer;
let lobbies: OpenLobbies;

beforeEach(async () => {
  fleet = await Fleet.start(users.length);
  server = fleet.server('one');
  lobbies = openOn(server);
});
afterEach(() => fleet.close());

/** Servers of the fleet share its directory. */
function openOn<M = Readonly<Record<string, string>>>({ backend }: GameServer, options: OpenLobbiesOptions<M> = {}) {
  return openLobbies<M>(backend, { directory: fleet.directory, ...options });
}

/** The service answers every request of a method with an error. */
function rejected(method: 'PUT' | 'DELETE'): Transport {
  const transport = nodeTransport();
  const text = JSON.stringify({ code: apiErrors.missing_access.code, message: 'Missing Access' });
  return {
    ...transport,
    send: async request => (request.method === method ? { status: 403, headers: {}, text } : transport.send(request)),
  };
}

/** Holds requests of a method, or answers to them, back until they are let go; `held` resolves when the first is there. */
function held(
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE',
  what: 'request' | 'answer' = 'request',
): { readonly transport: Transport; readonly held: Promise<() => void> } {
  const transport = nodeTransport();
  const arrived = Promise.withResolvers<() => void>();
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  return {
    held: arrived.promise,
    transport: {
      ...transport,
      async send(request) {
        if (request.method !== method) return transport.send(request);
        const answer = what === 'answer' && (await transport.send(request));
        arrived.resolve(letGo);
        await isLetGo;
        return answer || transport.send(request);
      },
    },
  };
}

const race = { mode: 'race' };
const racing = (capacity: number) => ({ where: race, otherwise: { metadata: race, capacity } });

describe('a search', () => {
  it('finds listed lobbies with free seats by their metadata, the fullest first, then the oldest', async () => {
    const first = await lobbies.open({ metadata: race, capacity: 2 });
    fleet.clock.advance(1);
    const second = await lobbies.open({ metadata: { ...race, map: 'harbour' }, capacity: 2 });
    const other = await lobbies.open({ metadata: { mode: 'duel' }, capacity: 2 });
    const idsOf = async (...search: Parameters<OpenLobbies['search']>) =>
      (await lobbies.search(...search)).map(({ id }) => id);
    expect(await idsOf({ where: race })).toEqual([first.id, second.id]);
    await lobbies.join(second.id, ada);
    expect(await idsOf({ where: race })).toEqual([second.id, first.id]);
    expect(await idsOf({ where: { map: 'harbour' } })).toEqual([second.id]);
    expect(
      await idsOf({ where: lobby => lobby.players.length === 0, sort: (a, b) => b.openedAtMs - a.openedAtMs }),
    ).toEqual([other.id, first.id]);
    expect(await idsOf({ freeSeatsMin: 2 })).toEqual([first.id, other.id]);
    await lobbies.join(second.id, grace);
    expect(await idsOf({ where: race })).toEqual([first.id]);
    await lobbies.setListed(first.id, false);
    expect(await idsOf({ where: race })).toEqual([]);
  });

  it.each<readonly [what: string, where: () => boolean]>([
    ['says yes', notAwaited(async () => true)],
    ['rejects', notAwaited(() => Promise.reject(new Error('broken')))],
  ])('refuses an async function that %s: every lobby would fit', async (_, where) => {
    await lobbies.open({ capacity: 1 });
    await expect(lobbies.search({ where })).rejects.toMatchObject({
      code: 'invalid_filter',
      message: 'where must return a boolean, not a promise.',
    });
    await expect(lobbies.quickMatch(ada, { where, otherwise: { capacity: 1 } })).rejects.toMatchObject({
      code: 'invalid_filter',
    });
    expect(await lobbies.search()).toHaveLength(1);
  });

  it('gives as many as asked for, 1 to 1,000', async () => {
    for (let n = 0; n < 3; n++) await lobbies.open({ capacity: 1 });
    expect(await lobbies.search({ limit: 2 })).toHaveLength(2);
    expect(await lobbies.search({ limit: searchLimitMax })).toHaveLength(3);
    for (const limit of [0, 1.5, searchLimitMax + 1]) {
      await expect(lobbies.search({ limit })).rejects.toMatchObject({ code: 'invalid_limit' });
    }
  });

  it('shows metadata by the schema, and writes none that does not fit', async () => {
    const schema: StandardSchema<{ readonly level: number }> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: value => {
          const level = Number((value as { level?: string }).level);
          return Number.isInteger(level)
            ? { value: { level } }
            : { issues: [{ message: 'must be whole', path: ['level'] }] };
        },
      },
    };
    const typed = openOn(server, { schema });
    const { id } = await typed.open({ metadata: { level: '3' }, capacity: 2 });
    expect(await typed.search({ where: ({ metadata }) => (metadata?.level ?? 0) > 2 })).toMatchObject([
      { id, metadata: { level: 3 } },
    ]);
    const invalid = { code: 'invalid_form_body', issues: [{ path: ['metadata', 'level'] }] };
    await expect(typed.open({ metadata: { level: 'x' }, capacity: 2 })).rejects.toMatchObject(invalid);
    await expect(typed.setMetadata(id, { level: 'x' })).rejects.toMatchObject(invalid);
  });
});

describe('a seat', () => {
  it('is given up to the capacity, and not beyond it', async () => {
    const { id } = await lobbies.open({ capacity: 2 });
    expect(await lobbies.join(id, ada)).toMatchObject({ players: [ada], freeSeats: 1 });
    expect(await lobbies.join(id, grace)).toMatchObject({ players: [ada, grace], freeSeats: 0 });
    expect(await lobbies.join(id, edsger)).toBeUndefined();
    expect((await fleet.lobby(id))?.members).toHaveLength(2);
    await lobbies.leave(id, ada);
    await lobbies.leave(id, ada);
    expect(await lobbies.join(id, edsger)).toMatchObject({ players: [grace, edsger] });
  });

  it('of a player who has one stays the same', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    await lobbies.join(id, ada);
    expect(await lobbies.join(id, ada, { metadata: { ship: 'sloop' } })).toMatchObject({ players: [ada] });
    expect((await fleet.lobby(id))?.members).toMatchObject([{ metadata: { ship: 'sloop' } }]);
  });

  it('is freed again when the service does not take the player', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    await expect(lobbies.join(id, '1')).rejects.toMatchObject({ code: 'unknown_user' });
    expect(await lobbies.get(id)).toMatchObject({ players: [], freeSeats: 1 });
  });

  it.each<readonly [what: string, member: LobbyMemberInput, code: string]>([
    ['that breaks the rules', { flags: 2 }, 'invalid_form_body'],
    ['that the service rejects', {}, 'missing_access'],
  ])('is kept when its player joins again as a member %s', async (_, member, code) => {
    const { id } = await lobbies.open({ capacity: 1 });
    await lobbies.join(id, ada);
    const again = openOn(fleet.server('two', { transport: rejected('PUT') }));
    await expect(again.join(id, ada, member)).rejects.toMatchObject({ code });
    expect(await lobbies.get(id)).toMatchObject({ players: [ada] });
    expect((await fleet.lobby(id))?.members).toMatchObject([{ id: ada }]);
  });

  it('is not given to a member that breaks the rules, and nothing is sent', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    server.sent.length = 0;
    await expect(lobbies.join(id, ada, { flags: 2 })).rejects.toMatchObject({ code: 'invalid_form_body' });
    expect(server.sent).toEqual([]);
    expect(await lobbies.get(id)).toMatchObject({ players: [] });
  });

  it('that a refresh frees while the service adds its player is given once only: the lobby is not overfilled', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    const puts = held('PUT');
    const joining = openOn(fleet.server('two', { transport: puts.transport })).join(id, ada);
    const letGo = await puts.held;
    await lobbies.refresh(id);
    expect(await lobbies.join(id, grace)).toMatchObject({ players: [grace] });
    letGo();
    expect(await joining).toBeUndefined();
    expect((await fleet.lobby(id))?.members).toMatchObject([{ id: grace }]);
  });

  it('that a refresh frees while the service adds its player is taken again when nobody else has it', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    const puts = held('PUT');
    const joining = openOn(fleet.server('two', { transport: puts.transport })).join(id, ada);
    const letGo = await puts.held;
    await lobbies.refresh(id);
    letGo();
    expect(await joining).toMatchObject({ players: [ada] });
    expect(await lobbies.get(id)).toMatchObject({ players: [ada] });
  });

  it('that is given while a refresh reads the lobby is not freed by it', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    const gets = held('GET', 'answer');
    const refreshing = openOn(fleet.server('two', { transport: gets.transport })).refresh(id);
    const letGo = await gets.held;
    expect(await lobbies.join(id, ada)).toMatchObject({ players: [ada] });
    letGo();
    expect(await refreshing).toMatchObject({ players: [ada], freeSeats: 0 });
    expect(await lobbies.get(id)).toMatchObject({ players: [ada] });
  });

  it('is freed when the player gives up while the service adds them', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    const puts = held('PUT');
    const leaving = new AbortController();
    const joining = openOn(fleet.server('two', { transport: puts.transport })).join(id, ada, {}, leaving);
    const letGo = await puts.held;
    leaving.abort();
    await expect(joining).rejects.toMatchObject({ code: 'aborted' });
    letGo();
    await vi.waitFor(async () => expect(await lobbies.get(id)).toMatchObject({ players: [] }));
    expect((await fleet.lobby(id))?.members).toEqual([]);
  });

  it('is free when the service has removed its player, and is not taken again before that', async () => {
    const { id } = await lobbies.open({ metadata: race, capacity: 1 });
    await lobbies.join(id, ada);
    const deletes = held('DELETE');
    const leaving = openOn(fleet.server('two', { transport: deletes.transport })).leave(id, ada);
    const letGo = await deletes.held;
    expect(await lobbies.join(id, ada)).toBeUndefined();
    expect(await lobbies.join(id, grace)).toBeUndefined();
    expect(await lobbies.refresh(id)).toMatchObject({ players: [], freeSeats: 0 });
    expect(await lobbies.quickMatch(ada, racing(1))).toMatchObject({ isNew: true });
    letGo();
    await leaving;
    expect(await lobbies.join(id, grace)).toMatchObject({ players: [grace] });
    expect((await fleet.lobby(id))?.members).toMatchObject([{ id: grace }]);
  });

  it('of a player whom the service did not remove is free when leaving is repeated', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    await lobbies.join(id, ada);
    const failing = openOn(fleet.server('two', { transport: rejected('DELETE') }));
    await expect(failing.leave(id, ada)).rejects.toMatchObject({ code: 'missing_access' });
    expect(await lobbies.get(id)).toMatchObject({ freeSeats: 0 });
    await lobbies.leave(id, ada);
    expect(await lobbies.get(id)).toMatchObject({ players: [], freeSeats: 1 });
  });

  it('is for a lobby of 1 to as many as a lobby holds', async () => {
    for (const capacity of [0, 1.5, limits.lobbyMembersMax + 1]) {
      await expect(lobbies.open({ capacity })).rejects.toMatchObject({ code: 'invalid_capacity' });
    }
    for (const capacity of [1, limits.lobbyMembersMax]) {
      expect(await lobbies.open({ capacity })).toMatchObject({ capacity, isListed: true });
    }
  });

  it('that a crash left without its player is freed by a refresh', async () => {
    const { id } = await lobbies.open({ capacity: 1 });
    await lobbies.join(id, ada);
    await server.backend.lobbies.removeMember(id, ada);
    await server.backend.lobbies.putMember(id, grace);
    expect(await lobbies.get(id)).toMatchObject({ players: [ada] });
    expect(await lobbies.refresh(id)).toMatchObject({ players: [grace] });
  });
});

it('the metadata that two servers write at the same time is that of the same one in the directory and at the service', async () => {
  const { id } = await lobbies.open({ capacity: 1 });
  const edits = held('PATCH', 'answer');
  const writing = openOn(fleet.server('two', { transport: edits.transport })).setMetadata(id, { map: 'reef' });
  const letGo = await edits.held;
  await lobbies.setMetadata(id, { map: 'harbour' });
  letGo();
  expect(await writing).toMatchObject({ metadata: { map: 'reef' } });
  expect(await lobbies.get(id)).toMatchObject({ metadata: { map: 'reef' } });
  expect(await fleet.lobby(id)).toMatchObject({ metadata: { map: 'reef' } });
});

describe('a quick match', () => {
  it('takes a lobby that fits, and creates one otherwise', async () => {
    const { lobby, isNew } = await lobbies.quickMatch(ada, racing(2));
    expect({ lobby, isNew }).toMatchObject({ lobby: { players: [ada], metadata: race }, isNew: true });
    expect(await lobbies.quickMatch(grace, racing(2))).toMatchObject({ lobby: { id: lobby.id }, isNew: false });
    const next = await lobbies.quickMatch(edsger, { ...racing(2), member: { metadata: { ship: 'sloop' } } });
    expect(next).toMatchObject({ isNew: true });
    expect((await fleet.lobby(next.lobby.id))?.members).toMatchObject([{ id: edsger, metadata: { ship: 'sloop' } }]);
  });

  it('gives a player the same lobby again, also when it is full', async () => {
    const { lobby } = await lobbies.quickMatch(ada, racing(1));
    expect(await lobbies.quickMatch(ada, racing(1))).toMatchObject({ lobby: { id: lobby.id }, isNew: false });
  });

  it('passes a lobby that has ended, and removes it from the list', async () => {
    const { id } = await lobbies.open({ metadata: race, capacity: 2 });
    await server.backend.lobbies.delete(id);
    expect(await lobbies.quickMatch(ada, racing(2))).toMatchObject({ isNew: true });
    expect(await lobbies.get(id)).toBeUndefined();
  });

  it('whose answer is lost leaves no lobby with the player that is recorded nowhere', async () => {
    const transport = nodeTransport();
    const created: string[] = [];
    const { backend } = fleet.server('two', {
      transport: {
        ...transport,
        async send(request) {
          const answer = await transport.send(request);
          if (request.method !== 'POST') return answer;
          created.push((JSON.parse(answer.text) as { id: string }).id);
          throw new TransportError('connection_lost', 'The answer was lost.');
        },
      },
    });
    const unlucky = openLobbies(backend, { directory: fleet.directory });
    await expect(unlucky.quickMatch(ada, racing(2))).rejects.toMatchObject({ code: 'connection_lost' });
    const [lost = ''] = created;
    expect((await fleet.lobby(lost))?.members).toEqual([]);
    expect(await lobbies.search()).toEqual([]);
    await fleet.service.clock.advance(limits.lobbyIdleTimeoutSecondsDefault * 1_000 + 1_500);
    expect(await fleet.lobby(lost)).toBeUndefined();
  });

  it('of a player whom the service does not take leaves no lobby', async () => {
    await expect(lobbies.quickMatch('1', racing(2))).rejects.toMatchObject({ code: 'unknown_user' });
    const [created] = server.sent.filter(call => call.startsWith('PUT')).map(call => call.split('/')[1] ?? '');
    expect(await fleet.lobby(created ?? '')).toBeUndefined();
    expect(await lobbies.search({ freeSeatsMin: 0 })).toEqual([]);
  });

  it('keeps the new lobby for another player who has come meanwhile, when its own player is not taken', async () => {
    const { transport, held: arrived } = held('PUT', 'answer');
    const slow = openOn(fleet.server('two', { transport }));
    const giveUp = new AbortController();
    const first = slow.quickMatch(ada, racing(2), { signal: giveUp.signal });
    const letGo = await arrived;
    const second = await lobbies.quickMatch(grace, racing(2));
    giveUp.abort();
    letGo();
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(async () => {
      expect(await lobbies.get(second.lobby.id)).toMatchObject({ players: [grace], freeSeats: 1 });
    });
    expect((await fleet.lobby(second.lobby.id))?.members).toMatchObject([{ id: grace }]);
  });

  it('of a member that breaks the rules sends nothing', async () => {
    await expect(lobbies.quickMatch(ada, { ...racing(2), member: { flags: 2 } })).rejects.toMatchObject({
      code: 'invalid_form_body',
    });
    expect(server.sent).toEqual([]);
  });

  it('of many players on two servers at one moment fills no lobby beyond its capacity, and seats everybody once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 12 }), async (capacity, count) => {
        const name = `${capacity}/${count}/${Math.random()}`;
        const where = { name };
        for (let n = 0; n * capacity < count; n += 2) await lobbies.open({ metadata: where, capacity });
        const servers = [lobbies, openOn(fleet.server('two'))];
        const results = await Promise.all(
          users
            .slice(0, count)
            .map((user, at) => servers[at % 2]?.quickMatch(user, { where, otherwise: { metadata: where, capacity } })),
        );
        const ids = new Set(results.map(result => result?.lobby.id ?? ''));
        const seated: string[] = [];
        for (const id of ids) {
          const members = (await fleet.lobby(id))?.members.map(member => member.id) ?? [];
          expect(members.length).toBeLessThanOrEqual(capacity);
          expect([...((await lobbies.get(id))?.players ?? [])].sort()).toEqual([...members].sort());
          seated.push(...members);
        }
        expect(seated.sort()).toEqual(users.slice(0, count).sort());
      }),
      tries(8, 200),
    );
  });
});

describe('a lobby that ends', () => {
  it('is not found any more: by delete, refresh, metadata or a join', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => lobbies.open({ capacity: 2 })));
    const [deleted, refreshed, edited, joined] = opened.map(({ id }) => id) as [string, string, string, string];
    await lobbies.delete(deleted);
    await lobbies.delete(deleted);
    for (const id of [refreshed, edited, joined]) await server.backend.lobbies.delete(id);
    expect(await lobbies.refresh(refreshed)).toBeUndefined();
    expect(await lobbies.setMetadata(edited, {})).toBeUndefined();
    expect(await lobbies.join(joined, ada)).toBeUndefined();
    expect(await lobbies.search()).toEqual([]);
    expect(await lobbies.setListed(joined, true)).toBeUndefined();
  });
});

describe('what a program without types passes', () => {
  it('to look for, or to open, is checked: a text would fit every lobby', async () => {
    await lobbies.open({ capacity: 2 });
    const refused = { code: 'invalid_argument' };
    for (const where of ['race', null]) {
      await expect(lobbies.search({ where: where as never })).rejects.toMatchObject(refused);
      await expect(lobbies.quickMatch(ada, { ...racing(2), where: where as never })).rejects.toMatchObject(refused);
    }
    await expect(lobbies.search({ freeSeatsMin: Number.NaN })).rejects.toMatchObject(refused);
    for (const wrong of [undefined, null, 'race']) {
      await expect(lobbies.open(wrong as never)).rejects.toMatchObject(refused);
      await expect(lobbies.quickMatch(ada, wrong as never)).rejects.toMatchObject(refused);
      await expect(lobbies.quickMatch(ada, { otherwise: wrong as never })).rejects.toMatchObject(refused);
    }
    expect(await lobbies.search()).toMatchObject([{ players: [] }]);
  });

  it('to clear the metadata leaves an entry that everybody can read', async () => {
    const { id } = await lobbies.open({ metadata: race, capacity: 2 });
    expect(await lobbies.setMetadata(id, null as never)).toMatchObject({ metadata: {} });
    expect(await lobbies.search()).toMatchObject([{ id, metadata: {} }]);
  });

  it('as a number is the same player', async () => {
    const { id } = await lobbies.open({ capacity: 2 });
    await lobbies.join(id, BigInt(ada) as never);
    expect(await lobbies.get(id)).toMatchObject({ players: [ada] });
    await lobbies.leave(id, BigInt(ada) as never);
    expect(await lobbies.get(id)).toMatchObject({ players: [] });
  });

  it('as isListed is written only if it is a boolean', async () => {
    const { id } = await lobbies.open({ capacity: 2 });
    await expect(lobbies.setListed(id, 'no' as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await lobbies.search()).toMatchObject([{ id, isListed: true }]);
  });
});

it('a closed backend ends what is under way, and takes nothing new', async () => {
  await server.backend.close();
  await expect(lobbies.search()).rejects.toMatchObject({ code: 'closed' });
});

describe('a directory of the game that is wrong', () => {
  const wrong = { code: 'directory_failed' };

  it('and never says that it has written ends the call, and does not hold up the process', async () => {
    const { directory } = fleet;
    const mute = {
      get: (key: string) => directory.get(key),
      list: (prefix: string) => directory.list(prefix),
      compareAndSet: async () => false,
    };
    const { id } = await lobbies.open({ capacity: 2 });
    const muted = openLobbies(server.backend, { directory: mute });
    await expect(muted.join(id, ada)).rejects.toMatchObject({ ...wrong, message: expect.stringContaining('in a row') });
  });

  it('and rejects the entry of a new lobby leaves no lobby behind, with a player or without', async () => {
    const { directory } = fleet;
    const created: string[] = [];
    const transport = nodeTransport();
    const { backend } = fleet.server('two', {
      transport: {
        ...transport,
        async send(request) {
          const answer = await transport.send(request);
          if (request.method === 'POST') created.push((JSON.parse(answer.text) as { id: string }).id);
          return answer;
        },
      },
    });
    const full = async () => Promise.reject(new Error('disk full'));
    for (const compareAndSet of [full, async () => false]) {
      const failing = openLobbies(backend, { directory: { ...directory, compareAndSet } });
      await expect(failing.open({ capacity: 2 })).rejects.toMatchObject(wrong);
      await expect(failing.quickMatch(ada, racing(2))).rejects.toMatchObject(wrong);
    }
    expect(created).toHaveLength(4);
    for (const id of created) expect(await fleet.lobby(id)).toBeUndefined();
  });

  it('and gives null where nothing is, is understood; a list that is none is an error', async () => {
    const none = async () => null as unknown as undefined;
    const list = none as unknown as () => Promise<ReadonlyMap<string, string>>;
    const empty = openLobbies(server.backend, { directory: { get: none, list, compareAndSet: async () => true } });
    expect(await empty.get('1')).toBeUndefined();
    await expect(empty.search()).rejects.toMatchObject(wrong);
  });
});
