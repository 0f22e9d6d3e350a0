import { isSnowflake } from '../../../model/snowflake.ts';
import type { ActAs, CallAnswer, CallBody } from '../../../wire/control/act.ts';
import type { ReplayedRequest, TrafficReplay } from '../../../wire/control/traffic.ts';
import { asRecord, parseJson } from '../../../wire/http/codec.ts';
import { type Route, type RouteName, routes } from '../../../wire/routes.ts';
import { placeholder } from '../../../wire/secret-mask.ts';
import type { Core } from '../../core.ts';
import { ControlRefusal } from '../request.ts';
import { eachWithPauses } from './query.ts';
import { recordingVersion } from './recording.ts';

export interface ReplayOptions {
  readonly requests: 'writes' | 'all';
  /** Whose game the players of the recording use. */
  readonly applicationId: string | undefined;
}

interface Recorded {
  readonly request: number;
  readonly route: RouteName;
  readonly by: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const requestsMax = 1000;

/** Carries out the requests of a recording again, in their order. Ids that answers gave are replaced by those that they give now. */
export async function replay(
  core: Core,
  act: (body: CallBody) => Promise<CallAnswer>,
  text: string,
  { requests: which, applicationId }: ReplayOptions,
): Promise<TrafficReplay> {
  const { requests, answers } = await readRecording(text);
  const wanted = requests.filter(({ route }) => which === 'all' || routes[route].method !== 'GET');
  const ids = new Map<string, string>();
  const replayed: ReplayedRequest[] = [];
  let skipped = requests.length - wanted.length;
  for (const recorded of wanted.slice(0, requestsMax)) {
    const as = await actorOf(core, recorded.by, applicationId);
    if (!as || isMasked(recorded)) {
      skipped++;
      continue;
    }
    const answer = await act(callOf(as, recorded, ids));
    const before = answers.get(recorded.request);
    const learned = newIds(before?.body, answer.body);
    for (const [known, now] of Object.entries(learned)) ids.set(known, now);
    replayed.push({
      ...{ route: recorded.route, by: recorded.by, recorded_status: before?.status ?? null, status: answer.status },
      ...{ ids: learned, traffic_id: answer.traffic_id },
    });
  }
  return { requests: replayed, skipped: skipped + Math.max(0, wanted.length - requestsMax) };
}

/** @throws ControlRefusal */
async function readRecording(text: string) {
  const [head = '', ...lines] = text.split('\n').filter(line => line.trim() !== '');
  const header = asRecord(parseJson(head));
  if (header?.kind !== 'recording' || header.version !== recordingVersion) {
    throw new ControlRefusal(400, `"recording" must be the content of a recording of version ${recordingVersion}.`);
  }
  const requests: Recorded[] = [];
  const answers = new Map<number, { readonly status: number; readonly body: unknown }>();
  await eachWithPauses(lines, text => {
    const line = asRecord(parseJson(text));
    if (line?.kind === 'answer') answers.set(Number(line.request), { status: Number(line.status), body: line.body });
    const isRequest = line?.kind === 'request' && typeof line.route === 'string' && Object.hasOwn(routes, line.route);
    if (isRequest) requests.push(line as unknown as Recorded);
  });
  return { requests, answers };
}

/** Whether a secret was replaced in what would be sent. */
function isMasked({ params, query, body }: Recorded): boolean {
  return placeholder.test(JSON.stringify([params, query, body]));
}

/** Who acts, by the name in the recording; undefined when there is nobody like that. */
async function actorOf({ store }: Core, by: string, applicationId: string | undefined): Promise<ActAs | undefined> {
  const [, kind, ownId] = /^(bot|application) (\d+)$/.exec(by) ?? [];
  if (kind !== undefined && ownId !== undefined) {
    const isKnown = (await store.get('applications', ownId)) !== undefined;
    return isKnown ? { kind: kind as 'bot' | 'application', application_id: ownId } : undefined;
  }
  const username = by.replace(/ \(chat client\)$/, '');
  const [user] = await store.list('users', { index: 'byUsername', equals: [username], limit: 1 });
  if (!user) return undefined;
  if (username !== by) return { kind: 'session', user_id: user.id };
  const [first] =
    applicationId === undefined ? await store.list('applications', { limit: 1 }) : [{ id: applicationId }];
  return first && { kind: 'user', application_id: first.id, user_id: user.id };
}

function callOf(as: ActAs, { route, params, query, body }: Recorded, ids: ReadonlyMap<string, string>): CallBody {
  const { method, path }: Route = routes[route];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    return encodeURIComponent(ids.get(value) ?? value);
  });
  const search = new URLSearchParams(query).toString();
  return {
    as,
    method: method as CallBody['method'],
    path: search === '' ? filled : `${filled}?${search}`,
    ...(body !== undefined && { body: withIds(body, ids) }),
  };
}

function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map(item => withIds(item, ids));
  const record = asRecord(value);
  return record ? Object.fromEntries(Object.entries(record).map(([name, part]) => [name, withIds(part, ids)])) : value;
}

/** Ids that stand in the same places of two answers and differ. */
function newIds(before: unknown, now: unknown, found: Record<string, string> = {}): Record<string, string> {
  if (typeof before === 'string' && typeof now === 'string') {
    if (before !== now && isSnowflake(before) && isSnowflake(now)) found[before] = now;
  } else if (Array.isArray(before) && Array.isArray(now)) {
    for (const [at, item] of before.entries()) newIds(item, now[at], found);
  } else {
    const known = asRecord(before);
    const present = asRecord(now);
    if (known && present) for (const [name, value] of Object.entries(known)) newIds(value, present[name], found);
  }
  return found;
}
