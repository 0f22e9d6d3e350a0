import {
  ApiError,
  ArgumentError,
  type RallypointError,
  RateLimitError,
  TransportError,
} from '../../model/errors/errors.ts';
import { treeToIssues } from '../../model/errors/issue.ts';
import { version } from '../../model/version.ts';
import { apiUrl } from '../addresses.ts';
import { type Clock, type Entropy, type Logger, silentLogger, systemClock, systemEntropy } from '../clock/ports.ts';
import { type Refusal, readLimits } from '../rate-limits/headers.ts';
import { type LaneKey, type Permit, RateLimiter } from '../rate-limits/limiter.ts';
import { type PathParameters, type Route, type RouteName, routeLabel, routePath, routes } from '../routes.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { asRecord, encodeForm, parseJson } from './codec.ts';
import { Deadline, requireDeadline } from './deadline.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

export interface HttpOptions {
  /** As {@link resolveBaseUrl} returns it, for example `http://127.0.0.1:8910`. */
  readonly baseUrl: string;
  readonly transport: Transport;
  /** Counts calls against the service's limits. Absent: a limiter of its own. */
  readonly limiter?: RateLimiter | undefined;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  readonly logger?: Logger;
  /** How long a call may take with all its waits and repetitions. Default {@link deadlineMsDefault}. */
  readonly deadlineMs?: number | undefined;
}

export interface HttpRequest<Name extends RouteName> {
  readonly path: PathParameters<Name>;
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON value, or text → text for a route with a form. */
  readonly body?: unknown;
  /** Sent in place of `body`. */
  readonly encodedBody?: EncodedBody | undefined;
  /** Value of the Authorization header. It is sent and nothing else: no error and no log repeats it. */
  readonly authorization?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  /** Called when the call begins to wait before it is sent, and with undefined when the wait is over. */
  readonly onWait?: ((wait: HttpWait | undefined) => void) | undefined;
  /**
   * Is asked each time the request is about to be sent, after all waits, and within the deadline. What it rejects with ends
   * the call; then it is not sent, or not once more.
   */
  readonly beforeSend?: (() => Promise<void>) | undefined;
}

/** A body as it is sent. */
export interface EncodedBody {
  /** The value of the Content-Type header. */
  readonly type: string;
  readonly content: string | ArrayBuffer;
}

/** Why a call is not under way. */
export interface HttpWait {
  /** `rate_limit`: a limit is used up, or its state is not known yet; `retry`: the pause after a failure. */
  readonly reason: 'rate_limit' | 'retry';
  /** When it is over at the earliest, in milliseconds since the Unix epoch; undefined if that is unknown. */
  readonly untilMs: number | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** The parsed, unchecked JSON; undefined if the response is empty. */
  readonly body: unknown;
}

/** Long enough for a rate limit of some seconds to pass, short enough for a player to wait. */
export const deadlineMsDefault = 15_000;

// Four attempts in all.
const failuresMax = 3;

/** How often a call is repeated after a 429: more often than after a failure, because the service did no work, and mostly names the pause. */
export const refusalsMax = 10;
/** After a 429 that names no time, such as one of a proxy: at least a second. */
export const unnamedLimitBackoff: Backoff = { firstMs: 2_000, maxMs: 60_000 };
const retryBackoff: Backoff = { firstMs: 250, maxMs: 4_000 };

/** Why an attempt did not succeed, and the pause before the next; undefined: there must be none. */
interface Setback {
  readonly error: RallypointError;
  readonly kind: 'failure' | 'refusal';
  readonly pauseMs: number | undefined;
}

/**
 * Calls the routes of the interface.
 *
 * Every call ends by its deadline. What is repeated within it, after a growing pause with jitter:
 * - any method, when no connection was made: the request was certainly not processed
 * - GET, PUT, PATCH and DELETE after a 5xx or a connection that broke off, three times at most; PATCH belongs to them
 *   because here the fields given replace the stored ones whole, so that doing it twice is doing it once
 * - any method after a 429, once its time has passed
 *
 * A POST that may have been processed is never repeated.
 *
 * @see docs/spec/http.md#credentials; docs/spec/errors.md#shapes; docs/spec/limits.md#rate-limits; docs/spec/http.md
 */
export class Http {
  readonly #apiUrl: string;
  readonly #transport: Transport;
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #logger: Logger;
  readonly #deadlineMs: number;
  readonly #underWay = new Set<Deadline>();
  #closed = false;

