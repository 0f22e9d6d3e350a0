import { setTimeout as wait } from 'node:timers/promises';
import { intents } from '../../../src/model/gateway.ts';
import { limitProfiles, type RateLimit } from '../../../src/model/limits/limit-profiles.ts';
import type { Fixtures, ServiceAddresses } from '../../../src/service/index.ts';
import { seededRandom } from '../../../src/service/testing/faults/random.ts';
import { linearize, type Observed } from '../gateway/linearizability.ts';
import { starfall } from '../service/starfall.ts';
import { playerTokens, sessionToken } from '../service/tokens.ts';
import { type Call, type Caller, type Findings, outcomeOf } from './record.ts';
import { Watcher } from './watcher.ts';

const lobbyGroups = 3;
const membersPerGroup = 3;
const clientsPerGroup = 3;
const tokenClients = 2;
/** How many calls of each client are checked as one history. */
const callsPerRound = 14;
export const idleSeconds = 5;
/** Lobbies of one group that stay; a player can be in 100. */
const lobbiesKept = 40;
/** Longer than any node is frozen. */
const frozenMsMax = 15_000;

const [app] = starfall.applications;
const [guild] = starfall.guilds;
const [, grace] = starfall.users;
const bot = `Bot ${app.bot_token}`;
const probeUserId = '100000000000000299';
/** The limit that is tried, by one user. */
export const probed = limitProfiles.standard.buckets['lobby-join'] as RateLimit;

const playerIds = Array.from({ length: lobbyGroups * membersPerGroup }, (_, at) => `1000000000000002${10 + at}`);

export const chaosFixtures: Fixtures = {
  ...starfall,
  users: [
    ...starfall.users,
    { id: probeUserId, username: 'probe' },
    ...playerIds.map((id, at) => ({ id, username: `player${at}` })),
  ],
};

/** A write whose event can be told from all others. */
export interface Write {
  readonly value: string;
  readonly call: Call;
}

interface LobbyView {
  readonly id: string;
  readonly metadata: { readonly v?: string } | null;
  readonly members?: readonly { readonly id: string; readonly metadata: { readonly v?: string } | null }[];
}

type Operation =
  | { readonly kind: 'edit'; readonly value: string }
  | { readonly kind: 'put'; readonly user: string; readonly value: string }
  | { readonly kind: 'get' };

interface LobbyState {
  readonly v: string;
  readonly members: Readonly<Record<string, string>>;
}

interface Attempt {
  readonly operation: Operation;
  readonly call: Call;
  readonly invokedAt: number;
  readonly returnedAt: number;
}

/** What the clients of a run have done. */
export class Load {
  readonly writes: Write[] = [];
  readonly watchers: Watcher[] = [];
  /** Lobbies that end by themselves. */
  readonly idleLobbies: string[] = [];
  /** Lobby → its text at the end of its history. */
  readonly retired = new Map<string, string>();
  /** Uses of the command by their nonce, and the answers of the bot by the interaction's id. */
  readonly uses = new Map<string, Call>();
  readonly answers = new Map<string, Call>();
  /** Answers of the limited route. */
  readonly limited: Call[] = [];
  readonly counts = { histories: 0, operations: 0, refreshes: 0 };
  readonly #caller: Caller;
  readonly #findings: Findings;
  readonly #seed: number;
  #values = 0;
  #isOver = false;
  #areTimersOver = false;
  #work: Promise<unknown>[] = [];

  readonly #webhookUrl: string;

  /** @param webhookUrl receives the events of lobbies' messages */
  constructor(seed: number, caller: Caller, findings: Findings, webhookUrl: string) {
    this.#seed = seed;
    this.#caller = caller;
    this.#findings = findings;
    this.#webhookUrl = webhookUrl;
  }

