import { type Backend, type BackendOptions, createBackend } from '../backend/index.ts';
import { ArgumentError, RallypointError } from '../model/errors/errors.ts';
import type { Metadata } from '../model/lobby.ts';
import { AuthorizationArgs, Client, type ClientOptions } from '../sdk/index.ts';
import {
  type FilledFixtures,
  type LimitProfile,
  type LimitProfileName,
  type Service,
  startService,
  type TrafficObserver,
} from '../service/index.ts';
import { type Clock, type Logger, silentLogger } from '../wire/clock/ports.ts';
import { counted } from '../wire/counted.ts';
import { nodeTransport } from '../wire/http/node-transport.ts';
import { type Channel, notInWorld } from './command-input.ts';
import { approve, control, sessionToken } from './control.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import { HandlerWatch } from './handler-watch.ts';
import { nodeFetch } from './node-fetch.ts';
import type { Recorder } from './recording/record.ts';
import { allowLateAwait } from './started-calls.ts';
import { Traffic } from './traffic.ts';
import { UserSession } from './user-session.ts';
import { requireRealTicks, settle, WorldClock } from './world-clock.ts';
import { WorldFaults } from './world-faults.ts';
import { createFixtures, type WorldFixturesOptions } from './world-fixtures.ts';
import { WorldUser } from './world-user.ts';

/** How {@link createWorld} is asked for a world. Everything has a default. */
export interface WorldOptions extends WorldFixturesOptions {
  /** Rate limits of the service; `off` when absent, so that tests do not wait. */
  readonly limits?: LimitProfileName | LimitProfile;
  /** Receives everything that is exchanged with the service, for example `recordService().traffic`. */
  readonly traffic?: TrafficObserver;
}

/** The state of a world at some time. It contains keys: keep it as a secret. */
export type WorldSnapshot = { readonly [field: string]: unknown };

// The longest pause before a connection is opened again.
const reconnectMs = 30_000;

/**
 * Starts a world for a test: a service on a virtual clock, an application with a bot, users, and a guild with channels. Worlds
 * of one process share nothing, so tests may run side by side.
 *
 * @throws as `startService()`; ArgumentError `fake_timers`: a test runner replaced `process.nextTick` or `queueMicrotask`
 * @example
 * const world = await createWorld({ users: ['ada', 'grace'], channels: ['harbour'] });
 * const ada = await world.player('ada');
 * await ada.close();
 * await world.close();
 */
export async function createWorld({ limits = 'off', traffic: other, ...options }: WorldOptions = {}): Promise<World> {
  requireRealTicks();
  const traffic = new Traffic();
  const fixtures = createFixtures(options);
  const service = await startService({ fixtures, clock: { settle }, limits, traffic: both(traffic.observer, other) });
  const world = new World(service, traffic, limits === 'off' ? 'off' : undefined);
  await world.open();
  return world;
}

function both(one: TrafficObserver, other: TrafficObserver = {}): TrafficObserver {
  return {
    request: request => {
      one.request?.(request);
      other.request?.(request);
    },
    connection: event => {
      one.connection?.(event);
      other.connection?.(event);
    },
  };
}

/** Prints what a handler of the game's server throws: the test itself only sees that no answer comes. */
const failures: Logger = { ...silentLogger, error: (fields, message) => console.error(message, fields) };

