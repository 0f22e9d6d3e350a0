import { writeFile } from 'node:fs/promises';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { ObservedConnection, ObservedRequest, TrafficCaller, TrafficObserver } from '../../service/index.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { parseJson } from '../../wire/http/codec.ts';
import { type RecordOptions, recordingBytesMax } from './record.ts';
import { RecordedEntries, recordedHeaders } from './recorded-entries.ts';
import { anonymous, type RecordedRequest, type Recording, type RecordingEntry } from './recording.ts';

/**
 * Records everything that a service exchanges with anybody: games, their servers, chat clients, tools, in whichever process and language.
 * The names in the recording are usernames for games, `ada (chat client)` for a user's own client, `bot 1` and `application 1` with
 * the application's id, and `anonymous` for what carries no credential.
 *
 * @example
 * const recorder = recordService();
 * const service = await startService({ traffic: recorder.traffic });
 * await service.close();
 * await recorder.save('session.jsonl');
 */
export function recordService(options?: Pick<RecordOptions, 'bytesMax'>): ServiceRecorder {
  const { bytesMax = recordingBytesMax } = parseOptions(options);
  return new ServiceRecorder(bytesMax);
}

/** The traffic of a service in memory, with its secrets until {@link recording} or {@link save} replaces them. */
export class ServiceRecorder {
  static {
    recognizeCopies(this, 'ServiceRecorder');
  }

  /** The option of `startService()`. */
  readonly traffic: TrafficObserver = {
    request: request => this.#onRequest(request),
    connection: event => this.#onConnection(event),
  };
  readonly #entries: RecordedEntries;
  readonly #connects = new Map<number, { by: string }>();
  #lastRequest = 0;

  /** @internal */
  constructor(bytesMax: number) {
    this.#entries = new RecordedEntries(bytesMax);
  }

  /** What has been recorded so far, without secrets. */
  recording(): Recording {
    return this.#entries.recording();
  }

  /** Writes {@link recording} to a file, which only its owner may read. */
  async save(path: string): Promise<void> {
    requireType('path', path, 'string');
    await writeFile(path, this.recording().toString(), { mode: 0o600 });
  }

  #onRequest(observed: ObservedRequest): void {
    const request = ++this.#lastRequest;
    const { route, params, authorization, status, headers, answer } = observed;
    const by = nameOf(observed.caller);
    const query = Object.entries(observed.query).flatMap(([name, value]) => {
      const text = typeof value === 'object' ? value[0] : value;
      return text === undefined ? [] : [[name, text] as const];
    });
    this.#entries.add({
      ...{ kind: 'request', atMs: observed.receivedAtMs, by, request, route, params, query: Object.fromEntries(query) },
      ...(authorization !== undefined && { authorization }),
      ...contentOf(observed),
    });
    const body = answer === undefined ? undefined : parseJson(answer);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    this.#entries.add({
      ...{ kind: 'answer', atMs: observed.answeredAtMs, request, status },
      headers: { ...recordedHeaders(headers), ...type },
      ...(body !== undefined && { body }),
    });
  }

  #onConnection(event: ObservedConnection): void {
    const { connection: socket, atMs } = event;
    switch (event.kind) {
      case 'opened': {
        // Who it is becomes known when it identifies.
        const connect = { kind: 'connect', atMs, socket, by: anonymous } as const satisfies RecordingEntry;
        this.#connects.set(socket, connect);
        this.#entries.add(connect);
        this.#entries.add({ kind: 'opened', atMs, socket });
        return;
      }
      case 'identified': {
        const connect = this.#connects.get(socket);
        if (connect) connect.by = nameOf(event.caller);
        return;
      }
      case 'received':
      case 'sent': {
        // The recording has the view of the client.
        const kind = event.kind === 'received' ? 'sent' : 'received';
        this.#entries.add({ kind, atMs, socket, frame: event.frame });
        return;
      }
      case 'closed': {
        const { code } = event;
        this.#connects.delete(socket);
        if (event.byPeer) this.#entries.add({ kind: 'close', atMs, socket, code });
        this.#entries.add({ kind: 'closed', atMs, socket, code, reason: '' });
      }
    }
  }
}

function nameOf(caller: TrafficCaller | undefined): string {
  if (!caller) return anonymous;
  const { kind, applicationId, userId, username = userId } = caller;
  if (kind === 'user') return `${username}`;
  return kind === 'session' ? `${username} (chat client)` : `${kind} ${applicationId}`;
}

/** Files are left out. */
function contentOf({ body, contentType = '' }: ObservedRequest): Pick<RecordedRequest, 'body' | 'form'> {
  if (body === undefined) return {};
  if (contentType.includes('x-www-form-urlencoded')) return { form: body as Readonly<Record<string, string>> };
  return contentType.includes('json') ? { body } : {};
}
