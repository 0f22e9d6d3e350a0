import { isDeepStrictEqual } from 'node:util';
import { opcodes } from '../../model/gateway.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { Client } from '../../sdk/index.ts';
import { parseOptions } from '../../wire/arguments.ts';
import type { Clock, Fetch, Socket, SocketEvents, SocketFactory } from '../../wire/clock/ports.ts';
import { VirtualClock } from '../../wire/clock/virtual-clock.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { notInWorld } from '../command-input.ts';
import { settle } from '../world-clock.ts';
import {
  anonymous,
  bodyOf,
  type RecordedAnswer,
  type RecordedFailure,
  type RecordedRequest,
  type RecordedSocketEvent,
  type Recording,
  type RecordingEntry,
  requireRecording,
  routeOf,
} from './recording.ts';

/** How {@link serveRecording} serves. */
export interface ServeRecordingOptions {
  /** Whose traffic is served. May be left out where only one client or backend was recorded. */
  readonly by?: string;
}

/** What a client is to be created with, so that it talks to the recording. */
export interface ServedPorts {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly socket: SocketFactory;
  readonly clock: Clock;
}

/**
 * Serves what was recorded to a real client on a virtual clock, so that a bug report becomes a test.
 *
 * @throws ArgumentError `not_in_world`: nobody of this name was recorded, or there are several and no name is given
 * @example
 * const recorder = record();
 * const server = serveRecording(recorder.recording(), { by: 'ada' });
 * const client = new Client(server.ports);
 * await server.play(client);
 * console.log(clientState(client), server.recording.state('ada'));
 */
export function serveRecording(recording: Recording, options?: ServeRecordingOptions): RecordingServer {
  const { by } = parseOptions(options);
  requireRecording(recording);
  const { names } = recording;
  const name = by ?? (names.length === 1 ? names[0] : undefined);
  if (name !== undefined && names.includes(name)) return new RecordingServer(recording, name);
  throw notInWorld('client in the recording', by ?? '(none given)', names);
}

/** The service as a recording knows it: every answer and every frame comes again, at its time, not before it. */
export class RecordingServer {
  static {
    recognizeCopies(this, 'RecordingServer');
  }

  readonly recording: Recording;
  /** For the client: `new Client(server.ports)`. */
  readonly ports: ServedPorts;
  /** What the client asked for that the recording does not have: names of routes, `gateway` for a connection. */
  readonly unmatched: string[] = [];
  readonly #clock: VirtualClock;
  readonly #by: string;
  readonly #requests: RecordedRequest[];
  readonly #results: ReadonlyMap<number, RecordedAnswer | RecordedFailure>;
  /** The connections that have not been opened yet, each with all that happened to it. */
  readonly #sockets: RecordedSocketEvent[][];
  #framesLeft = 0;

