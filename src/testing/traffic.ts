import { AssertionError } from 'node:assert';
import { opcodes } from '../model/gateway.ts';
import type { ObservedConnection, ObservedRequest, TrafficCaller, TrafficObserver } from '../service/index.ts';
import { requireList, requireType } from '../wire/arguments.ts';
import { type RouteName, routes } from '../wire/routes.ts';

/** A request that the service answered. */
export interface TrafficCall {
  /** By its name in the route table, for example `createLobbyMessage`. */
  readonly route: RouteName;
  readonly method: string;
  /** What fills the path of the route, for example `{ lobby_id: '…' }`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ObservedRequest['query'];
  /** Parsed; absent when none was sent. */
  readonly body?: unknown;
  readonly status: number;
  /** Who made it: a username for a game in which that user is signed in, `bot` for the game's server; undefined without a credential. */
  readonly by: string | undefined;
  /** When it was answered, in milliseconds since the Unix epoch on the world's clock. */
  readonly atMs: number;
}

/** A call that writes, as {@link Traffic.writes} lists it. */
export type TrafficWrite = Pick<TrafficCall, 'method' | 'route' | 'body'>;

/** Which calls are meant; all that is given must fit. */
export type TrafficFilter = Partial<Pick<TrafficCall, 'by' | 'route' | 'status'>>;

/** A call that is expected: the name of its route, or the fields that matter. A body may have more fields than are named. */
export type ExpectedCall = RouteName | (Pick<TrafficCall, 'route'> & Partial<Omit<TrafficCall, 'route'>>);

interface Delivered {
  readonly event: string;
  readonly by: string | undefined;
}

/** What games and their servers exchanged with the service. What {@link WorldUser users} do in chat clients is left out. */
export class Traffic {
  /** @internal */
  readonly observer: TrafficObserver = {
    request: request => this.#onRequest(request),
    connection: event => this.#onConnection(event),
  };
  #calls: TrafficCall[] = [];
  #delivered: Delivered[] = [];
  readonly #callers = new Map<number, TrafficCaller>();

  /** The calls since the world began or {@link clear} was called, in the order they were answered. */
  calls(filter: TrafficFilter = {}): readonly TrafficCall[] {
    requireType('filter', filter, 'object');
    return this.#calls.filter(call =>
      Object.entries(filter).every(([name, value]) => call[name as keyof TrafficFilter] === value),
    );
  }

  /** Those of the calls that write, signing in left out, so that a test can compare all of them with what it expects. */
  writes(filter: TrafficFilter = {}): readonly TrafficWrite[] {
    return this.#writes(filter).map(({ method, route, body }) => ({
      method,
      route,
      ...(body !== undefined && { body }),
    }));
  }

  /**
   * Fails unless the game wrote exactly these calls, in this order. The error is that of `node:assert`, which every test runner shows with the
   * differences.
   *
   * @param filter for example `{ by: 'ada' }`
   * @throws AssertionError
   * @example
   * const world = await createWorld();
   * world.traffic.assertWrites(['joinLobby', { route: 'createLobbyMessage', body: { content: 'Ahoy' } }], { by: 'ada' });
   */
  assertWrites(expected: readonly ExpectedCall[], filter: TrafficFilter = {}): void {
    requireList('expected', expected);
    const calls = this.#writes(filter);
    const isSame =
      calls.length === expected.length && expected.every((one, at) => isCovered(patternOf(one), calls[at]));
    if (isSame) return;
    throw new AssertionError({
      message: `The game wrote other calls than expected: ${calls.map(({ route }) => route).join(', ') || 'none'}.`,
      // Only what is compared, so that the differences stand out.
      actual: calls.map((call, at) => reducedTo(patternOf(expected[at] ?? call.route), call)),
      expected: expected.map(patternOf),
      operator: 'assertWrites',
    });
  }

  /** The names of the events that were delivered, once for each receiver. @param filter `{ by: 'ada' }`: to the game of that player */
  events(filter: Pick<TrafficFilter, 'by'> = {}): readonly string[] {
    requireType('filter', filter, 'object');
    const { by } = filter;
    return this.#delivered.filter(one => by === undefined || one.by === by).map(({ event }) => event);
  }

  /** Forgets what was seen so far. */
  clear(): void {
    this.#calls = [];
    this.#delivered = [];
  }

  #writes(filter: TrafficFilter): readonly TrafficCall[] {
    return this.calls(filter).filter(({ method, route }) => method !== 'GET' && !isSignIn.test(route));
  }

  #onRequest({ route, params, query, body, status, caller, answeredAtMs: atMs }: ObservedRequest): void {
    if (caller?.kind === 'session') return;
    const { method } = routes[route];
    // Answers to interactions carry no other credential than the token in their path, which only the application has.
    const by = params.interaction_token === undefined ? callerName(caller).by : 'bot';
    this.#calls.push({ route, method, params, query, ...(body !== undefined && { body }), status, by, atMs });
  }

  #onConnection(event: ObservedConnection): void {
    if (event.kind === 'identified') this.#callers.set(event.connection, event.caller);
    if (event.kind === 'closed') this.#callers.delete(event.connection);
    if (event.kind !== 'sent' || event.frame.op !== opcodes.DISPATCH) return;
    const caller = this.#callers.get(event.connection);
    if (caller && caller.kind !== 'session')
      this.#delivered.push({ event: event.frame.t ?? '', ...callerName(caller) });
  }
}

const isSignIn = /^(createToken|revokeToken)$/;

function callerName(caller: TrafficCaller | undefined): { readonly by: string | undefined } {
  return { by: caller?.kind === 'user' ? caller.username : caller?.kind };
}

function patternOf(expected: ExpectedCall): Exclude<ExpectedCall, string> {
  return typeof expected === 'string' ? { route: expected } : expected;
}

/** Whether everything in the pattern is in the value; lists must have the same length. */
function isCovered(pattern: unknown, value: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return Object.is(pattern, value);
  if (typeof value !== 'object' || value === null || Array.isArray(pattern) !== Array.isArray(value)) return false;
  if (Array.isArray(pattern) && pattern.length !== (value as readonly unknown[]).length) return false;
  return Object.entries(pattern).every(([name, part]) => isCovered(part, (value as Record<string, unknown>)[name]));
}

/** The part of the value that the pattern names. */
function reducedTo(pattern: unknown, value: unknown): unknown {
  const areObjects = [pattern, value].every(one => typeof one === 'object' && one !== null && !Array.isArray(one));
  if (!areObjects) return value;
  const names = Object.keys(pattern as object).filter(name => name in (value as object));
  return Object.fromEntries(
    names.map(name => [
      name,
      reducedTo((pattern as Record<string, unknown>)[name], (value as Record<string, unknown>)[name]),
    ]),
  );
}