  constructor(options: HttpOptions) {
    this.#apiUrl = apiUrl(options.baseUrl);
    this.#transport = options.transport;
    this.#clock = options.clock ?? systemClock;
    this.#entropy = options.entropy ?? systemEntropy;
    this.#logger = options.logger ?? silentLogger;
    this.#limiter = options.limiter ?? new RateLimiter({ clock: this.#clock });
    this.#deadlineMs = options.deadlineMs ?? deadlineMsDefault;
    requireDeadline(this.#deadlineMs);
  }

  /**
   * Calls a route and resolves with its successful answer.
   *
   * @throws ApiError the service responded with an error
   * @throws RateLimitError a limit would have outlasted the deadline
   * @throws TransportError `unreachable`, `connection_lost`, `deadline_exceeded`, `aborted`, `unreadable_answer`
   * @throws ArgumentError `unencodable_body`, `invalid_deadline` or `closed`; nothing was sent
   */
  async send<Name extends RouteName>(name: Name, request: HttpRequest<Name>): Promise<HttpAnswer> {
    if (this.#closed) throw new ArgumentError('closed', 'This client has been closed.');
    const exchange = this.#encode(name, request);
    const deadline = new Deadline(this.#clock, request.deadlineMs ?? this.#deadlineMs, request.signal);
    this.#underWay.add(deadline);
    try {
      return await this.#untilAnswered(name, { ...exchange, signal: deadline.signal }, request, deadline);
    } finally {
      this.#underWay.delete(deadline);
      deadline.close();
    }
  }

  /** Aborts the calls under way and closes the connections. Later calls reject. Idempotent. */
  close(): void {
    this.#closed = true;
    for (const deadline of this.#underWay) deadline.abort();
    this.#transport.close();
  }

  async #untilAnswered<Name extends RouteName>(
    name: Name,
    exchange: TransportRequest,
    request: HttpRequest<Name>,
    deadline: Deadline,
  ): Promise<HttpAnswer> {
    const lane = laneOf(name, request);
    const setbacks = { failure: 0, refusal: 0 };
    for (;;) {
      deadline.signal.throwIfAborted();
      const admitted = this.#limiter.acquire(lane, deadline);
      const permit =
        admitted instanceof Promise
          ? await whileWaiting(request, { reason: 'rate_limit', untilMs: this.#limiter.freeAtMs(lane) }, admitted)
          : admitted;
      if (request.beforeSend) await this.#mayBeSent(request.beforeSend, permit, deadline);
      const result = await this.#attempt(name, exchange, permit, setbacks);
      if (!('error' in result)) return result;

      const tooMany = ++setbacks[result.kind] > (result.kind === 'failure' ? failuresMax : refusalsMax);
      if (result.pauseMs === undefined || tooMany || result.pauseMs >= deadline.leftMs) throw result.error;
      this.#logger.warn({ route: routeLabel(name), code: result.error.code, pauseMs: result.pauseMs }, 'trying again');
      const reason = result.kind === 'refusal' ? 'rate_limit' : 'retry';
      const untilMs = this.#clock.now() + result.pauseMs;
      await whileWaiting(request, { reason, untilMs }, deadline.sleep(result.pauseMs));
    }
  }

  /** The permit is given back when it may not. */
  async #mayBeSent(ask: () => Promise<void>, permit: Permit, deadline: Deadline): Promise<void> {
    try {
      await deadline.within(ask());
    } catch (error) {
      this.#limiter.settle(permit, 'unsent');
      throw error;
    }
  }

  async #attempt(
    name: RouteName,
    exchange: TransportRequest,
    permit: Permit,
    { failure: failures, refusal: refusals }: Readonly<Record<Setback['kind'], number>>,
  ): Promise<HttpAnswer | Setback> {
    let answer: TransportAnswer;
    try {
      answer = await this.#transport.send(exchange);
    } catch (error) {
      const failure = asTransportError(error);
      this.#limiter.settle(permit, failure.code === 'unreachable' ? 'unsent' : 'lost');
      return this.#failed(failure, failures, mayRepeat(name, failure));
    }

    const body = answer.text === '' ? undefined : parseJson(answer.text);
    const unnamedMs = backoffMs(unnamedLimitBackoff, refusals, this.#entropy);
    const limits = readLimits(answer.status, answer.headers, body, unnamedMs);
    // A failing server's answer without limits says nothing about whether its route has any.
    this.#limiter.settle(permit, answer.status >= 500 && !limits.bucket ? 'lost' : limits);
    if (answer.status >= 200 && answer.status < 300) return readSuccess(name, answer, body);

    const error = apiError(name, answer.status, body);
    if (limits.refusal) return refused(error, limits.refusal);
    return this.#failed(error, failures, answer.status >= 500 && isIdempotent(name));
  }

  #failed(error: RallypointError, failures: number, mayRepeat: boolean): Setback {
    return {
      error,
      kind: 'failure',
      pauseMs: mayRepeat ? backoffMs(retryBackoff, failures, this.#entropy) : undefined,
    };
  }

  #encode<Name extends RouteName>(name: Name, request: HttpRequest<Name>): Omit<TransportRequest, 'signal'> {
    const { query, authorization } = request;
    const search = query ? `?${encodeForm(query)}` : '';
    const headers: Record<string, string> = { 'user-agent': userAgent };
    if (authorization !== undefined) headers.authorization = authorization;
    const body = request.encodedBody ?? encodeBody(routes[name], request.body);
    if (body) headers['content-type'] = body.type;
    return {
      method: routes[name].method,
      url: `${this.#apiUrl}${routePath(name, request.path)}${search}`,
      headers,
      ...(body ? { body: body.content } : {}),
    };
  }
}

/** How this package names itself to a service. @see docs/spec/http.md#user-agent */
export const userAgent = `DiscordBot (npm:@rallypoint/sdk, ${version})`;

async function whileWaiting<T>(
  { onWait }: { readonly onWait?: ((wait: HttpWait | undefined) => void) | undefined },
  wait: HttpWait,
  work: Promise<T>,
): Promise<T> {
  onWait?.(wait);
  try {
    return await work;
  } finally {
    onWait?.(undefined);
  }
}

// Limits count per route and, where the path has one of these, per resource. @see docs/spec/limits.md#rate-limits
const topLevelResources = ['guild_id', 'channel_id', 'interaction_token'] as const;

function laneOf<Name extends RouteName>(name: Name, { path }: HttpRequest<Name>): LaneKey {
  const route: Route = routes[name];
  const values: Readonly<Record<string, string>> = path;
  const resource = topLevelResources.map(parameter => values[parameter] ?? '').join('/');
  return { route: routeLabel(name), resource, exempt: route.exempt ?? false };
}

function encodeBody(route: Route, body: unknown): EncodedBody | undefined {
  if (body === undefined) return undefined;
  try {
    return route.body === 'form'
      ? { type: 'application/x-www-form-urlencoded', content: encodeForm(body as Record<string, string>) }
      : { type: 'application/json', content: JSON.stringify(body) };
  } catch {
    throw new ArgumentError('unencodable_body', 'The body cannot be encoded as JSON: it contains a bigint or a cycle.');
  }
}

function isIdempotent(name: RouteName): boolean {
  return routes[name].method !== 'POST';
}

function mayRepeat(name: RouteName, { code }: TransportError): boolean {
  return code === 'unreachable' || (code === 'connection_lost' && isIdempotent(name));
}

// A transport of the host's own may throw anything; what it holds (headers, perhaps) must not travel on.
function asTransportError(error: unknown): TransportError {
  return error instanceof TransportError
    ? error
    : new TransportError('connection_lost', 'The transport failed; the request may have been sent.');
}

function readSuccess(name: RouteName, { status, text }: TransportAnswer, body: unknown): HttpAnswer | Setback {
  if (body !== undefined || text === '') return { status, body };
  const error = new TransportError(
    'unreadable_answer',
    `${routeLabel(name)} answered ${status} with a body that is not JSON.`,
  );
  return { error, kind: 'failure', pauseMs: undefined };
}

/** The error of an error response; if its body cannot be parsed, the error has only the status. */
export function apiError(name: RouteName, status: number, body: unknown): ApiError {
  const told = asRecord(body);
  const silent = status < 400 ? 'a redirect. Check baseUrl.' : 'no message';
  const message = typeof told?.message === 'string' ? legible(told.message) : silent;
  // Some texts of the interface repeat the status ("401: Unauthorized"), which the error's message has already.
  const prefix = `${status}: `;
  return new ApiError(message.startsWith(prefix) ? message.slice(prefix.length) : message, {
    status,
    apiCode: typeof told?.code === 'number' ? told.code : 0,
    route: routeLabel(name),
    issues: treeToIssues(told?.errors),
  });
}

const messageLengthMax = 1_000;

/** A text of the service for a message, which may end up in a log or a terminal. */
function legible(text: string): string {
  return text.slice(0, messageLengthMax).replace(/\p{Cc}/gu, ' ');
}

// The limiter makes the next attempt wait; a shared limit says nothing about this credential's own window, so the call
// waits by itself and holds nobody else up.
function refused(cause: ApiError, { scope, retryAfterMs }: Refusal): Setback {
  const name = scope === 'global' ? 'global' : scope === 'shared' ? cause.code : cause.route;
  return { error: new RateLimitError(name, retryAfterMs, { cause }), kind: 'refusal', pauseMs: retryAfterMs };
}
