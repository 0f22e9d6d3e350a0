import { isSnowflake, snowflakeTimeMs } from '../../model/snowflake.ts';
import { apiUrl, resolveBaseUrl } from '../../wire/addresses.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { asRecord, encodeForm, parseJson } from '../../wire/http/codec.ts';
import { type RouteName, routePath, routes } from '../../wire/routes.ts';
import { placeholder } from '../../wire/secret-mask.ts';
import { nodeFetch } from '../node-fetch.ts';
import { type RecordedAnswer, type RecordedRequest, type Recording, requireRecording } from './recording.ts';

/** How {@link replayAgainstService} sends. */
export interface ReplayOptions {
  /** The Authorization header of everybody's requests, by their names in the recording: `{ ada: 'Bearer …', bot: 'Bot …' }`. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Lets time pass between the requests as it passed in the recording, for example `ms => world.advance(ms)`. Default: none passes. */
  readonly advance?: (ms: number) => Promise<unknown>;
}

/** A request that was answered otherwise than in the recording. */
export interface ReplayDifference {
  readonly request: number;
  readonly route: RouteName;
  /** Where in the answer: `status`, `body.metadata.map`. */
  readonly path: string;
  /** Undefined: it was not there. */
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** A request that was not sent. */
export interface ReplaySkip {
  readonly request: number;
  readonly route: RouteName | null;
  readonly reason: string;
}

/** What came of a replay. */
export interface ReplayReport {
  /** How many requests were sent. */
  readonly sent: number;
  readonly differences: readonly ReplayDifference[];
  readonly skipped: readonly ReplaySkip[];
}

/**
 * Sends the requests of a recording to a service, one after another in their order, and compares the answers.
 *
 * Ids that the service made during the recording, and secrets in answers, are others in a replay: later requests are sent
 * with the new ones. Times, and the hosts of addresses, are not compared. Signing in is skipped, because the player's consent is not in the recording, and
 * so is what needs a secret that arrived over the gateway, for example an interaction's token.
 *
 * @param baseUrl of a service with the fixtures that the recording began with
 * @throws ArgumentError `invalid_base_url`, `insecure_address`; what `fetch` throws
 * @example
 * const world = await createWorld();
 * const recorder = record(world);
 * await world.backend.lobbies.create();
 * await world.reset();
 * const credentials = { bot: `Bot ${world.botToken}` };
 * const { differences } = await replayAgainstService(recorder.recording(), world.baseUrl, { credentials });
 */
export async function replayAgainstService(
  recording: Recording,
  baseUrl: string,
  options?: ReplayOptions,
): Promise<ReplayReport> {
  const { credentials = {}, advance } = parseOptions(options);
  requireRecording(recording);
  const api = apiUrl(resolveBaseUrl(baseUrl));
  const answers = new Map(recording.entries.filter(entry => entry.kind === 'answer').map(one => [one.request, one]));
  const comparison = new Comparison(recording.header.atMs);
  const skipped: ReplaySkip[] = [];
  const differences: ReplayDifference[] = [];
  let sent = 0;
  let nowMs = recording.header.atMs;
  for (const request of recording.entries.filter(entry => entry.kind === 'request')) {
    const answer = answers.get(request.request);
    const reason = answer ? comparison.reasonToSkip(request, credentials) : 'it was not answered in the recording';
    const { route } = request;
    if (reason !== undefined || !answer || route === null) {
      skipped.push({ request: request.request, route, reason: reason ?? '' });
      continue;
    }
    if (advance && request.atMs > nowMs) await advance(request.atMs - nowMs);
    nowMs = Math.max(nowMs, request.atMs);
    const replayed = await send(api, comparison.translated(request), credentials[request.by]);
    sent++;
    for (const difference of comparison.compare(answer, replayed)) {
      differences.push({ request: request.request, route, ...difference });
    }
  }
  return { sent, differences, skipped };
}

type Answer = Pick<RecordedAnswer, 'status' | 'body'>;
type Difference = Pick<ReplayDifference, 'path' | 'recorded' | 'replayed'>;

const signIn: ReadonlySet<string> = new Set(['createToken', 'startDevice']);

/** What stands in the replay for an id or a placeholder of the recording. */
class Comparison {
  readonly #startMs: number;
  readonly #replayed = new Map<string, string>();

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Why a request cannot be sent; undefined where it can. */
  reasonToSkip(
    { route, params, authorization, by }: RecordedRequest,
    credentials: Readonly<Record<string, string>>,
  ): string | undefined {
    if (route === null) return 'it is no route of the API';
    if (signIn.has(route)) return 'signing in is not replayed';
    if (authorization !== undefined && credentials[by] === undefined) return `credentials has nothing for ${by}`;
    const isUnknown = Object.values(params).some(value => placeholder.test(value) && !this.#replayed.has(value));
    return isUnknown ? 'it needs a secret that no replayed answer contained' : undefined;
  }

  /** The request with the ids and secrets of the replay. */
  translated(request: RecordedRequest): RecordedRequest {
    return this.#translate(request) as RecordedRequest;
  }

  compare(recorded: Answer, replayed: Answer): Difference[] {
    return [
      ...this.#compare('status', recorded.status, replayed.status),
      ...this.#compare('body', recorded.body, replayed.body),
    ];
  }

  #translate(value: unknown): unknown {
    if (typeof value === 'string') return this.#replayed.get(value) ?? value;
    if (Array.isArray(value)) return value.map(item => this.#translate(item));
    const fields = asRecord(value);
    if (!fields) return value;
    return Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, this.#translate(item)]));
  }

  #compare(path: string, recorded: unknown, replayed: unknown): Difference[] {
    if (Array.isArray(recorded) && Array.isArray(replayed)) {
      const length = Math.max(recorded.length, replayed.length);
      return Array.from({ length }, (_, at) => this.#compare(`${path}.${at}`, recorded[at], replayed[at])).flat();
    }
    const [before, after] = [asRecord(recorded), asRecord(replayed)];
    if (before && after) {
      const names = new Set([...Object.keys(before), ...Object.keys(after)]);
      return [...names].flatMap(name => this.#compare(`${path}.${name}`, before[name], after[name]));
    }
    return this.#isSame(recorded, replayed) ? [] : [{ path, recorded, replayed }];
  }

  #isSame(recorded: unknown, replayed: unknown): boolean {
    if (typeof recorded !== 'string' || typeof replayed !== 'string') return recorded === replayed;
    const known = this.#replayed.get(recorded);
    if (known !== undefined) return known === replayed;
    if (recorded === replayed) return true;
    if (isTime(recorded) && isTime(replayed)) return true;
    if (isAddress(recorded) && isAddress(replayed)) return pathOf(recorded) === pathOf(replayed);
    const isSecret = placeholder.test(recorded);
    if (!isSecret && !(this.#isNew(recorded) && isSnowflake(replayed))) return false;
    this.#replayed.set(recorded, replayed);
    return true;
  }

  /** An id that was made during the recording. */
  #isNew(id: string): boolean {
    return isSnowflake(id) && snowflakeTimeMs(id) >= this.#startMs;
  }
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text);
}

function isAddress(text: string): boolean {
  return /^(https?|wss?):/.test(text) && URL.canParse(text);
}

/** An address without the part that is the service's own. */
function pathOf(address: string): string {
  const { pathname, search, hash } = new URL(address);
  return pathname + search + hash;
}

async function send(api: string, request: RecordedRequest, authorization: string | undefined): Promise<Answer> {
  const { route, params, query, body, form } = request;
  const name = route as RouteName;
  const search = Object.keys(query).length === 0 ? '' : `?${encodeForm(query)}`;
  const text = form ? encodeForm(form) : body === undefined ? undefined : JSON.stringify(body);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const answer = await nodeFetch(`${api}${routePath(name, params as never)}${search}`, {
    method: routes[name].method,
    headers: {
      ...(request.authorization !== undefined && authorization !== undefined && { authorization }),
      ...(text !== undefined && { 'content-type': type }),
    },
    ...(text !== undefined && { body: text }),
  });
  const replayed = parseJson(await answer.text());
  return { status: answer.status, ...(replayed !== undefined && { body: replayed }) };
}
