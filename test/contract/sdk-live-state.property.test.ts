import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import { compareSnowflakes } from '../../src/model/snowflake.ts';
import type { LobbyHandle } from '../../src/sdk/lobby/lobby-handle.ts';
import type { LobbyMessages, LobbyState } from '../../src/sdk/lobby/snapshot.ts';
import { loadSystemSocket } from '../../src/wire/gateway/socket.ts';
import { SleepyClock } from '../support/clock/sleepy-clock.ts';
import { keptCalls, type Participant } from '../support/gateway/calls.ts';
import { type LivePlayer, LiveWorld } from '../support/gateway/live-world.ts';
import { Network } from '../support/gateway/network.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { callApi } from '../support/service/starfall.ts';

/**
 * Random players, a random game server, random disturbances; in between moments of quiet, in which every client must
 * show exactly what the service holds.
 */
type Step =
  | { readonly do: 'join'; readonly who: number; readonly secret: string; readonly map: string | undefined }
  | { readonly do: 'leave' | 'say' | 'hang up'; readonly who: number; readonly lobby: number }
  | { readonly do: 'call' | 'mute'; readonly who: number; readonly lobby: number; readonly isMuted: boolean }
  | { readonly do: 'create'; readonly members: readonly number[] }
  | {
      readonly do: 'edit';
      readonly lobby: number;
      readonly map: string;
      readonly members: readonly number[] | undefined;
    }
  | { readonly do: 'put' | 'remove'; readonly lobby: number; readonly who: number; readonly team: string }
  | { readonly do: 'moderate' | 'delete'; readonly lobby: number }
  | { readonly do: 'cut'; readonly who: number; readonly code: number }
  | { readonly do: 'down' | 'freeze'; readonly who: number; readonly isSo: boolean }
  | { readonly do: 'sleep' | 'connect' | 'disconnect'; readonly who: number }
  | { readonly do: 'restart' | 'quiet' }
  | { readonly do: 'pass'; readonly seconds: number };

const who = fc.nat({ max: 2 });
// The first lobby is the one that all of them begin in.
const lobby = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) });
const team = fc.constantFrom('red', 'blue');
const map = fc.constantFrom('reef', 'harbour');
const some = fc.uniqueArray(who, { maxLength: 3 });
const kinds = <Kind extends Step['do']>(...names: Kind[]) => fc.constantFrom(...names);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: kinds('join'),
      who,
      secret: fc.constantFrom('a', 'b'),
      map: fc.option(map, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: kinds('leave'), who, lobby }) },
  { weight: 12, arbitrary: fc.record({ do: kinds('say'), who, lobby }) },
  { weight: 10, arbitrary: fc.record({ do: kinds('call', 'mute'), who, lobby, isMuted: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: kinds('hang up'), who, lobby }) },
  { weight: 3, arbitrary: fc.record({ do: kinds('create'), members: some }) },
  { weight: 2, arbitrary: fc.record({ do: kinds('edit'), lobby, map, members: fc.option(some, { nil: undefined }) }) },
  { weight: 5, arbitrary: fc.record({ do: kinds('put'), lobby, who, team }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('remove'), lobby, who, team }) },
  { weight: 2, arbitrary: fc.record({ do: kinds('moderate'), lobby }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('delete'), lobby }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: kinds('cut'),
      who,
      code: fc.constantFrom(1006, closeCodes.SESSION_TIMED_OUT.code, closeCodes.UNKNOWN_ERROR.code),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: kinds('down', 'freeze'), who, isSo: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('sleep', 'disconnect'), who }) },
  { weight: 3, arbitrary: fc.record({ do: kinds('connect'), who }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('restart') }) },
  { weight: 2, arbitrary: fc.record({ do: kinds('quiet') }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('pass'), seconds: fc.constantFrom(1, 30, 299, 301) }) },
);

class Story {
  readonly #world: LiveWorld;
  readonly #lobbies: string[] = [];
  readonly #faults: string[] = [];
  /** By player and lobby: the newest message at the last quiet moment, since when the client has followed the lobby. */
  readonly #followed = new Map<string, string>();