  /** @internal */
  constructor(recording: Recording, by: string) {
    const { entries, header } = recording;
    this.recording = recording;
    this.#by = by;
    this.#clock = new VirtualClock(header.atMs, settle);
    this.#requests = entries
      .filter(entry => entry.kind === 'request')
      .filter(request => [by, anonymous].includes(request.by));
    this.#results = new Map(
      entries.filter(entry => entry.kind === 'answer' || entry.kind === 'failure').map(one => [one.request, one]),
    );
    this.#sockets = socketsOf(entries, by);
    this.ports = {
      baseUrl: 'http://127.0.0.1',
      fetch: (url, init) => this.#answer(url, init),
      socket: (_url, events) => this.#open(events),
      clock: this.#clock,
    };
  }

  /**
   * Connects the client when the recorded one connected, and lets the recorded time pass. Resolves at the end of the
   * recording. An operation that was recorded, such as joining a lobby, may be started before: it resolves when its time
   * has come.
   *
   * @param client created with {@link ports}
   */
  async play(client: Client<unknown, unknown>): Promise<void> {
    for (const { atMs, what } of this.#gameActions()) {
      await this.#advanceTo(atMs);
      if (what === 'disconnect') void client.disconnect();
      else if (client.status.status === 'disconnected') connect(client);
    }
    await this.#advanceTo(this.recording.entries.at(-1)?.atMs ?? 0);
    // A pause before a connection is opened anew has a random length, and may end later than the recorded one.
    for (let waitedMs = 0; waitedMs < latenessMsMax && this.#isUnfinished; waitedMs += latenessStepMs) {
      await this.#clock.advance(latenessStepMs);
    }
    await settle();
  }

  /** Lets further time pass, for example for a retry. @param ms milliseconds */
  async advance(ms: number): Promise<void> {
    await this.#clock.advance(ms);
  }

  get #isUnfinished(): boolean {
    return this.#framesLeft > 0 || this.#sockets.some(events => events.some(({ kind }) => kind === 'opened'));
  }

  /** When the game connected and disconnected, as far as its traffic shows it. */
  #gameActions(): { readonly atMs: number; readonly what: 'connect' | 'disconnect' }[] {
    const asked = this.#requests.filter(({ route, by }) => route === 'getGateway' && by === this.#by);
    // In the recording of a service nobody knows who asked.
    const connects = asked.length > 0 ? asked : this.#sockets.flat().filter(({ kind }) => kind === 'connect');
    const closes = this.#sockets.flat().filter(event => event.kind === 'close' && event.code === normalClosure);
    return [
      ...connects.map(({ atMs }) => ({ atMs, what: 'connect' as const })),
      ...closes.map(({ atMs }) => ({ atMs, what: 'disconnect' as const })),
    ].sort((a, b) => a.atMs - b.atMs);
  }

  async #advanceTo(atMs: number): Promise<void> {
    await this.#clock.advance(Math.max(0, atMs - this.#clock.now()));
  }

  #at(atMs: number, run: () => void): () => void {
    return this.#clock.schedule(Math.max(0, atMs - this.#clock.now()), run);
  }

  #answer(url: string, { method, headers, body, signal }: Parameters<Fetch>[1]): Promise<Response> {
    const sent = { ...routeOf(method, url), ...bodyOf(body, headers['content-type']) };
    const request = this.#take(sent);
    if (!request) {
      this.unmatched.push(sent.route ?? `${method} ${new URL(url).pathname}`);
      const message = `The recording has no ${sent.route ?? 'such request'}.`;
      // Not a failure of the connection, which the client would repeat.
      return Promise.resolve(Response.json({ code: 0, message }, { status: 404 }));
    }
    const result = this.#results.get(request.request);
    return new Promise((resolve, reject) => {
      let cancel = () => {};
      signal.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
      // A request that the game gave up, or whose answer came after the end, has no answer here either.
      if (!result || (result.kind === 'failure' && result.code === 'aborted')) return;
      cancel = this.#at(result.atMs, () =>
        result.kind === 'answer' ? resolve(responseOf(result)) : reject(failure(result)),
      );
    });
  }

  /** The first request of that route that was not answered yet, preferably one that is the same altogether. */
  #take({ route, ...sent }: ReturnType<typeof routeOf> & { readonly body?: unknown }): RecordedRequest | undefined {
    const candidates = this.#requests.filter(request => request.route === route);
    const same = candidates.find(one => isDeepStrictEqual([one.params, one.body], [sent.params, sent.body]));
    const request = same ?? candidates[0];
    if (request) this.#requests.splice(this.#requests.indexOf(request), 1);
    return request;
  }

  #open(events: SocketEvents): Socket {
    const recorded = this.#sockets.shift();
    let isOpen = true;
    const closed = (code: number, reason: string) => {
      if (!isOpen) return;
      isOpen = false;
      for (const cancel of cancels) cancel();
      this.#framesLeft -= left;
      left = 0;
      events.closed(code, reason);
    };
    const due = (recorded ?? []).flatMap(event => stepOf(event, events, closed));
    let left = due.length;
    this.#framesLeft += left;
    const cancels = due.map(({ atMs, run }) =>
      this.#at(atMs, () => {
        left--;
        this.#framesLeft--;
        run();
      }),
    );
    if (!recorded) {
      this.unmatched.push('gateway');
      queueMicrotask(() => closed(abnormalClosure, 'the recording has no further connection'));
    }
    return {
      send: text => {
        if (asRecord(parseJson(text))?.op !== opcodes.HEARTBEAT) return;
        queueMicrotask(() => isOpen && events.received(JSON.stringify({ op: opcodes.HEARTBEAT_ACK })));
      },
      close: code => queueMicrotask(() => closed(code ?? normalClosure, '')),
    };
  }
}

const normalClosure = 1000;
const abnormalClosure = 1006;
/** Longer than any pause before a connection is opened anew. */
const latenessMsMax = 60_000;
const latenessStepMs = 1_000;

function connect(client: Client<unknown, unknown>): void {
  if (!client.isAuthenticated) client.updateToken('masked');
  // A failure shows in the status.
  client.connect().catch(() => {});
}

function socketsOf(entries: readonly RecordingEntry[], by: string): RecordedSocketEvent[][] {
  const sockets = new Map<number, RecordedSocketEvent[]>();
  for (const entry of entries) {
    if (!('socket' in entry)) continue;
    if (entry.kind === 'connect' && entry.by === by) sockets.set(entry.socket, []);
    sockets.get(entry.socket)?.push(entry);
  }
  return [...sockets.values()];
}

/** What the client sees of an event. Acknowledgements come when the client's own heartbeats ask for them. */
function stepOf(
  event: RecordedSocketEvent,
  events: SocketEvents,
  closed: (code: number, reason: string) => void,
): { readonly atMs: number; readonly run: () => void }[] {
  const { atMs } = event;
  if (event.kind === 'opened') return [{ atMs, run: () => events.opened() }];
  if (event.kind === 'closed') return [{ atMs, run: () => closed(event.code, event.reason) }];
  if (event.kind !== 'received' || asRecord(event.frame)?.op === opcodes.HEARTBEAT_ACK) return [];
  return [{ atMs, run: () => events.received(JSON.stringify(event.frame)) }];
}

function responseOf({ status, headers, body }: RecordedAnswer): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

/** As the runtime's `fetch` fails. */
function failure({ code }: RecordedFailure): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
