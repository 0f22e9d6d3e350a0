import type { ServiceAddresses } from '../service/index.ts';
import { type RouteName, routes } from '../wire/routes.ts';
import { control } from './control.ts';

/** A request that the service answered. */
export interface TrafficCall {
  /** By its name in the route table, for example `sendLobbyMessage`. */
  readonly route: RouteName;
  readonly status: number;
  /** Who made it: a username for a game in which that user is signed in, `bot` for the game's server; undefined without a credential. */
  readonly by: string | undefined;
  /** When it was answered, in milliseconds since the Unix epoch on the world's clock. */
  readonly atMs: number;
}

/** Which calls are meant; all that is given must fit. */
export interface TrafficFilter {
  readonly by?: string;
  readonly route?: RouteName;
  readonly status?: number;
}

interface LogEntry {
  readonly number: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly route?: string;
  readonly status?: number;
  readonly caller?: string;
  readonly event?: string;
  readonly sessions?: number;
}

/** What games and their servers sent to the service. What {@link WorldUser users} do in chat clients is left out. */
export class Traffic {
  readonly #service: ServiceAddresses;
  readonly #usernameOf: (userId: string) => string | undefined;
  #after = 0;

  /** @internal */
  constructor(service: ServiceAddresses, usernameOf: (userId: string) => string | undefined) {
    this.#service = service;
    this.#usernameOf = usernameOf;
  }

  /** The calls since the world began or {@link clear} was called, in the order they were answered. */
  async calls(filter: TrafficFilter = {}): Promise<readonly TrafficCall[]> {
    const calls = (await this.#read()).flatMap(entry => this.#callOf(entry) ?? []);
    return calls.filter(call =>
      Object.entries(filter).every(([name, value]) => call[name as keyof TrafficFilter] === value),
    );
  }

  /** The names of the routes of those calls that write, so that a test can say: the game wrote exactly these. */
  async writes(filter: TrafficFilter = {}): Promise<readonly RouteName[]> {
    const calls = await this.calls(filter);
    return calls.map(({ route }) => route).filter(route => routes[route].method !== 'GET' && !isSignIn.test(route));
  }

  /** The names of the events that the service delivered to anybody. */
  async events(): Promise<readonly string[]> {
    const entries = await this.#read();
    return entries.flatMap(({ kind, event, sessions = 0 }) =>
      kind === 'dispatch' && event && sessions > 0 ? [event] : [],
    );
  }

  /** Forgets what was seen so far. */
  async clear(): Promise<void> {
    const { next } = await control<{ next: number }>(this.#service, 'GET', `/log?after=${this.#after}`);
    this.#after = next;
  }

  async #read(): Promise<readonly LogEntry[]> {
    return (await control<{ entries: LogEntry[] }>(this.#service, 'GET', `/log?after=${this.#after}`)).entries;
  }

  #callOf({ kind, route, status, caller, at_ms }: LogEntry): TrafficCall | undefined {
    if (kind !== 'request' || route === undefined || !Object.hasOwn(routes, route)) return undefined;
    const [, who, id = '', application] = /^(\w+) (\d+)( of application)?/.exec(caller ?? '') ?? [];
    if (who === 'user' && application === undefined) return undefined;
    const by = who === 'user' ? (this.#usernameOf(id) ?? id) : who;
    return { route: route as RouteName, status: status ?? 0, by, atMs: at_ms };
  }
}

const isSignIn = /^(createToken|revokeToken)$/;