  constructor(world: LiveWorld) {
    this.#world = world;
    for (const player of world.players) this.#watch(player);
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const [place, player] of this.#world.players.entries()) {
      await this.#world.connect(player);
      await this.#join(place, 'a', undefined);
    }
    await this.#quiet();
    for (const step of steps) await this.#do(step);
    await this.#quiet();
    await this.#compareWithNewcomers();
    expect(this.#faults).toEqual([]);
    for (const { network } of this.#world.players) expect(network.openMax).toBe(1);
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case 'join':
        return this.#join(step.who, step.secret, step.map);
      case 'leave':
        return this.#play(step, lobby => lobby.leave());
      case 'say':
        return this.#play(step, lobby => lobby.send('hello'));
      case 'call':
        return this.#set(step, ({ call }) => call.join({ selfMute: step.isMuted }));
      case 'mute':
        return this.#set(step, ({ call }) => call.update({ selfMute: step.isMuted }));
      case 'hang up':
        return this.#set(step, ({ call }) => call.leave());
      case 'create':
        return this.#serve('POST', '/lobbies', {
          members: step.members.map(place => ({ id: this.#player(place).id })),
        });
      case 'edit':
        return this.#serve('PATCH', this.#lobbyPath(step.lobby), {
          metadata: { map: step.map },
          ...(step.members && { members: step.members.map(place => ({ id: this.#player(place).id })) }),
        });
      case 'put':
        return this.#serve('PUT', this.#memberPath(step), { metadata: { team: step.team } });
      case 'remove':
        return this.#serve('DELETE', this.#memberPath(step));
      case 'delete':
        return this.#serve('DELETE', this.#lobbyPath(step.lobby));
      case 'moderate':
        return this.#moderate(step.lobby);
      case 'cut':
        return this.#player(step.who).network.cut(step.code);
      case 'down':
        return this.#player(step.who).network.setDown(step.isSo);
      case 'freeze':
        return this.#player(step.who).network.setFrozen(step.isSo);
      case 'sleep':
        return this.#sleep(this.#player(step.who));
      case 'connect':
        return this.#connect(this.#player(step.who));
      case 'disconnect':
        return this.#disconnect(this.#player(step.who));
      case 'restart':
        return this.#world.restart();
      case 'pass':
        return void (await this.#world.service.clock.advance(step.seconds * 1000));
      case 'quiet':
        return this.#quiet();
    }
  }

  #player(place: number): LivePlayer {
    const player = this.#world.players[place];
    if (!player) throw new Error(`There is no player ${place}.`);
    return player;
  }

  #lobbyPath(place: number): string {
    return `/lobbies/${this.#lobbies.at(place % Math.max(1, this.#lobbies.length)) ?? '1'}`;
  }

  #memberPath({ lobby, who }: { readonly lobby: number; readonly who: number }): string {
    return `${this.#lobbyPath(lobby)}/members/${this.#player(who).id}`;
  }

  async #join(place: number, secret: string, map: string | undefined): Promise<void> {
    const { client } = this.#player(place);
    const joining = client.lobbies.join(secret, {
      memberMetadata: { map: map ?? 'none' },
      ...(map && { lobbyMetadata: { map } }),
    });
    await this.#world.attempt(joining.then(({ id }) => this.#learn(id)));
  }

  async #play(
    { who, lobby }: { readonly who: number; readonly lobby: number },
    act: (lobby: LobbyHandle) => Promise<unknown>,
  ): Promise<void> {
    const id = this.#lobbies.at(lobby % Math.max(1, this.#lobbies.length));
    const handle = this.#player(who).client.lobbies.get(id ?? '');
    if (handle) await this.#world.attempt(act(handle));
  }

