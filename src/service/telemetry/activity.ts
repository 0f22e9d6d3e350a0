import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GuildId, LobbyId } from '../../model/snowflake.ts';
import type { Clock, Entropy, Fetch, FetchInit } from '../../wire/clock/ports.ts';
import type {
  OAuthStep,
  TimerName,
  TrafficCallerView,
  TrafficConnection,
  TrafficDelivery,
  TrafficEntry,
} from '../../wire/control/traffic.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { type RouteName, routes } from '../../wire/routes.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { CommandRecord } from '../store/records.ts';
import { consoleLimits } from '../support/service-limits.ts';
import type { ObservedConnection, ObservedRequest, TrafficCaller } from '../support/traffic.ts';
import { CommandVersions } from './command-versions.ts';
import { withoutPathSecrets } from './path-secrets.ts';

/** An exchange under way, which others may be caused by. */
export interface Exchange {
  readonly id: number;
  readonly cause: number | null;
  readonly atMs: number;
  readonly startMs: number;
  readonly request?: IncomingMessage | undefined;
  readonly requestId?: string | undefined;
  /** Whether it has announced anything. */
  hasEffects: boolean;
}

/**
 * What of an entry only its details show. It still contains secrets: they are masked when it is read.
 *
 * Bodies, frames and events are kept as text: parsed, 64 KiB of empty lists take a megabyte.
 */
export interface EntryDetails {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly requestBody?: string | undefined;
  readonly requestBytes?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly answer?: string | undefined;
  readonly answerBytes?: number;
  /** A body was too large to be kept. */
  readonly isCut?: boolean;
  readonly params?: ObservedRequest['params'];
  readonly query?: ObservedRequest['query'];
  readonly authorization?: string | undefined;
  /** Of a dispatch, a frame or a fault: JSON. */
  readonly data?: string | undefined;
}

/** An entry as it is kept. */
export interface KeptEntry {
  readonly entry: TrafficEntry;
  readonly details: EntryDetails;
  readonly bytes: number;
}

type Unplaced<Entry> = Entry extends unknown ? Omit<Entry, 'number'> : never;

/** The beginning of every token by which the control API acts as somebody, so that the traffic shows it. */
export const actingTokenPrefix = 'acting.';

/**
 * Records what happens in the service while its console is on, for people: requests, events, deliveries and connections, each with what
 * caused it. Bounded in entries and bytes; the oldest make room.
 *
 * Nothing is recorded, and nothing costs anything, before {@link record} is called: where nobody asked for the console by name, that is
 * when it is first used.
 *
 * What a request causes is known because its handler, and what that calls, run in an asynchronous context of their own, and because
 * announcements carry the exchange in which they were made (`cause` of an announcement).
 */
export class Activity {
  readonly versions: CommandVersions;
  /** Tells the causes of this process from those of others. */
  readonly #tag: string;
  readonly #clock: Clock;
  readonly #context = new AsyncLocalStorage<Exchange>();
  readonly #listeners = new Set<(kept: KeptEntry) => void>();
  readonly #commitListeners = new Set<(scope: string) => void>();
  #kept: KeptEntry[] = [];
  /** How many of {@link #kept} were dropped and still stand at its beginning. */
  #dropped = 0;
  #bytes = 0;
  #lastId = 0;
  #lastNumber = 0;
  #isRecording = false;
  #isRead = false;
  /** Since when it records, on the service's clock; null: it does not. */
  recordingSinceMs: number | null = null;
  /** Set by the gateway: how many sessions of this node follow a topic. */
  followersOf: (topic: Topic) => number = () => 0;

  constructor(clock: Clock, entropy: Entropy) {
    this.#clock = clock;
    this.#tag = Buffer.from(entropy.bytes(6)).toString('base64url');
    this.versions = new CommandVersions();
  }

  get isRecording(): boolean {
    return this.#isRecording;
  }

  /**
   * Begins to record. Idempotent.
   *
   * @param isRead somebody reads it: from now on more is kept
   */
  record({ isRead }: { readonly isRead: boolean }): void {
    this.#isRead ||= isRead;
    if (this.#isRecording) return;
    this.#isRecording = true;
    this.recordingSinceMs = this.#clock.now();
  }

