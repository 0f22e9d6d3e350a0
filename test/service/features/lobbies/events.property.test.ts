import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DispatchName, LobbyMemberDispatch } from '../../../../src/model/gateway.ts';
import type { GatewayLobby, GatewayLobbyMember } from '../../../../src/model/lobby.ts';
import type { LobbyMessage } from '../../../../src/model/lobby-message.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { RequestError } from '../../../../src/service/support/request-error.ts';
import { patienceMs } from '../../../support/runs/soak.ts';
import { tries } from '../../../support/runs/tries.ts';
import {
  ada,
  ben,
  channelRecord,
  cyn,
  enter,
  guildRecord,
  type Heard,
  listen,
  makeWorld,
  putGuild,
  userRecord,
  type World,
  worldRuns,
} from '../support.ts';

/** What a client that believes its events holds. */
class Believer {
  readonly lobbies = new Map<string, GatewayLobby>();
  /** In the order heard. */
  readonly messages: LobbyMessage[] = [];
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
    else if (name === 'LOBBY_MESSAGE_CREATE') this.#receive(data as LobbyMessage);
    else if (name === 'LOBBY_DELETE') expect(this.lobbies.delete((data as { id: string }).id)).toBe(true);
    else this.#applyMember(name, data as LobbyMemberDispatch);
  }

  #receive(message: LobbyMessage): void {
    expect(this.lobbies.has(message.lobby_id)).toBe(true);
    this.messages.push(message);
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
const members = fc.uniqueArray(fc.record({ id: user, metadata, flags: fc.constantFrom(0, 1) }), {
  selector: ({ id }) => id,
});
const lobby = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), members, metadata }),
  fc.record({ do: fc.constant('edit' as const), lobby, body: fc.record({ metadata, members }, { requiredKeys: [] }) }),
  fc.record({ do: fc.constant('put' as const), lobby, user, metadata }),
  fc.record({ do: fc.constant('remove' as const), lobby, user }),
  fc.record({
    do: fc.constant('bulk' as const),
    lobby,
    changes: fc.uniqueArray(fc.record({ id: user, metadata, remove_member: fc.boolean() }), {
      selector: ({ id }) => id,
      minLength: 1,
    }),
  }),
  fc.record({
    do: fc.constant('join' as const),
    user,
    body: fc.record(
      { secret: fc.constantFrom('s', 't'), lobby_metadata: metadata, member_metadata: metadata },
      { requiredKeys: ['secret'] },
    ),
  }),
  fc.record({ do: fc.constant('leave' as const), lobby, user }),
  fc.record({ do: fc.constant('send' as const), lobby, user, content: fc.constantFrom('hi', 'ho') }),
  fc.record({ do: fc.constant('link' as const), lobby, channel_id: fc.constantFrom(null, '7', '8') }),
  fc.record({ do: fc.constant('delete' as const), lobby }),
  fc.record({ do: fc.constant('come or go' as const), user: fc.constantFrom(ben, cyn) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 200_000 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two users who come and go, and Ada, who watches and is there all the time. */
class Stage {
  readonly lobbies: Lobbies;
  readonly believer = new Believer();
  /** Messages that Ada should have heard. */
  readonly sent: string[] = [];
  readonly #world: World;
  readonly #heard: readonly Heard[];
  readonly #present = new Map<string, () => Promise<void>>();
  readonly #ids: string[] = [];

  constructor(world: World, heard: readonly Heard[]) {
    this.#world = world;
    this.#heard = heard;
    this.lobbies = createLobbies(world.core);
  }

  /** Does the step; what is refused (of a lobby that has ended, say) is as good as not done. */
  async play(step: Step): Promise<void> {
    const id = 'lobby' in step ? (this.#ids.at(-1 - step.lobby) ?? '0') : '0';
    const knewLobby = this.believer.lobbies.has(id);
    const answer = await this.#do(step, id).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
    });
    if (answer !== undefined && (step.do === 'create' || step.do === 'join')) this.#ids.push(JSON.parse(answer).id);
    if (answer !== undefined && step.do === 'send' && knewLobby) this.sent.push(JSON.parse(answer).id);
    this.believer.hear(this.#heard);
  }

  #do(step: Step, id: string): Promise<string | undefined> {
    const { starfall, core } = this.#world;
    const { lobbies } = this;
    switch (step.do) {
      case 'create':
        return lobbies.create(starfall, step);
      case 'edit':
        return lobbies.edit(starfall, id, step.body);
      case 'put':
        return lobbies.putMember(starfall, id, step.user, step);
      case 'remove':
        return lobbies.removeMember(starfall, id, step.user).then(nothing);
      case 'bulk':
        return lobbies.updateMembers(starfall, id, step.changes);
      case 'join':
        return lobbies.join(starfall, userRecord(step.user), step.body);
      case 'leave':
        return lobbies.leave(starfall, userRecord(step.user), id).then(nothing);
      case 'send':
        return lobbies.messages.send(starfall, userRecord(step.user), id, step);
      case 'link':
        return lobbies.links.set(starfall, userRecord(ada), id, step);
      case 'delete':
        return lobbies.remove(starfall, id).then(nothing);
      case 'come or go':
        return this.#comeOrGo(step.user).then(nothing);
      case 'wait':
        return core.clock.advance(step.ms).then(nothing);
    }
  }

  async #comeOrGo(userId: string): Promise<void> {
    const { core, starfall } = this.#world;
    const leave = this.#present.get(userId);
    this.#present.delete(userId);
    await leave?.();
    if (!leave) this.#present.set(userId, await enter(core, starfall.id, userId));
    await this.lobbies[leave ? 'disconnected' : 'connected'](starfall.id, userId);
  }
}

const nothing = () => undefined;

describe('a session that follows its events', () => {
  it(
    'holds after every change exactly what a new session would be shown, and every message once',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
          const world = await makeWorld();
          const { core, starfall } = world;
          await enter(core, starfall.id, ada);
          await putGuild(core, guildRecord({ channels: [channelRecord(), channelRecord({ id: '8' })] }), ada);
          const stage = new Stage(world, await listen(core, starfall.id, ada));
          const { believer, lobbies } = stage;
          const stop = await lobbies.start();
          for (const next of steps) {
            await stage.play(next);
            const shown = await lobbies.ofPlayer(starfall.id, ada);
            expect(comparable(believer.lobbies.values())).toEqual(comparable(shown.map(seen => JSON.parse(seen.text))));
            expect(believer.messages.map(message => message.id)).toEqual(stage.sent);
            for (const { id, member_count } of await core.store.list('lobbies')) {
              expect(await core.store.list('lobby_members', { equals: [id] })).toHaveLength(member_count);
            }
          }
          stop();
          await core.store.close();
        }),
        tries(worldRuns(100), 3_000),
      );
    },
    patienceMs,
  );
});