  /** @param service the balancer's addresses, and the control API of a node */
  async start(service: ServiceAddresses): Promise<void> {
    const players = await Promise.all(
      playerIds.map(async id => ({ id, ...(await playerTokens(service, id, 'sdk.social_layer')) })),
    );
    const session = await sessionToken(service, grace.id);
    const created = await this.#caller.call('POST', `/applications/${app.id}/commands`, bot, {
      name: 'ping',
      description: 'Answers.',
    });
    const { gateway } = service;
    for (const [at, { id, access_token }] of players.entries()) {
      if (at % membersPerGroup === membersPerGroup - 1) continue;
      const options = { intents: intents.LOBBIES | intents.LOBBY_DELETE, userId: id };
      this.#watch(new Watcher(`player ${at}`, gateway, `Bearer ${access_token}`, this.#findings, options));
    }
    this.#watch(new Watcher('user', gateway, session, this.#findings, { intents: 0, userId: grace.id }));
    const bots = new Watcher('bot', gateway, bot, this.#findings, { intents: 1 });
    bots.onDispatch = (name, data) => {
      if (name === 'INTERACTION_CREATE') void this.#answer(data as { id: string; token: string });
    };
    this.#watch(bots);
    while (!this.watchers.every(({ isUp }) => isUp)) await wait(50);
    for (let group = 0; group < lobbyGroups; group++) {
      const own = players.slice(group * membersPerGroup, (group + 1) * membersPerGroup);
      this.#work.push(
        this.#lobbies(
          group,
          own.map(({ id }) => id),
        ),
        this.#messages(group, own),
      );
    }
    for (let at = 0; at < tokenClients; at++) {
      const tokens = await playerTokens(service, starfall.users[2].id, 'sdk.social_layer');
      this.#work.push(this.#refresh(at, tokens.refresh_token));
    }
    const probe = await playerTokens(service, probeUserId, 'sdk.social_layer');
    this.#work.push(this.#idle(), this.#limited(0, probe.access_token), this.#limited(1, probe.access_token));
    this.#work.push(this.#interactions(session, created.body as Record<string, unknown>));
  }

  /** Begins nothing more that ends by a timer. */
  endTimers(): void {
    this.#areTimersOver = true;
  }

  /** Ends all calls; the watchers go on. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#areTimersOver = true;
    await Promise.all(this.#work);
  }

  #watch(watcher: Watcher): void {
    this.watchers.push(watcher);
    void watcher.run();
  }

  #value(what: string): string {
    return `${what}-${++this.#values}`;
  }

  readonly #current = new Map<number, string>();

  /** One lobby after another; what several clients do with each is one history. */
  async #lobbies(group: number, members: readonly string[]): Promise<void> {
    const random = seededRandom(this.#seed * 31 + group);
    const kept: string[] = [];
    while (!this.#isOver) {
      const value = this.#value('create');
      const body = {
        metadata: { v: value },
        members: members.map(id => ({ id, metadata: { v: value } })),
        override_event_webhooks_url: this.#webhookUrl,
      };
      const created = await this.#caller.call('POST', '/lobbies', bot, body, { what: `create ${value}` });
      this.writes.push({ value, call: created });
      if (outcomeOf(created) !== 'done') {
        if (outcomeOf(created) === 'refused')
          this.#findings.violation(`create: ${created.status} ${JSON.stringify(created.body)}`);
        await wait(200);
        continue;
      }
      const { id } = created.body as LobbyView;
      this.#current.set(group, id);
      const history: Attempt[] = [];
      let now = 0;
      const client = async () => {
        for (let n = 0; n < callsPerRound && !this.#isOver; n++) {
          const pick = random();
          const user = members[Math.floor(random() * members.length)] ?? '';
          const pauseMs = 20 + random() * 150;
          const operation: Operation =
            pick < 0.45
              ? { kind: 'edit', value: this.#value('edit') }
              : pick < 0.7
                ? { kind: 'put', user, value: this.#value('put') }
                : { kind: 'get' };
          const invokedAt = now++;
          const call = await this.#perform(id, operation);
          history.push({ operation, call, invokedAt, returnedAt: now++ });
          if (operation.kind !== 'get') this.writes.push({ value: operation.value, call });
          await wait(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: clientsPerGroup }, client));
      for (let isRead = false; !isRead; ) {
        const invokedAt = now++;
        const call = await this.#perform(id, { kind: 'get' });
        history.push({ operation: { kind: 'get' }, call, invokedAt, returnedAt: now++ });
        isRead = outcomeOf(call) === 'done';
        if (isRead) this.retired.set(id, textOf(call.body as LobbyView));
        else if (outcomeOf(call) === 'refused') break;
        else await wait(200);
      }
      this.#check(id, history, { v: value, members: Object.fromEntries(members.map(user => [user, value])) });
      kept.push(id);
      if (kept.length > lobbiesKept) await this.#remove(kept.shift() ?? '');
    }
  }

  /** Deletes a lobby that has not changed since the end of its history. */
  async #remove(id: string): Promise<void> {
    await this.checkRetired(id);
    this.retired.delete(id);
    await this.#untilAnswered(() => this.#caller.call('DELETE', `/lobbies/${id}`, bot));
  }

  /** Fails if a lobby has changed since the end of its history, although every call had been answered. */
  async checkRetired(id: string): Promise<void> {
    const text = this.retired.get(id);
    const call = await this.#untilAnswered(() => this.#caller.call('GET', `/lobbies/${id}`, bot));
    if (!call) return;
    const found = call.status === 200 ? textOf(call.body as LobbyView) : JSON.stringify(call.body);
    if (found === text) return;
    const late = this.writes.filter(write => outcomeOf(write.call) === 'unknown' && found.includes(write.value));
    if (late.length === 0) this.#findings.violation(`lobby ${id} was "${text}" and is "${found}"`);
  }

  #perform(id: string, operation: Operation): Promise<Call> {
    const { kind } = operation;
    if (kind === 'get') return this.#caller.call('GET', `/lobbies/${id}`, bot);
    const body = { metadata: { v: operation.value } };
    const what = { what: `${kind} ${operation.value} of ${id}` };
    if (kind === 'edit') return this.#caller.call('PATCH', `/lobbies/${id}`, bot, body, what);
    return this.#caller.call('PUT', `/lobbies/${id}/members/${operation.user}`, bot, body, what);
  }

  #check(id: string, attempts: readonly Attempt[], initial: LobbyState): void {
    const read = attempts
      .flatMap(({ call }) => (outcomeOf(call) === 'done' ? JSON.stringify(call.body) : []))
      .join('\n');
    const history = attempts.flatMap(({ operation, call, invokedAt, returnedAt }): Observed<Operation, string>[] => {
      const outcome = outcomeOf(call);
      if (outcome === 'refused') {
        this.#findings.violation(`${call.what}: ${call.status} ${JSON.stringify(call.body)}`);
        return [];
      }
      if (outcome === 'done') {
        const body = call.body as LobbyView;
        const result = operation.kind === 'put' ? (body.metadata?.v ?? '') : textOf(body);
        return [{ operation, invokedAt, returnedAt, result }];
      }
      // What nobody has read may as well not have happened.
      if (operation.kind === 'get' || !read.includes(`"${operation.value}"`)) return [];
      const until = outcome === 'failed' ? returnedAt : Number.POSITIVE_INFINITY;
      return [{ operation, invokedAt, returnedAt: until, result: undefined }];
    });
    this.counts.histories++;
    this.counts.operations += history.length;
    try {
      // Without an answer within a bounded time, an operation needs a return for the search all the same.
      const order = linearize(history, {
        initial,
        step(state, operation, result) {
          const next = apply(state, operation);
          const answer = operation.kind === 'put' ? operation.value : describeState(next);
          return result === undefined || result === answer ? next : undefined;
        },
        keyOf: describeState,
      });
      if (order) return;
    } catch (error) {
      this.#findings.violation(`lobby ${id}: ${(error as Error).message}`);
      return;
    }
    const lines = attempts.map(
      ({ operation, call, invokedAt, returnedAt }) =>
        `  ${invokedAt}–${returnedAt} ${JSON.stringify(operation)} → ${call.status} ${outcomeOf(call) === 'done' ? JSON.stringify(call.body) : ''}`,
    );
    this.#findings.violation(`lobby ${id}: no order explains these answers:\n${lines.join('\n')}`);
  }

  async #messages(group: number, players: readonly { id: string; access_token: string }[]): Promise<void> {
    const random = seededRandom(this.#seed * 37 + group);
    while (!this.#isOver) {
      const lobby = this.#current.get(group);
      const player = players[Math.floor(random() * players.length)];
      if (lobby !== undefined && player) {
        const value = this.#value('message');
        const call = await this.#caller.call(
          ...(['POST', `/lobbies/${lobby}/messages`, `Bearer ${player.access_token}`, { content: value }] as const),
          { what: value },
        );
        this.writes.push({ value, call });
        if (outcomeOf(call) === 'refused') {
          this.#findings.violation(`${call.what}: ${call.status} ${JSON.stringify(call.body)}`);
        }
      }
      await wait(100 + random() * 300);
    }
  }

  /** Renews a token again and again; what was not answered is asked again, as the SDK does. */
  async #refresh(at: number, first: string): Promise<void> {
    const random = seededRandom(this.#seed * 41 + at);
    let token = first;
    while (!this.#isOver) {
      const key = `key-${at}-${'x'.repeat(16)}-${++this.#values}`;
      const form = { grant_type: 'refresh_token', client_id: app.id, refresh_token: token, idempotency_key: key };
      let isLost = false;
      const call = await this.#untilAnswered(async () => {
        const sent = await this.#caller.call('POST', '/oauth2/token', undefined, new URLSearchParams(form));
        isLost ||= outcomeOf(sent) === 'unknown';
        return sent;
      });
      if (!call) return;
      if (call.status !== 200) {
        this.#findings.violation(`a refresh ended with ${call.status} ${JSON.stringify(call.body)}`);
        return;
      }
      const { access_token, refresh_token } = call.body as { access_token: string; refresh_token: string };
      token = refresh_token;
      this.counts.refreshes++;
      const me = await this.#caller.call('GET', '/users/@me', `Bearer ${access_token}`);
      if (outcomeOf(me) === 'refused') this.#findings.violation(`a new token: ${me.status} ${JSON.stringify(me.body)}`);
      await wait(100 + random() * 400);
      // A frozen node may still hold a request. After two more refreshes it would be the reuse of a stolen token.
      for (let n = 0; isLost && n < frozenMsMax / 100 && !this.#isOver; n++) await wait(100);
    }
  }

  async #untilAnswered(send: () => Promise<Call>): Promise<Call | undefined> {
    for (;;) {
      const call = await send();
      if (call.status > 0 && call.status < 500) return call;
      if (this.#isOver) return undefined;
      await wait(300);
    }
  }

  async #idle(): Promise<void> {
    while (!this.#areTimersOver) {
      const body = { idle_timeout_seconds: idleSeconds, members: [{ id: playerIds[membersPerGroup - 1] ?? '' }] };
      const call = await this.#caller.call('POST', '/lobbies', bot, body, { what: 'create an idle lobby' });
      if (outcomeOf(call) === 'done') this.idleLobbies.push((call.body as LobbyView).id);
      await wait(400);
    }
  }

  async #interactions(session: string, command: Record<string, unknown>): Promise<void> {
    const { id, version, name, type } = command;
    while (!this.#areTimersOver) {
      const nonce = `${++this.#values}`;
      const use = {
        ...{ type: 2, application_id: app.id, guild_id: guild.id, channel_id: guild.channels[0].id, nonce },
        data: { id, version, name, type },
      };
      const call = await this.#caller.call('POST', '/interactions', session, use, { what: `use ${nonce}` });
      this.uses.set(nonce, call);
      if (outcomeOf(call) === 'refused') this.#findings.violation(`use: ${call.status} ${JSON.stringify(call.body)}`);
      await wait(400);
    }
  }

  /** Two of three are answered. */
  async #answer({ id, token }: { readonly id: string; readonly token: string }): Promise<void> {
    if (Number(id.slice(-4)) % 3 === 0) return;
    const reply = { type: 4, data: { content: `pong ${id}` } };
    const call = await this.#caller.call('POST', `/interactions/${id}/${token}/callback`, undefined, reply, {
      what: `answer ${id}`,
    });
    if (this.answers.has(id)) this.#findings.violation(`interaction ${id} was sent twice`);
    this.answers.set(id, call);
  }

  async #limited(at: number, token: string): Promise<void> {
    const random = seededRandom(this.#seed * 43 + at);
    while (!this.#isOver) {
      this.limited.push(await this.#caller.call('PUT', '/lobbies', `Bearer ${token}`, { secret: 'probe' }));
      await wait(200 + random() * 200);
    }
  }
}

function apply(state: LobbyState, operation: Operation): LobbyState {
  if (operation.kind === 'get') return state;
  if (operation.kind === 'edit') return { ...state, v: operation.value };
  return { ...state, members: { ...state.members, [operation.user]: operation.value } };
}

export function textOf({ metadata, members = [] }: LobbyView): string {
  return describeState({
    v: metadata?.v ?? '',
    members: Object.fromEntries(members.map(member => [member.id, member.metadata?.v ?? ''])),
  });
}

function describeState({ v, members }: LobbyState): string {
  const sorted = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${v} ${sorted.map(([id, value]) => `${id}=${value}`).join(' ')}`;
}
