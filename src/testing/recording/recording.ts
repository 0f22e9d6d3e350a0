import { ArgumentError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { Client, LobbyMessages, LobbyState } from '../../sdk/index.ts';
import { requireList, requireType } from '../../wire/arguments.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { apiVersion, type Route, type RouteName, routes } from '../../wire/routes.ts';

/** The version of the file's format. A file of another version is rejected. */
export const recordingVersion = 1;

/** Whose requests carry no credential, in the recording of a service. */
export const anonymous = 'anonymous';

/** What a client shows at some time; see {@link clientState}. */
export interface ClientState {
  readonly status: string;
  readonly userId?: string;
  readonly lobbies: LobbyState;
  /** Of each lobby, by its id. */
  readonly messages: Readonly<Record<string, LobbyMessages>>;
}

/** The first line of the file. */
export interface RecordingHeader {
  readonly kind: 'recording';
  readonly version: typeof recordingVersion;
  /** When the recording began, in milliseconds since the Unix epoch, as all times here. */
  readonly atMs: number;
  /** The bound of the size was reached: what came later is missing. */
  readonly truncated: boolean;
}

export interface RecordedRequest {
  readonly kind: 'request';
  readonly atMs: number;
  /** Who sent it: a name given to {@link Recorder.ports}. */
  readonly by: string;
  /** Tells requests apart; the answer has the same. */
  readonly request: number;
  /** By its name in the route table; null for anything else. */
  readonly route: RouteName | null;
  /** What fills the path of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** `Bearer masked-1`. */
  readonly authorization?: string;
  /** A body in JSON. */
  readonly body?: unknown;
  /** A body that is a form. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface RecordedAnswer {
  readonly kind: 'answer';
  readonly atMs: number;
  readonly request: number;
  readonly status: number;
  /** The content type, and what the headers say about rate limits; no other header is recorded. */
  readonly headers: Readonly<Record<string, string>>;
  /** A body in JSON; other bodies are left out. */
  readonly body?: unknown;
}

/** A request that was not answered. */
export interface RecordedFailure {
  readonly kind: 'failure';
  readonly atMs: number;
  readonly request: number;
  /** The system's code, for example `ECONNRESET`; `aborted` when the game gave up. */
  readonly code: string;
}

/** What happened to a gateway connection. `connect` and `close` come from the game, `opened` and `closed` tell it the result. */
export type RecordedSocketEvent = { readonly atMs: number; readonly socket: number } & (
  | { readonly kind: 'connect'; readonly by: string }
  | { readonly kind: 'opened' }
  | { readonly kind: 'sent' | 'received'; readonly frame: unknown }
  | { readonly kind: 'close'; readonly code?: number }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
);

/** What a client showed when the recording ended. */
export interface RecordedState {
  readonly kind: 'state';
  readonly atMs: number;
  readonly by: string;
  readonly state: ClientState;
}

export type RecordingEntry = RecordedRequest | RecordedAnswer | RecordedFailure | RecordedSocketEvent | RecordedState;

/** Traffic without secrets. As text it is a file of JSON lines. */
export class Recording {
  static {
    recognizeCopies(this, 'Recording');
  }

  readonly header: RecordingHeader;
  readonly entries: readonly RecordingEntry[];

  /** @internal */
  constructor(header: RecordingHeader, entries: readonly RecordingEntry[]) {
    this.header = header;
    this.entries = entries;
  }

  /** Everybody whose traffic was recorded. */
  get names(): readonly string[] {
    return [...new Set(this.entries.flatMap(entry => ('by' in entry ? [entry.by] : [])))];
  }

  /** What a client showed when the recording ended; undefined for a name whose client was not followed. */
  state(by: string): ClientState | undefined {
    return this.entries.find((entry): entry is RecordedState => entry.kind === 'state' && entry.by === by)?.state;
  }

  /** The content of the file. */
  toString(): string {
    return [this.header, ...this.entries].map(line => `${JSON.stringify(line)}\n`).join('');
  }
}

/** @throws ArgumentError `invalid_argument` */
export function requireRecording(value: Recording): void {
  requireList('recording.entries', Object(value).entries);
}

/**
 * Reads the content of a file.
 *
 * @throws ArgumentError `invalid_recording`, `invalid_argument`
 */
export function readRecording(text: string): Recording {
  requireType('text', text, 'string');
  const [header, ...entries] = text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map((line, at) => readLine(line, at + 1));
  if (header?.kind !== 'recording') throw invalid('the first line does not begin a recording');
  if (header.version !== recordingVersion) {
    throw invalid(`it has version ${header.version}, and this package reads version ${recordingVersion}`);
  }
  return new Recording(header as unknown as RecordingHeader, entries as unknown as RecordingEntry[]);
}

function readLine(line: string, number: number): Readonly<Record<string, unknown>> {
  const entry = asRecord(parseJson(line));
  if (typeof entry?.kind !== 'string') throw invalid(`line ${number} is not an object in JSON with a kind`);
  if (typeof entry.atMs !== 'number') throw invalid(`line ${number} has no time (atMs)`);
  return entry;
}

function invalid(why: string): ArgumentError {
  return new ArgumentError('invalid_recording', `This is not a recording: ${why}.`);
}

/** What a client shows now, for comparison with {@link Recording.state}. */
export function clientState(client: Pick<Client, 'status' | 'lobbies$' | 'lobbyMessages'>): ClientState {
  requireType('client.status', Object(client).status, 'object');
  const { status, userId } = client.status;
  let lobbies: LobbyState = [];
  const now = client.lobbies$.subscribe(present => {
    lobbies = present;
  });
  now.unsubscribe();
  const messages = Object.fromEntries(lobbies.map(({ id }) => [id, client.lobbyMessages(id)]));
  const state = { status, ...(userId !== undefined && { userId }), lobbies, messages };
  // As it is in the file: without fields that are undefined.
  return JSON.parse(JSON.stringify(state)) as ClientState;
}

const apiPath = `/api/v${apiVersion}`;
const patterns = (Object.entries(routes) as [RouteName, Route][]).map(([name, { method, path, text = [] }]) => {
  const source = path.replaceAll(/\{(\w+)\}/g, (_, parameter) =>
    text.includes(parameter) ? `(?<${parameter}>[^/]+)` : `(?<${parameter}>\\d+)`,
  );
  return { name, method, pattern: new RegExp(`^${source}$`) };
});

/** Finds the route of a request. */
export function routeOf(method: string, url: string): Pick<RecordedRequest, 'route' | 'params' | 'query'> {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.slice(pathname.indexOf(apiPath) + apiPath.length);
  const query = Object.fromEntries(searchParams);
  for (const { name, method: own, pattern } of patterns) {
    const found = own === method && pathname.includes(apiPath) ? pattern.exec(path) : null;
    if (!found) continue;
    const params = Object.entries(found.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]);
    return { route: name, params: Object.fromEntries(params), query };
  }
  return { route: null, params: {}, query };
}

/** What a body says, by its content type; nothing where it is neither JSON nor a form. */
export function bodyOf(text: string | ArrayBuffer | undefined, type = ''): Pick<RecordedRequest, 'body' | 'form'> {
  // Files are left out.
  if (typeof text !== 'string' || text === '') return {};
  if (type.includes('x-www-form-urlencoded')) return { form: Object.fromEntries(new URLSearchParams(text)) };
  const body = type.includes('json') ? parseJson(text) : undefined;
  return body === undefined ? {} : { body };
}