  /** Where the traffic stands: the numbers of the oldest and the newest entry. */
  get first(): number {
    return this.#lastNumber - this.size + 1;
  }

  get last(): number {
    return this.#lastNumber;
  }

  get size(): number {
    return this.#kept.length - this.#dropped;
  }

  /** The entry with this number; undefined when it is no longer kept. */
  at(number: number): KeptEntry | undefined {
    return number < this.first ? undefined : this.#kept[this.#dropped + number - this.first];
  }

  find(id: number): KeptEntry | undefined {
    // Entries are completed soon after they began, so the number is near.
    for (let number = this.#lastNumber; number >= this.first; number--) {
      const kept = this.at(number);
      if (kept?.entry.id === id) return kept;
    }
    return undefined;
  }

  clear(): void {
    this.#kept = [];
    this.#dropped = 0;
    this.#bytes = 0;
  }

  /** Calls `listener` for each new entry. @returns ends that */
  listen(listener: (kept: KeptEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` with the scope of each transaction of this node that was committed, and `*` when everything was replaced. */
  onCommit(listener: (scope: string) => void): () => void {
    this.#commitListeners.add(listener);
    return () => this.#commitListeners.delete(listener);
  }

  committed(scope: string): void {
    if (this.#commitListeners.size > 0) for (const listener of this.#commitListeners) listener(scope);
  }

  /** The exchange that is under way. */
  get current(): Exchange | undefined {
    return this.#context.getStore();
  }

  /** Runs what serves a request, as an exchange. */
  serve(request: IncomingMessage, requestId: string | undefined, run: () => void): void {
    if (this.#isRecording) this.#context.run(this.#begin({ request, requestId }), run);
    else run();
  }

  /** Runs what a timer started, for a record that is due. */
  async timer(timer: TimerName, id: string, run: () => Promise<void>): Promise<void> {
    if (!this.#isRecording) return run();
    const exchange = this.#begin({}, null);
    await this.#context.run(exchange, run);
    if (!exchange.hasEffects) return;
    const about = { ...nobody, ...(timer === 'lobbies' && { lobby_id: id }) };
    this.#keep({ ...place(exchange), ...about, kind: 'timer', timer, subject_id: id }, {});
  }

  #begin(
    { request, requestId }: Pick<Exchange, 'request' | 'requestId'>,
    cause: number | null = this.current?.id ?? null,
  ): Exchange {
    return {
      ...{ id: ++this.#lastId, cause, atMs: this.#clock.now(), startMs: performance.now() },
      ...{ request, requestId, hasEffects: false },
    };
  }

  /** A request of a route was answered. */
  answered(observed: ObservedRequest): void {
    if (!this.#isRecording) return;
    const exchange = this.current ?? this.#begin({});
    const { route, params, caller, status, answer, body, contentType = '', authorization } = observed;
    const { request } = exchange;
    const requestBytes = observed.bodyBytes ?? Number(request?.headers['content-length'] ?? 0);
    const answerBytes = answer?.length ?? 0;
    const requestBody = requestBytes > bodyMax ? undefined : shortText(withoutFiles(body));
    const isUnread = body !== undefined && requestBody === undefined;
    const isCut = isUnread || requestBytes > bodyMax || answerBytes > bodyMax || contentType.startsWith('multipart/');
    const entry = {
      ...place(exchange),
      ...aboutRequest(observed),
      ...httpFields(exchange, route, status, viewOf(caller)),
      target: withoutPathSecrets(request?.url ?? '', params),
      ...errorOf(status, answer),
      is_acted: caller !== undefined && authorization?.includes(actingTokenPrefix) === true,
    };
    const details: EntryDetails = {
      ...{ params, query: observed.query, requestBytes, answerBytes, isCut, answerHeaders: observed.headers },
      authorization: authorization?.replace(/^(\w+ )?.*$/s, '$1masked'),
      requestHeaders: headersOf(request),
      requestBody,
      answer: answerBytes > bodyMax ? undefined : answer,
    };
    const step = oauthSteps[route];
    if (step === undefined) this.#keep({ ...entry, kind: 'request' }, details);
    else {
      const isRefresh = route === 'createToken' && asRecord(body)?.grant_type === 'refresh_token';
      const oauth = { kind: 'oauth', step: isRefresh ? 'refresh' : step, redirect_to: null } as const;
      this.#keep({ ...entry, ...oauth }, details);
    }
  }

  /** A request that no route serves: a page, or something unknown. @returns is to be called when it was answered */
  page(request: IncomingMessage, response: ServerResponse): (() => void) | undefined {
    if (!this.#isRecording) return undefined;
    const { method = '', url = '/' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const isControl = path.startsWith('/control/');
    if (uninteresting.test(path) || (isControl && (method === 'GET' || path === '/control/call'))) return undefined;
    const exchange = this.current;
    if (!exchange) return undefined;
    return () => {
      const { statusCode } = response;
      const isAllowed = isControl && statusCode !== 401;
      const caller = isAllowed ? ({ ...nobodyView, kind: 'control' } as const) : null;
      const entry = {
        ...place(exchange),
        ...nobody,
        ...httpFields(exchange, null, statusCode, caller),
        target: withoutPathSecrets(url, {}),
        ...{ error_code: null, error: null, is_acted: false },
      };
      const details = { requestHeaders: headersOf(request) };
      const location = response.getHeader('location');
      const redirect_to = typeof location === 'string' ? withoutPathSecrets(location, {}) : null;
      const step = stepOfPage(path, method, redirect_to);
      if (step === undefined) this.#keep({ ...entry, kind: 'request' }, details);
      else this.#keep({ ...entry, kind: 'oauth', step, redirect_to }, details);
    };
  }

  /** What an announcement made now is caused by. */
  causeOf(exchange: Exchange): string {
    exchange.hasEffects = true;
    return `${this.#tag}.${exchange.id}`;
  }

  #causeIn(cause: string | undefined): number | null {
    if (cause === undefined || !cause.startsWith(`${this.#tag}.`)) return null;
    return Number(cause.slice(this.#tag.length + 1));
  }

  /** An event was passed to the sessions of this node that follow its topic, or would have been if there were any. */
  announced({ to, event, cause, guild, scope }: Omit<Announced, 'position' | 'revision'>, sessions: number): void {
    if (!event || !this.#isRecording) return;
    // Encoded even if nobody received it: until then it holds all that it is made of, such as a whole lobby.
    const { data } = event;
    const about = aboutTopic(to, scope);
    this.#keep(
      {
        ...{ id: ++this.#lastId, at_ms: this.#clock.now(), cause: this.#causeIn(cause) },
        ...about,
        guild_id: guild ?? about.guild_id,
        ...{ kind: 'dispatch', event: event.name, topic: to, sessions, session_id: null },
        bytes: sessions > 0 ? Buffer.byteLength(data) : null,
      },
      data.length > bodyMax ? { isCut: true } : { data },
    );
  }

  /** An event was sent to one session alone. @param data JSON */
  emitted(session: EmittingSession, name: string, data: string): void {
    if (!this.#isRecording) return;
    const { id, application_id, user_id } = session.record;
    this.#keep(
      {
        ...{ id: ++this.#lastId, at_ms: this.#clock.now(), cause: this.current?.id ?? null },
        ...{ ...nobody, application_id, user_id },
        ...{ kind: 'dispatch', event: name, topic: null, sessions: 1, session_id: id, bytes: Buffer.byteLength(data) },
      },
      data.length > bodyMax ? { isCut: true } : { data },
    );
  }

  /** Something happened to a gateway connection. */
  connection(
    connection: number,
    session: EmittingSession | undefined,
    event: ConnectionNews,
    frame?: { readonly op: number; readonly d: unknown },
  ): void {
    if (!this.#isRecording) return;
    const caller = event.kind === 'identified' ? event.caller : undefined;
    this.#keep(
      {
        ...{ id: ++this.#lastId, at_ms: this.#clock.now(), cause: this.current?.id ?? null },
        ...nobody,
        application_id: caller?.applicationId ?? session?.record.application_id ?? null,
        user_id: caller?.userId ?? session?.record.user_id ?? null,
        ...{ kind: 'connection', connection, session_id: session?.id ?? null, event: event.kind },
        op: frame?.op ?? null,
        code: event.kind === 'closed' ? event.code : null,
        by_peer: event.kind === 'closed' ? event.byPeer : null,
      },
      frame ? { data: shortText(frame) } : {},
    );
  }

  /** A fault was injected. */
  fault({ id, kind, route, connection, document }: InjectedFault): void {
    if (!this.#isRecording) return;
    this.#keep(
      {
        ...{ id: ++this.#lastId, at_ms: this.#clock.now(), cause: this.current?.id ?? null },
        ...{
          ...nobody,
          kind: 'fault',
          fault_id: id,
          fault: kind,
          route: route ?? null,
          connection: connection ?? null,
        },
      },
      { data: shortText(document) },
    );
  }

  /** A command was written or deleted. */
  commandChanged(id: string, command: CommandRecord | undefined): void {
    this.versions.add(id, command, this.#clock.now(), this.current?.id ?? null);
  }

  /** Records the requests to servers outside that are made with this function. */
  fetch(fetch: Fetch): Fetch {
    return async (url, init) => {
      if (!this.#isRecording) return fetch(url, init);
      const exchange = this.#begin({});
      try {
        const response = await this.#context.run(exchange, () => fetch(url, init));
        this.#delivered(exchange, url, init, response);
        return response;
      } catch (error) {
        this.#delivered(exchange, url, init, undefined, error);
        throw error;
      }
    };
  }

  #delivered(
    exchange: Exchange,
    url: string,
    { method, headers, body }: FetchInit,
    response: Response | undefined,
    error?: unknown,
  ): void {
    const requestBody = typeof body === 'string' && body.length <= bodyMax ? body : undefined;
    const document = asRecord(requestBody === undefined ? undefined : parseJson(requestBody));
    const requestBytes = typeof body === 'string' ? body.length : 0;
    const details: EntryDetails & { answer?: string; answerBytes?: number } = {
      ...{ requestHeaders: headers, requestBody: document && requestBody, requestBytes },
      isCut: requestBytes > bodyMax,
      ...(response && { answerHeaders: Object.fromEntries(response.headers) }),
    };
    if (response) {
      answerOf(response).then(
        answer => Object.assign(details, answer === undefined ? {} : { answer, answerBytes: answer.length }),
        () => {}, // The reader of the answer receives the error.
      );
    }
    this.#keep(
      {
        ...place(exchange),
        ...aboutDelivery(document),
        ...{ kind: 'delivery', ...deliveryOf(document), method, url: withoutPathSecrets(url, {}) },
        status: response?.status ?? null,
        duration_ms: rounded(performance.now() - exchange.startMs),
        error: error === undefined ? null : reasonOf(error),
      },
      details,
      answerBytesMax,
    );
  }

  /** @param laterBytes what is added to the details afterwards, at most */
  #keep(unplaced: Unplaced<TrafficEntry>, details: EntryDetails, laterBytes = 0): void {
    const bytes = entryBytes + textLengthOf(unplaced) + textLengthOf(details) + laterBytes;
    const kept: KeptEntry = { entry: { ...unplaced, number: ++this.#lastNumber } as TrafficEntry, details, bytes };
    this.#kept.push(kept);
    this.#bytes += bytes;
    const entriesMax = this.#isRead ? consoleLimits.trafficEntriesMax : consoleLimits.trafficUnreadEntriesMax;
    const bytesMax = this.#isRead ? consoleLimits.trafficBytesMax : consoleLimits.trafficUnreadBytesMax;
    while (this.size > entriesMax || this.#bytes > bytesMax) this.#drop();
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener(kept);
  }

  #drop(): void {
    this.#bytes -= this.#kept[this.#dropped]?.bytes ?? 0;
    (this.#kept as (KeptEntry | undefined)[])[this.#dropped] = undefined;
    this.#dropped++;
    if (this.#dropped < slackMax || this.#dropped < this.#kept.length / 2) return;
    this.#kept = this.#kept.slice(this.#dropped);
    this.#dropped = 0;
  }
}

/** A session, as far as the traffic shows it. */
export interface EmittingSession {
  readonly id: string;
  readonly record: { readonly id: string; readonly application_id: string | null; readonly user_id: string };
}

type ConnectionNews =
  | { readonly kind: Exclude<TrafficConnection['event'], 'closed' | 'identified'> }
  | Pick<Extract<ObservedConnection, { kind: 'identified' }>, 'kind' | 'caller'>
  | Pick<Extract<ObservedConnection, { kind: 'closed' }>, 'kind' | 'code' | 'byPeer'>;

export interface InjectedFault {
  readonly id: string;
  readonly kind: string;
  readonly document: unknown;
  readonly route?: RouteName | undefined;
  readonly connection?: number | undefined;
}

const bodyMax = consoleLimits.trafficBodyBytesMax;
/** About what an entry takes without its texts. */
const entryBytes = 1024;
const slackMax = 1024;

const nobody = { application_id: null, user_id: null, lobby_id: null, guild_id: null } as const;
const nobodyView = { application_id: null, user_id: null, username: null } as const;

/** Paths of the site that are not worth an entry. */
const uninteresting = /^\/(?:console(?:\/|$)|favicon|attachments\/|healthz|readyz|metrics)/;

/** Routes of OAuth2, and their step in a flow. */
const oauthSteps: Readonly<Partial<Record<RouteName, OAuthStep>>> = Object.fromEntries(
  Object.entries(routes).flatMap(([name, { path }]): [string, OAuthStep][] => {
    if (!path.startsWith('/oauth2') && !path.startsWith('/partner-sdk')) return [];
    if (/revoke/.test(path)) return [[name, 'revoke']];
    if (/device/.test(path)) return [[name, 'device_code']];
    if (/token/.test(path)) return [[name, 'token']];
    return [[name, /userinfo|@me/.test(path) ? 'user' : 'other']];
  }),
);

function stepOfPage(path: string, method: string, redirectTo: string | null): OAuthStep | undefined {
  if (path === '/control/consent') return 'consent';
  if (/^\/(?:oauth2\/)?activate/.test(path)) return /sign-(?:in|out)$/.test(path) ? 'sign_in' : 'device';
  if (!path.startsWith('/oauth2/')) return undefined;
  if (/sign-(?:in|out)$/.test(path)) return 'sign_in';
  if (path !== '/oauth2/authorize') return 'other';
  return method === 'POST' || redirectTo !== null ? 'consent' : 'authorize';
}

function place({ id, cause, atMs }: Exchange) {
  return { id, cause, at_ms: atMs };
}

function httpFields(
  { request, requestId, startMs }: Exchange,
  route: RouteName | null,
  status: number,
  caller: TrafficCallerView | null,
) {
  return {
    ...{ method: request?.method ?? '', route, status, caller, request_id: requestId ?? null },
    duration_ms: rounded(performance.now() - startMs),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function viewOf(caller: TrafficCaller | undefined): TrafficCallerView | null {
  if (!caller) return null;
  const { kind, applicationId = null, userId = null, username = null } = caller;
  return { kind, application_id: applicationId, user_id: userId, username };
}

/** The id at the beginning of an answer that shows a lobby. */
const answeredId = /^\{"id":"(\d+)"/;

function aboutRequest({ route, params, caller, answer, status }: ObservedRequest) {
  const isNewLobby = status < 300 && (route === 'createLobby' || route === 'joinLobby');
  return {
    application_id: caller?.applicationId ?? params.application_id ?? null,
    user_id: caller?.userId ?? params.user_id ?? null,
    lobby_id: params.lobby_id ?? (isNewLobby ? (answeredId.exec(answer ?? '')?.[1] ?? null) : null),
    guild_id: params.guild_id ?? null,
  };
}

function aboutTopic(topic: Topic, scope: string) {
  const [kind = '', first = null, second = null] = topic.split('/');
  const [scopeKind, scopeId = null] = scope.split('/');
  const ofApplication = kind === 'application' || kind === 'player' || kind === 'commands';
  return {
    application_id: ofApplication ? first : null,
    user_id: kind === 'user' ? first : kind === 'player' ? second : null,
    lobby_id: (kind === 'lobby' ? first : scopeKind === 'lobby' ? scopeId : null) as LobbyId | null,
    guild_id: (kind === 'guild' ? first : kind === 'commands' ? second : null) as GuildId | null,
  };
}

function aboutDelivery(document: Readonly<Record<string, unknown>> | undefined) {
  const member = asRecord(asRecord(document?.member)?.user);
  const user = asRecord(document?.user) ?? member ?? asRecord(asRecord(asRecord(document?.event)?.data)?.user);
  return {
    ...nobody,
    application_id: textOf(document?.application_id),
    user_id: textOf(user?.id),
    guild_id: textOf(document?.guild_id),
    lobby_id: textOf(asRecord(asRecord(document?.event)?.data)?.lobby_id),
  };
}

const interactionEvents: Readonly<Record<number, string>> = {
  1: 'PING',
  2: 'APPLICATION_COMMAND',
  3: 'MESSAGE_COMPONENT',
  4: 'APPLICATION_COMMAND_AUTOCOMPLETE',
  5: 'MODAL_SUBMIT',
};

function deliveryOf(
  document: Readonly<Record<string, unknown>> | undefined,
): Pick<TrafficDelivery, 'delivery' | 'event'> {
  const event = asRecord(document?.event);
  if (event) return { delivery: 'webhook_event', event: textOf(event.type) };
  if (document === undefined || typeof document.type !== 'number')
    return { delivery: 'identity_provider', event: null };
  if (document.token !== undefined) return { delivery: 'interaction', event: interactionEvents[document.type] ?? null };
  return { delivery: 'endpoint_probe', event: 'PING' };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The code and the message of an error. */
function errorOf(status: number, answer: string | undefined) {
  const error =
    status >= 400 && answer !== undefined && answer.length <= bodyMax ? asRecord(parseJson(answer)) : undefined;
  const { code, error: oauthError, message, error_description } = error ?? {};
  const known = code ?? oauthError;
  return {
    error_code: typeof known === 'number' || typeof known === 'string' ? known : null,
    error: textOf(message) ?? textOf(error_description),
  };
}

/** Headers of a request that are worth showing; none of them is a credential. */
const shownHeaders =
  /^(?:accept|accept-language|content-(?:type|length)|host|origin|referer|user-agent|x-(?:discord|service|super|audit|forwarded).*|idempotency-key)$/;

function headersOf(request: IncomingMessage | undefined): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  if (!request) return shown;
  for (const [name, value] of Object.entries(request.headers)) {
    if (shownHeaders.test(name)) shown[name] = String(value);
  }
  return shown;
}

/** A form's files are replaced by what they are, so that their content is not kept. */
function withoutFiles(value: unknown): unknown {
  if (value instanceof Uint8Array) return `(${value.byteLength} bytes)`;
  if (Array.isArray(value)) return value.some(holdsBytes) ? value.map(withoutFiles) : value;
  const record = asRecord(value);
  if (!record || !Object.values(record).some(part => holdsBytes(part) || Array.isArray(part))) return value;
  return Object.fromEntries(Object.entries(record).map(([name, part]) => [name, withoutFiles(part)]));
}

function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(part => part instanceof Uint8Array);
}

/**
 * What a server outside answered, read from a copy while others read the original; only small texts. The server may announce one length
 * and send another, compressed or slowly.
 */
async function answerOf(response: Response): Promise<string | undefined> {
  const type = response.headers.get('content-type') ?? '';
  const length = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  if (!/json|text/.test(type) || length > answerBytesMax || typeof response.clone !== 'function') return undefined;
  const reader = response.clone().body?.getReader();
  if (!reader) return undefined;
  const tooLate = setTimeout(() => void reader.cancel().catch(ignore), answerMs).unref();
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let next = await reader.read(); next.value; next = await reader.read()) {
      size += next.value.length;
      if (size > answerBytesMax) return undefined;
      pieces.push(next.value);
    }
    return Buffer.concat(pieces).toString();
  } finally {
    clearTimeout(tooLate);
    reader.cancel().catch(ignore);
  }
}

const ignore = () => {};

/** How long the rest of an answer may take, where nobody else waits for it. */
const answerMs = 1000;
const answerBytesMax = 16 * 1024;

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const code = asRecord(cause)?.code ?? asRecord(error)?.code;
  return typeof code === 'string' ? `${message} (${code})` : message;
}

/** Undefined without a value, and if its text is too long to be kept. */
function shortText(value: unknown): string | undefined {
  const text = JSON.stringify(value) as string | undefined;
  return text !== undefined && text.length <= bodyMax ? text : undefined;
}

/** How long the texts in a value are, together with those in the lists and objects in it. */
function textLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const name in value) length += name.length + textLengthOf((value as Readonly<Record<string, unknown>>)[name]);
  return length;
}
