import { writeFile } from 'node:fs/promises';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { Client } from '../../sdk/index.ts';
import { requireType } from '../../wire/arguments.ts';
import {
  type Clock,
  type Fetch,
  type Socket,
  type SocketFactory,
  systemClock,
  systemFetch,
} from '../../wire/clock/ports.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { nodeFetch } from '../node-fetch.ts';
import { RecordedEntries, recordedHeaders } from './recorded-entries.ts';
import { bodyOf, clientState, type Recording, type RecordingEntry, routeOf } from './recording.ts';

/** 16 MiB: some hours of a lively game. */
export const recordingBytesMax = 16 * 1024 * 1024;

/** What {@link record} stands on. Everything has a default. */
export interface RecordOptions {
  /** Default: the runtime's own. */
  readonly fetch?: Fetch | undefined;
  /** Default: the runtime's own `WebSocket`. */
  readonly socket?: SocketFactory | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** About how large the file may become, in bytes; the recording stops there. Default {@link recordingBytesMax}. */
  readonly bytesMax?: number | undefined;
}

/** What can be recorded as a whole: a {@link World}. */
export interface RecordedWorld {
  readonly clock: Clock;
  /** @internal */
  recordBy(recorder: Recorder): void;
}

/** The ports of a client or a backend, recorded. */
export interface RecordedPorts {
  readonly fetch: Fetch;
  readonly socket: SocketFactory;
}

/**
 * Records what clients and backends exchange with the service, over HTTP and the gateway.
 *
 * @param from a world: records every client and backend that it gives out from now on. Or the ports to record: pass
 *   {@link Recorder.ports} to a client or a backend, and the client to {@link Recorder.follow}
 * @example
 * const recorder = record();
 * const client = new Client({ baseUrl: 'http://127.0.0.1:8910', ...recorder.ports('ada') });
 * recorder.follow('ada', client);
 * await recorder.save('bug.jsonl');
 */
export function record(from: RecordedWorld | RecordOptions = {}): Recorder {
  requireType('from', from, 'object');
  const world = 'recordBy' in from ? from : undefined;
  const {
    fetch = world ? nodeFetch : systemFetch,
    socket = runtimeSocket,
    bytesMax = recordingBytesMax,
  } = world ? {} : (from as RecordOptions);
  const recorder = new Recorder({ fetch, socket, clock: from.clock ?? systemClock, bytesMax });
  world?.recordBy(recorder);
  return recorder;
}

/** Traffic in memory, with its secrets until {@link recording} or {@link save} replaces them. */
export class Recorder {
  static {
    recognizeCopies(this, 'Recorder');
  }

  readonly #options: Required<{ readonly [Name in keyof RecordOptions]: NonNullable<RecordOptions[Name]> }>;
  readonly #entries: RecordedEntries;
  readonly #followed = new Map<string, Client<unknown, unknown>>();
  #lastRequest = 0;
  #lastSocket = 0;

  /** @internal */
  constructor(options: Required<{ readonly [Name in keyof RecordOptions]: NonNullable<RecordOptions[Name]> }>) {
    this.#options = options;
    this.#entries = new RecordedEntries(options.bytesMax, options.clock.now());
  }

  /** What a client or a backend is to be created with. @param by its name in the recording */
  ports(by: string): RecordedPorts {
    return {
      fetch: (url, init) => this.#fetch(by, url, init),
      socket: (url, events) => this.#socket(by, url, events),
    };
  }

  /** Adds what the client shows at the end to the recording. @param by as in {@link ports} */
  follow(by: string, client: Client<unknown, unknown>): void {
    requireType('client', client, 'object');
    this.#followed.set(by, client);
  }

  /** What has been recorded so far, without secrets. Take it before the clients are closed: a closed one has no lobbies. */
  recording(): Recording {
    return this.#entries.recording(this.#states());
  }

  /** Writes {@link recording} to a file, which only its owner may read. */
  async save(path: string): Promise<void> {
    requireType('path', path, 'string');
    await writeFile(path, this.recording().toString(), { mode: 0o600 });
  }

  async #fetch(by: string, url: string, init: Parameters<Fetch>[1]): Promise<Response> {
    const request = ++this.#lastRequest;
    const { method, headers, body } = init;
    const { authorization, 'content-type': type } = lowerCased(headers);
    const sent = {
      ...routeOf(method, url),
      ...(authorization !== undefined && { authorization }),
      ...bodyOf(body, type),
    };
    this.#add({ kind: 'request', atMs: this.#nowMs, by, request, ...sent });
    try {
      const answer = await this.#options.fetch(url, init);
      return this.#recorded(request, answer);
    } catch (error) {
      this.#failed(request, init.signal, error);
      throw error;
    }
  }

  /** The same answer, which is recorded once its body has been read. */
  #recorded(request: number, answer: Response): Response {
    const { status, body } = answer;
    const headers = recordedHeaders(Object.fromEntries(answer.headers));
    const add = (text: string) => {
      const content = bodyOf(text, headers['content-type']);
      this.#add({ kind: 'answer', atMs: this.#nowMs, request, status, headers, ...content });
    };
    if (!body) {
      add('');
      return answer;
    }
    const decoder = new TextDecoder();
    let text = '';
    const copy = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        text += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
      flush: () => add(text + decoder.decode()),
    });
    return new Response(body.pipeThrough(copy), { status, headers: answer.headers });
  }

  #failed(request: number, signal: AbortSignal, error: unknown): void {
    const code = signal.aborted ? 'aborted' : systemCode(error);
    this.#add({ kind: 'failure', atMs: this.#nowMs, request, code });
  }

  #socket(by: string, url: string, events: Parameters<SocketFactory>[1]): Socket {
    const socket = ++this.#lastSocket;
    this.#add({ kind: 'connect', atMs: this.#nowMs, socket, by });
    const opened = this.#options.socket(url, {
      opened: () => {
        this.#add({ kind: 'opened', atMs: this.#nowMs, socket });
        events.opened();
      },
      received: text => {
        this.#add({ kind: 'received', atMs: this.#nowMs, socket, frame: frameOf(text) });
        events.received(text);
      },
      closed: (code, reason) => {
        this.#add({ kind: 'closed', atMs: this.#nowMs, socket, code, reason });
        events.closed(code, reason);
      },
    });
    return {
      send: text => {
        this.#add({ kind: 'sent', atMs: this.#nowMs, socket, frame: frameOf(text) });
        opened.send(text);
      },
      close: (code, reason) => {
        this.#add({ kind: 'close', atMs: this.#nowMs, socket, ...(code !== undefined && { code }) });
        opened.close(code, reason);
      },
    };
  }

  #add(entry: RecordingEntry): void {
    this.#entries.add(entry);
  }

  #states(): RecordingEntry[] {
    return [...this.#followed].map(([by, client]) => ({
      kind: 'state',
      atMs: this.#nowMs,
      by,
      state: clientState(client),
    }));
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }
}

const runtimeSocket: SocketFactory = (url, events) => {
  const socket = new WebSocket(url);
  socket.addEventListener('open', () => events.opened());
  socket.addEventListener('message', ({ data }) => events.received(String(data)));
  socket.addEventListener('close', ({ code, reason }) => events.closed(code, reason));
  return {
    send: text => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: (code, reason) => socket.close(code, reason),
  };
};

/** The parts of a frame; nothing of one that is not a frame. */
function frameOf(text: string): unknown {
  const { op, d, s, t } = asRecord(parseJson(text)) ?? {};
  return { op, d, s, t };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