/** A service with everything that a game's test needs around it. */
export class World {
  /** The service itself. */
  readonly service: Service;
  /** The `baseUrl` of clients and backends. */
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly botToken: string;
  /** Hand it to clients and backends that a test makes itself, so that {@link advance} moves their time, too. */
  readonly clock: Clock;
  readonly traffic: Traffic;
  readonly faults: WorldFaults;
  readonly #clock: WorldClock;
  readonly #handlers: HandlerWatch;
  readonly #users: ReadonlyMap<string, WorldUser>;
  readonly #fixtures: FilledFixtures;
  /** Of clients and backends: they count calls by the world's clock, which stands still. */
  readonly #globalLimit: 'off' | undefined;
  #clients: Client<unknown, unknown>[] = [];
  #backends: Backend[] = [];
  #sessions: UserSession[] = [];
  #backend: Backend | undefined;
  #recorder: Recorder | undefined;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(service: Service, traffic: Traffic, globalLimit: 'off' | undefined) {
    this.#globalLimit = globalLimit;
    const { fixtures } = service;
    const [application] = fixtures.applications;
    this.service = service;
    this.#fixtures = fixtures;
    this.baseUrl = service.webBase;
    this.applicationId = application?.id ?? '';
    this.botToken = application?.bot_token ?? '';
    this.#clock = new WorldClock(service.clock);
    this.clock = this.#clock;
    this.#handlers = new HandlerWatch(id => service.failInteraction(id));
    const names = {
      userId: (name: string) => this.#userId(name),
      channel: (name?: string) => this.#channel(name),
    };
    this.#users = new Map(
      fixtures.users.map(({ id, username }) => {
        const settled = () => this.#received();
        const { applicationId, clock } = this;
        const parts = { id, username, names, settled, applicationId, clock, handlers: this.#handlers };
        return [username, new WorldUser(parts)] as const;
      }),
    );
    this.traffic = traffic;
    this.faults = new WorldFaults(service.faults, this.applicationId, names.userId);
  }

  /** A user in front of the guild's channels. @throws ArgumentError `not_in_world` */
  user(username: string): WorldUser {
    const user = this.#users.get(username);
    if (user) return user;
    throw notInWorld('user of the world', username, [...this.#users.keys()]);
  }

  /**
   * A game in which this user is signed in, and which is connected. The world closes it.
   *
   * @param options beside those that the world sets
   * @throws ArgumentError `not_in_world`, `closed`
   */
  async player<LobbyMetadata = Metadata, MemberMetadata = Metadata>(
    username: string,
    options: Partial<ClientOptions<LobbyMetadata, MemberMetadata>> = {},
  ): Promise<Client<LobbyMetadata, MemberMetadata>> {
    const client = this.client(username, options);
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
    client.updateToken((await client.getToken({ ...grant, verifier })).accessToken);
    await client.connect();
    return client;
  }

  /** A game in whose browser this user agrees to everything, not signed in. The world closes it. @throws ArgumentError `not_in_world`, `closed` */
  client<LobbyMetadata = Metadata, MemberMetadata = Metadata>(
    username: string,
    options: Partial<ClientOptions<LobbyMetadata, MemberMetadata>> = {},
  ): Client<LobbyMetadata, MemberMetadata> {
    this.#rejectClosed();
    const { id } = this.user(username);
    const { baseUrl, applicationId, clock } = this;
    const openBrowser = async (url: string) => {
      await nodeFetch(await approve(this.service, url, id));
    };
    const ports = this.#recorder?.ports(username);
    const globalLimit = this.#globalLimit;
    const given = { baseUrl, applicationId, clock, openBrowser, globalLimit };
    const client = new Client<LobbyMetadata, MemberMetadata>({ ...given, ...ports, ...options });
    this.#recorder?.follow(username, client);
    this.#clients.push(client);
    return client;
  }

  /** The backend module of the game's server, with the application's bot token; the same one each time. The world closes it. */
  get backend(): Backend {
    this.#backend ??= this.createBackend();
    return this.#backend;
  }

  /** Another one. The world closes it. @throws ArgumentError `closed` */
  createBackend(options: Partial<BackendOptions> = {}): Backend {
    this.#rejectClosed();
    const { baseUrl, applicationId, botToken, clock } = this;
    const ports = this.#recorder?.ports('bot');
    const given = { baseUrl, applicationId, botToken, clock, globalLimit: this.#globalLimit, logger: failures };
    // The backend's default, undici, reuses connections by the global `setImmediate`, which may be fake.
    const transport = !ports && !options?.fetch && { transport: nodeTransport() };
    const backend = createBackend({ ...given, ...transport, ...ports, ...options });
    this.#backends.push(backend);
    return { ...backend, interactions: this.#handlers.watch(backend.interactions) };
  }

  /**
   * Makes two users friends, or with `game` friends in the game: then both must have signed in to it.
   *
   * @throws ArgumentError `not_in_world`; ApiError for example `already_friends`
   */
  async befriend(one: string, other: string, options: { readonly game?: boolean } = {}): Promise<void> {
    await this.user(one).befriend(this.user(other), options);
  }

  /** The id of a channel, by its name. @throws ArgumentError `not_in_world` */
  channelId(name: string): string {
    return this.#channel(name).id;
  }

  /**
   * Lets time pass for the service and for every client and backend of the world, and resolves once everything that was due has
   * happened.
   *
   * @param duration for example `'3 min'`, `'250 ms'`, or a number of milliseconds
   * @throws ArgumentError `bad_duration`, `closed`
   */
  async advance(duration: Duration): Promise<void> {
    this.#rejectClosed();
    await this.service.clock.advance(millisecondsOf(duration));
    await this.settled();
  }

  /** Resolves once everything that the service has sent to users has arrived. Time stands still meanwhile. */
  async settled(): Promise<void> {
    await settle();
    await this.#received();
  }

  /** The whole state of the service, for {@link restore}. @throws ArgumentError `closed` */
  async snapshot(): Promise<WorldSnapshot> {
    this.#rejectClosed();
    return control(this.service, 'GET', '/snapshot');
  }

  /**
   * Puts the service back into an earlier state, which is faster than a new world. Clients are closed, users see empty channels,
   * and faults and traffic are forgotten; backends stay and their listeners connect again. Time does not go back.
   *
   * @throws ArgumentError `bad_content`: the value is no snapshot of this version; `closed`
   */
  async restore(snapshot: WorldSnapshot): Promise<void> {
    const load = () => control(this.service, 'PUT', '/snapshot', snapshot);
    await this.#beginAnew(() =>
      load().catch(cause => {
        if (cause.status !== 400) throw cause;
        throw new ArgumentError('bad_content', 'The snapshot is not one that snapshot() of this version returned.', {
          cause,
        });
      }),
    );
  }

  /** As {@link restore}, to the state at the start. @throws ArgumentError `closed` */
  async reset(): Promise<void> {
    await this.#beginAnew(() => this.service.reset());
  }

  /**
   * Closes the world: its clients, its backends and its service.
   *
   * @throws RallypointError `left_open`: a gateway connection that the test made itself is still open, or timers wait on
   *   {@link clock}. Everything is closed nevertheless.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The same as {@link close}: `await using world = await createWorld()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Clients and backends are recorded that are created from now on. */
  recordBy(recorder: Recorder): void {
    this.#recorder = recorder;
  }

  /** @internal Opens the chat clients of all users. */
  async open(): Promise<void> {
    this.#sessions = await Promise.all(
      [...this.#users.values()].map(async user => {
        const token = await sessionToken(this.service, user.id);
        const session = await UserSession.open(this.service, token, this.#clock, received => user.receive(received));
        user.attach(session);
        return session;
      }),
    );
    this.traffic.clear();
  }

  #rejectClosed(): void {
    requireRealTicks();
    if (this.#closed) throw new ArgumentError('closed', 'This world has been closed. Create another one.');
  }

  async #beginAnew(replaceState: () => Promise<unknown>): Promise<void> {
    this.#rejectClosed();
    await this.#closeClients();
    this.faults.clear();
    this.#handlers.clear();
    await replaceState();
    await this.open();
    if (this.#backends.length > 0) await this.advance(reconnectMs);
    this.traffic.clear();
  }

  async #closeClients(): Promise<void> {
    await Promise.all([
      ...this.#clients.splice(0).map(client => client.close()),
      ...this.#sessions.splice(0).map(session => session.close()),
    ]);
  }

  async #close(): Promise<void> {
    for (const backend of this.#backends.splice(0)) backend.close();
    await this.#closeClients();
    for (const user of this.#users.values()) user.attach(undefined);
    await settle();
    this.#handlers.clear();
    const connections = await openConnections(this.service);
    const timers = this.#clock.pending;
    await this.service.close();
    if (connections === 0 && timers === 0) return;
    const left = [...countedIfAny(connections, 'gateway connection'), ...countedIfAny(timers, 'timer')].join(' and ');
    throw new RallypointError(
      'left_open',
      `The test left ${left} open. Close every client and backend that it creates.`,
    );
  }

  #userId(name: string): string {
    return (this.#fixtures.users.find(({ id }) => id === name) ?? this.user(name)).id;
  }

  #channel(name?: string): Channel {
    const channels = this.#fixtures.guilds.flatMap(({ id: guildId, channels }) =>
      channels.map(({ id, name }) => ({ id, name, guildId })),
    );
    const channel = name === undefined ? channels[0] : channels.find(one => one.name === name || one.id === name);
    if (channel) return channel;
    throw notInWorld(
      'channel of the world',
      name,
      channels.map(one => one.name),
    );
  }

  async #received(): Promise<void> {
    await Promise.all([...this.#users.values()].map(user => user.settled()));
  }
}

allowLateAwait(World);

const triesMax = 50;

/** Gateway connections that stay open; those that are just being closed are given a moment. */
async function openConnections(service: Service): Promise<number> {
  for (let tries = 1; ; tries++) {
    const [, count = '0'] = /^rallypoint_gateway_connections(?:\{[^}]*\})? (\d+)/m.exec(await service.metrics()) ?? [];
    if (count === '0' || tries === triesMax) return Number(count);
    await settle();
  }
}

function countedIfAny(count: number, noun: string): string[] {
  return count === 0 ? [] : [counted(count, noun)];
}