  /** What a game does without waiting until it is done: it may be under way for some time. */
  async #set(
    { who, lobby }: { readonly who: number; readonly lobby: number },
    act: (lobby: LobbyHandle) => Promise<unknown>,
  ): Promise<void> {
    const id = this.#lobbies.at(lobby % Math.max(1, this.#lobbies.length));
    const handle = this.#player(who).client.lobbies.get(id ?? '');
    if (handle) void this.#world.tolerate(act(handle));
  }

  async #serve(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await callApi(this.#world.service, method, path, body);
    expect([200, 201, 204, 404]).toContain(answer.status);
    if (answer.status === 201) this.#learn((answer.body as { id: string }).id);
  }

  async #moderate(place: number): Promise<void> {
    const path = this.#lobbyPath(place);
    const newest = this.#world.players.flatMap(({ client }) => client.lobbyMessages(path.slice(9))).at(-1);
    if (newest) await this.#serve('PUT', `${path}/messages/${newest.id}/moderation-metadata`, { seen: newest.id });
  }

  async #sleep(player: LivePlayer): Promise<void> {
    player.machine.sleep(3_600_000);
  }

  async #connect(player: LivePlayer): Promise<void> {
    player.isWanted = true;
    if (player.client.status.status === 'disconnected') void player.client.connect().catch(() => {});
  }

  async #disconnect(player: LivePlayer): Promise<void> {
    player.isWanted = false;
    await this.#world.passing(player.client.disconnect());
  }

  #learn(id: string): void {
    if (!this.#lobbies.includes(id)) this.#lobbies.push(id);
  }

  /** Whatever a client shows at any time must hold together. */
  #watch({ id, client }: LivePlayer): void {
    let last: LobbyState | undefined;
    client.lobbies$.subscribe(state => {
      if (state === last) this.#faults.push(`${id} was told the same twice`);
      if (!isDeeplyFrozen(state)) this.#faults.push(`${id} was told what is not frozen`);
      if (last && isDeepStrictEqual(last, state)) this.#faults.push(`${id} was told of no change`);
      last = state;
      for (const { id: lobbyId } of state)
        if (!this.#followed.has(`${id}/${lobbyId}`)) this.#begin(id, client, lobbyId);
      for (const key of [...this.#followed.keys()]) {
        const [playerId, lobbyId] = key.split('/');
        if (playerId === id && !state.some(lobby => lobby.id === lobbyId)) this.#followed.delete(key);
      }
    });
  }

  #begin(playerId: string, client: LivePlayer['client'], lobbyId: string): void {
    this.#followed.set(`${playerId}/${lobbyId}`, '');
    let before: LobbyMessages = [];
    client.lobbyMessages$(lobbyId).subscribe(messages => {
      const ids = messages.map(({ id }) => id);
      if (ids.some((one, place) => place > 0 && compareSnowflakes(ids[place - 1] ?? '', one) >= 0)) {
        this.#faults.push(`${playerId} was told of messages out of order: ${ids}`);
      }
      const newest = before.at(-1);
      const isCleared = messages.length === 0;
      if (newest && !isCleared && compareSnowflakes(messages.at(-1)?.id ?? '', newest.id) < 0) {
        this.#faults.push(`${playerId} lost a message`);
      }
      before = messages;
    });
  }

  async #quiet(): Promise<void> {
    for (const player of this.#world.players) {
      player.network.setDown(false);
      player.network.setFrozen(false);
    }
    for (const player of this.#world.players) if (player.isWanted) await this.#world.connect(player);
    let differences: string[] = ['nothing was compared'];
    for (let tries = 0; tries < 100 && differences.length > 0; tries++) {
      await this.#world.passing(new Promise(resolve => setTimeout(resolve, tries)));
      for (const player of this.#world.players) if (player.isWanted) await this.#world.connect(player);
      differences = await this.#differences();
    }
    expect(differences).toEqual([]);
  }

  async #differences(): Promise<string[]> {
    const lobbies = (await Promise.all(this.#lobbies.map(id => this.#world.read(id)))).filter(one => one !== undefined);
    const calls = await keptCalls(this.#world.service);
    const found: string[] = [];
    for (const player of this.#world.players) {
      const { id, client, isWanted } = player;
      const theirs = lobbies.filter(({ members }) => isWanted && members.some(member => member.id === id));
      const expected = theirs
        .map(({ id, metadata, members, flags }) => ({
          id,
          metadata: metadata ?? {},
          flags,
          members: members
            .map(member => ({
              id: member.id,
              metadata: member.metadata ?? {},
              flags: member.flags,
              ...this.#presence(member.id),
            }))
            .sort((a, b) => compareSnowflakes(a.id, b.id)),
        }))
        .sort((a, b) => compareSnowflakes(a.id, b.id));
      const shown = client.lobbies.snapshot.map(({ id, metadata, members, flags }) => ({
        id,
        metadata,
        flags,
        members: members.map(({ id, metadata, flags, connected }) => ({
          id,
          metadata,
          flags,
          ...('connected' in this.#presence(id) && { connected }),
        })),
      }));
      if (!isDeepStrictEqual(shown, expected))
        found.push(`${id} shows ${JSON.stringify(shown)}, there is ${JSON.stringify(expected)}`);
      for (const lobby of theirs) found.push(...voiceDifferences(id, client, lobby.id, calls.get(lobby.id) ?? []));
      for (const lobby of theirs) found.push(...(await this.#missing(player, lobby.id)));
    }
    return found;
  }

  // Whoever is not connected may still have a session that could be resumed; whether that counts is not ours to say.
  #presence(id: string): { connected?: true } {
    return this.#world.players.some(player => player.id === id && player.isWanted) ? { connected: true } : {};
  }

  async #missing({ id: playerId, client, token }: LivePlayer, lobbyId: string): Promise<string[]> {
    const history = await this.#world.history(token, lobbyId);
    const shown = client.lobbyMessages(lobbyId);
    const sent = client.lobbies.get(lobbyId)?.messages.filter(({ status }) => status === 'sent') ?? [];
    const entries = sent.map(entry => ({ ...entry, key: entry.id }));
    if (!isDeepStrictEqual(entries, shown)) return [`${playerId} shows ${entries.length} of ${shown.length} messages`];
    const key = `${playerId}/${lobbyId}`;
    const known = this.#followed.get(key) ?? '';
    const due = known === '' ? [] : history.filter(({ id }) => compareSnowflakes(id, known) > 0).slice(-25);
    const view = (messages: LobbyMessages) =>
      messages.map(({ id, content, moderationMetadata }) => ({ id, content, moderationMetadata }));
    const expected = view(history.slice(history.length - Math.max(shown.length, due.length)));
    if (isDeepStrictEqual(view(shown), expected)) {
      this.#followed.set(key, history.at(-1)?.id ?? '0');
      return [];
    }
    return [`${playerId} shows messages ${JSON.stringify(view(shown))}, there are ${JSON.stringify(expected)}`];
  }

  /** A client that has just come must see what one that was there all along shows. */
  async #compareWithNewcomers(): Promise<void> {
    const openReal = await loadSystemSocket();
    for (const { client, token, isWanted } of this.#world.players) {
      if (!isWanted) continue;
      const newcomer = this.#world.game(token, new Network(openReal), new SleepyClock(this.#world.clock));
      await this.#world.passing(newcomer.connect());
      expect(newcomer.lobbies.snapshot).toEqual(client.lobbies.snapshot);
      await this.#world.passing(newcomer.close());
    }
  }
}

/** What a client shows of a call otherwise than the service keeps it, or than the client itself wishes. */
function voiceDifferences(
  playerId: string,
  client: LivePlayer['client'],
  lobbyId: string,
  kept: readonly Participant[],
): string[] {
  const call = client.lobbies.get(lobbyId)?.call.snapshot;
  if (!call) return [`${playerId} does not know ${lobbyId}`];
  const { participants, status, own } = call;
  const shown = participants.map(({ id, sessionId, selfMute, selfDeaf, selfVideo }) => ({
    ...{ user_id: id, session_id: sessionId, self_mute: selfMute, self_deaf: selfDeaf, self_video: selfVideo },
  }));
  const part = kept.find(({ user_id }) => user_id === playerId);
  const isAsWished = status === 'signaling_connected' ? part?.self_mute === own?.selfMute : status === 'disconnected';
  if (
    isAsWished &&
    isDeepStrictEqual(
      shown,
      kept.toSorted((a, b) => compareSnowflakes(a.user_id, b.user_id)),
    )
  )
    return [];
  const says = `${playerId} is ${status} in the call of ${lobbyId} as ${JSON.stringify(own)}`;
  return [`${says}, and shows ${JSON.stringify(shown)}; there is ${JSON.stringify(kept)}`];
}

describe('what clients show after any sequence of events', () => {
  it(
    'equals what the service holds at every quiet moment: nothing missed, nothing twice, nothing out of order',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async steps => {
          const world = await LiveWorld.start();
          try {
            await new Story(world).run(steps);
          } finally {
            await world.close();
          }
        }),
        { ...tries(6, 1_000), endOnFailure: true },
      );
    },
    patienceMs,
  );
});
