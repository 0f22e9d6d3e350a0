import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DispatchName, LobbyMemberDispatch } from '../../../src/model/gateway.ts';
import type { GatewayLobby, GatewayLobbyMember } from '../../../src/model/lobby.ts';
import { createLobbies } from '../../../src/service/domain/lobbies.ts';
import { ada, ben, cyn, enter, type Heard, listen, makeWorld } from './support.ts';

/** What a client that believes its events holds. */
class Believer {
  readonly lobbies = new Map<string, GatewayLobby>();
  #read = 0;

  hear(heard: readonly Heard[]): void {
    for (const { name, data } of heard.slice(this.#read)) this.#apply(name as DispatchName, data);
    this.#read = heard.length;
  }

  #apply(name: DispatchName, data: unknown): void {
    if (name === 'LOBBY_CREATE') {
      const lobby = data as GatewayLobby;
      expect(this.lobbies.has(lobby.id)).toBe(false);
      this.lobbies.set(lobby.id, lobby);
    } else if (name === 'LOBBY_UPDATE') this.#replace(data as GatewayLobby);
    else if (name === 'LOBBY_DELETE') expect(this.lobbies.delete((data as { id: string }).id)).toBe(true);
    else this.#applyMember(name, data as LobbyMemberDispatch);
  }

  #applyMember(name: DispatchName, { lobby_id, member }: LobbyMemberDispatch): void {
    const lobby = this.lobbies.get(lobby_id);
    if (!lobby) throw new Error(`${name} for a lobby that was never announced.`);
    const others = lobby.members.filter(({ user_id }) => user_id !== member.user_id);
    expect(others.length === lobby.members.length).toBe(name === 'LOBBY_MEMBER_ADD');
    this.#replace({ ...lobby, members: name === 'LOBBY_MEMBER_REMOVE' ? others : [...others, member] });
  }

  #replace(lobby: GatewayLobby): void {
    expect(this.lobbies.has(lobby.id)).toBe(true);
    this.lobbies.set(lobby.id, lobby);
  }
}

function comparable(lobbies: Iterable<GatewayLobby>): unknown {
  const byId = (a: GatewayLobbyMember, b: GatewayLobbyMember) => (a.user_id < b.user_id ? -1 : 1);
  const sorted = [...lobbies].map(lobby => ({ ...lobby, members: lobby.members.toSorted(byId) }));
  return sorted.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const user = fc.constantFrom(ada, ben, cyn);
const metadata = fc.constantFrom(null, {}, { a: '1' }, { a: '2', b: '3' });
const members = fc.uniqueArray(fc.record({ id: user, metadata }), { selector: ({ id }) => id });
const lobby = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), members, metadata }),
  fc.record({ do: fc.constant('edit' as const), lobby, body: fc.record({ metadata, members }, { requiredKeys: [] }) }),
  fc.record({ do: fc.constant('put' as const), lobby, user, metadata }),
  fc.record({ do: fc.constant('remove' as const), lobby, user }),
  fc.record({ do: fc.constant('delete' as const), lobby }),
  fc.record({ do: fc.constant('come or go' as const), user: fc.constantFrom(ben, cyn) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 200_000 }) }),
);

describe('a session that follows its events', () => {
  it('holds after every change exactly what a new session would be shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
        const { core, starfall } = await makeWorld();
        const lobbies = createLobbies(core);
        const stop = await lobbies.start();
        await enter(core, starfall.id, ada);
        const heard = await listen(core, starfall.id, ada);
        const believer = new Believer();
        const present = new Map<string, () => Promise<void>>();
        const ids: string[] = [];
        for (const next of steps) {
          const id = 'lobby' in next ? (ids.at(-1 - next.lobby) ?? '0') : '0';
          const ignore = () => {}; // of a lobby that has ended
          if (next.do === 'create') ids.push(JSON.parse(await lobbies.create(starfall, next)).id);
          else if (next.do === 'edit') await lobbies.edit(starfall, id, next.body).catch(ignore);
          else if (next.do === 'put') await lobbies.putMember(starfall, id, next.user, next).catch(ignore);
          else if (next.do === 'remove') await lobbies.removeMember(starfall, id, next.user).catch(ignore);
          else if (next.do === 'delete') await lobbies.remove(starfall, id);
          else if (next.do === 'wait') await core.clock.advance(next.ms);
          else {
            const leave = present.get(next.user);
            present.delete(next.user);
            await leave?.();
            if (!leave) present.set(next.user, await enter(core, starfall.id, next.user));
            await lobbies[leave ? 'disconnected' : 'connected'](starfall.id, next.user);
          }
          believer.hear(heard);
          const shown = await lobbies.ofPlayer(starfall.id, ada);
          expect(comparable(believer.lobbies.values())).toEqual(comparable(shown.map(seen => seen.lobby)));
          for (const { id: lobbyId, member_count } of await core.store.list('lobbies')) {
            expect(await core.store.list('lobby_members', { equals: [lobbyId] })).toHaveLength(member_count);
          }
        }
        stop();
        await core.store.close();
      }),
      { numRuns: 60 },
    );
  });
});
