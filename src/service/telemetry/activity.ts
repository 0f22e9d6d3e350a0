import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Clock, Entropy, Fetch, FetchInit } from '../../wire/clock/ports.ts';
import type { TimerName, TrafficConnection, TrafficEntry } from '../../wire/control/traffic.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import type { RouteName } from '../../wire/routes.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { CommandRecord } from '../store/records.ts';
import type { ObservedConnection, ObservedRequest } from '../support/traffic.ts';
import { CommandVersions } from './command-versions.ts';
import { withoutPathSecrets } from './path-secrets.ts';
import {
  aboutDelivery,
  aboutRequest,
  aboutTopic,
  answerBytesMax,
  answerOf,
  bodyMax,
  deliveryOf,
  type Exchange,
  errorOf,
  headersOf,
  httpFields,
  keptText,
  nobody,
  nobodyView,
  oauthSteps,
  place,
  reasonOf,
  rounded,
  shortText,
  stepOfPage,
  textLengthOf,
  uninteresting,
  viewOf,
  withoutFiles,
} from './traffic/describe.ts';
import { type EntryDetails, TrafficRing } from './traffic/ring.ts';

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
  /** What was recorded, as far as it is still kept. */
  readonly kept = new TrafficRing();
  /** Tells the causes of this process from those of others. */
  readonly #tag: string;
  readonly #clock: Clock;
  readonly #context = new AsyncLocalStorage<Exchange>();
  readonly #commitListeners = new Set<(scope: string) => void>();
  #lastId = 0;
  #isRecording = false;
  /** The newest dispatches that nobody received. */
  readonly #unread: EntryDetails[] = [];
  #nextUnread = 0;
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
    if (isRead) this.kept.grow();
    if (this.#isRecording) return;
    this.#isRecording = true;
    this.recordingSinceMs = this.#clock.now();
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
    // The address is in the entry, in the parameters and in the query.
    let bytes = (requestBody?.length ?? 0) + Math.min(answerBytes, bodyMax) + 3 * (request?.url?.length ?? 0);
    for (const name in details.requestHeaders) bytes += details.requestHeaders[name]?.length ?? 0;
    const step = oauthSteps[route];
    if (step === undefined) this.#keep({ ...entry, kind: 'request' }, details, bytes);
    else {
      const isRefresh = route === 'createToken' && asRecord(body)?.grant_type === 'refresh_token';
      const oauth = { kind: 'oauth', step: isRefresh ? 'refresh' : step, redirect_to: null } as const;
      this.#keep({ ...entry, ...oauth }, details, bytes);
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
    const data = sessions > 0 ? event.data : undefined;
    const about = aboutTopic(to, scope);
    this.#keep(
      {
        ...{ id: ++this.#lastId, at_ms: this.#clock.now(), cause: this.#causeIn(cause) },
        ...about,
        guild_id: guild ?? about.guild_id,
        ...{ kind: 'dispatch', event: event.name, topic: to, sessions, session_id: null },
        bytes: data === undefined ? null : Buffer.byteLength(data),
      },
      data === undefined ? this.#unencoded(event) : keptText(data),
      data?.length ?? 0,
    );
  }

  #unencoded(event: NonNullable<Announced['event']>): EntryDetails {
    const details: EntryDetails = { event };
    const forgotten = this.#unread[this.#nextUnread];
    if (forgotten) forgotten.event = undefined;
    this.#unread[this.#nextUnread] = details;
    this.#nextUnread = (this.#nextUnread + 1) % unreadMax;
    return details;
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
      keptText(data),
      data.length,
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
      textLengthOf(details) + url.length + answerBytesMax,
    );
  }

  /** @param textBytes length of the texts that callers have sent */
  #keep(unplaced: Unplaced<TrafficEntry>, details: EntryDetails, textBytes = textLengthOf([unplaced, details])): void {
    this.kept.add(number => ({ ...unplaced, number }) as TrafficEntry, details, textBytes);
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

/** Dispatches that nobody received and that can still be encoded. */
const unreadMax = 200;
