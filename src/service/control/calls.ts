import { formatIssues, type Issue } from '../../model/errors/issue.ts';
import { isSnowflake, snowflakeTimeMsMax, type UserId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Core } from '../core.ts';
import type { StoreContent } from '../store/contract.ts';
import { withOpenKeys, withSealedKeys } from '../store/protected-keys.ts';
import { type Check, check, id, nullable, object, oneOf, text, whole } from '../support/document-check.ts';
import { hashSecret } from '../support/secret.ts';
import type { FaultInjector } from '../testing/faults/faults.ts';
import type { FixtureLoader } from '../testing/fixtures/fixtures.ts';
import { createSessionToken } from '../testing/fixtures/secrets.ts';
import { checkSnapshot, type Snapshot, snapshotVersion } from './snapshot.ts';

/** What the control API needs. */
export interface ControlDeps {
  readonly core: Core;
  /** The bearer token of all calls. */
  readonly controlToken: string;
  /** Advances a virtual clock; absent on the system clock. */
  readonly advance?: (ms: number) => Promise<number>;
  readonly fixtures: FixtureLoader;
  readonly faults: FaultInjector;
  /** What the consent page does with a user's decision. */
  readonly decide: (decision: ConsentDecision) => Promise<{ readonly redirectTo: string }>;
  /** What the device page does with a user's decision. */
  readonly decideDevice: (decision: DeviceConsentDecision) => Promise<void>;
  /** Revokes every token of the user, and closes the gateway sessions that were opened with one. */
  readonly endUserTokens: (userId: UserId) => Promise<void>;
  /** Called after the whole state was replaced: closes gateway sessions and restarts the sweeps, on every node. */
  readonly stateReplaced: () => void | Promise<void>;
}

export interface DeviceConsentDecision {
  /** The code that the device shows. */
  readonly userCode: string;
  readonly userId: string;
  readonly decision: 'approve' | 'deny';
}

export interface ConsentDecision {
  readonly authorizeUrl: string;
  readonly userId: string;
  readonly decision: 'approve' | 'deny';
  readonly guildId?: string | null;
}

/** Thrown to reject a control call; the message says what to do. */
export class ControlRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlRefusal';
    this.status = status;
  }
}

export interface ControlRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
}

export interface ControlCall {
  /** Method and path below `/control`: `POST /users/{id}/session`. */
  readonly name: string;
  readonly bodyBytesMax: number;
  /** @returns what is answered as JSON; undefined for 204 */
  run(request: ControlRequest): Promise<unknown>;
}

const bodyBytesMax = 64 * 1024;
const fixturesBytesMax = 64 * 1024 * 1024;
const snapshotBytesMax = 256 * 1024 * 1024;

/** Every control call, once. */
export function controlCalls(deps: ControlDeps): readonly ControlCall[] {
  const { core } = deps;
  const alone = oneAtATime();
  return [
    call('POST /fixtures', ({ body }) => deps.fixtures.apply(body), fixturesBytesMax),
    call('POST /reset', () => alone(() => reset(deps))),
    call('GET /clock', async () => ({ now_ms: core.clock.now() })),
    call('POST /clock', ({ body }) => advanceClock(deps, body)),
    call('GET /users', ({ query }) => listUsers(core, query)),
    call('GET /lobbies', ({ query }) => listLobbies(core, query)),
    call('GET /guilds', ({ query }) => listGuilds(core, query)),
    call('POST /users/{id}/session', ({ params }) => openSession(core, params.id ?? '')),
    call('DELETE /users/{id}/tokens', ({ params }) => endTokens(deps, params.id ?? '')),
    call('POST /consent', ({ body }) => consent(deps, body)),
    call('GET /log', async ({ query }) => core.journal.read(readAfter(query.after))),
    call('GET /faults', async () => ({ faults: deps.faults.armed })),
    call('POST /faults', ({ body }) => changeFaults(deps, faults => ({ faults: faults.add(body) }))),
    call('DELETE /faults', () => changeFaults(deps, faults => faults.clear())),
    call('GET /snapshot', () => takeSnapshot(core)),
    call('PUT /snapshot', ({ body }) => alone(() => putSnapshot(deps, body)), snapshotBytesMax),
  ];
}

function call(name: string, run: ControlCall['run'], bytesMax = bodyBytesMax): ControlCall {
  return { name, run, bodyBytesMax: bytesMax };
}

/** Runs replacements of the state one after another, each until everything has been notified. */
function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

async function changeFaults<T>({ faults }: ControlDeps, change: (faults: FaultInjector) => T): Promise<T> {
  const changed = change(faults);
  await faults.spread();
  return changed;
}

async function reset({ fixtures, faults, stateReplaced }: ControlDeps): Promise<undefined> {
  faults.clear();
  await fixtures.reset();
  await stateReplaced();
}

const advanceBody = object({ advance_ms: whole(0, Number.MAX_SAFE_INTEGER) }, ['advance_ms']);

async function advanceClock({ core, advance }: ControlDeps, body: unknown): Promise<{ now_ms: number }> {
  const { advance_ms } = read<{ advance_ms: number }>(body, advanceBody);
  if (!advance) {
    throw new ControlRefusal(409, 'This service runs on the system clock; start it with --virtual-clock to move time.');
  }
  if (core.clock.now() + advance_ms > snowflakeTimeMsMax) {
    const last = new Date(snowflakeTimeMsMax).toISOString();
    throw new ControlRefusal(400, `No id can be dated after ${last}; advance by less.`);
  }
  return { now_ms: await advance(advance_ms) };
}

async function endTokens({ core, endUserTokens }: ControlDeps, userId: UserId): Promise<undefined> {
  requireUserId(userId);
  if (!(await core.store.get('users', userId))) throw unknownUser(userId);
  await endUserTokens(userId);
}

const pageDefault = 100;
const pageMax = 1000;

interface Page {
  readonly limit: number;
  /** The last id of the page before. */
  readonly after?: string;
}

function readPage({ limit = String(pageDefault), after }: ControlRequest['query']): Page {
  const number = typeof limit === 'string' && /^[0-9]{1,4}$/.test(limit) ? Number(limit) : 0;
  if (number < 1 || number > pageMax) throw new ControlRefusal(400, `"limit" must be a number from 1 to ${pageMax}.`);
  if (after === undefined) return { limit: number };
  if (typeof after === 'string' && isSnowflake(after)) return { limit: number, after };
  throw new ControlRefusal(400, '"after" must be the "next" of an earlier answer.');
}

/** A page of records in the order of their ids as text, and the id to continue after; null at the end. */
async function pageOf<Name extends 'users' | 'lobbies' | 'guilds'>(
  { store }: Core,
  name: Name,
  { limit, after }: Page,
) {
  // The bound itself is in the list, and one more shows whether there is another page.
  const found = await store.list(name, { limit: limit + 2, ...(after !== undefined && { from: after }) });
  const records = found.filter(({ id }) => id !== after);
  const page = records.slice(0, limit);
  return { page, next: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}

async function listUsers(core: Core, { username, ...query }: ControlRequest['query']): Promise<unknown> {
  const isNamed = typeof username === 'string';
  const { page, next } = isNamed
    ? { page: await core.store.list('users', { index: 'byUsername', equals: [username] }), next: null }
    : await pageOf(core, 'users', readPage(query));
  const users = page.map(({ id, username, global_name, banned, provisional_of }) => {
    return { id, username, global_name, banned, provisional_of };
  });
  return { users, next };
}

async function listLobbies(core: Core, query: ControlRequest['query']): Promise<unknown> {
  const { page, next } = await pageOf(core, 'lobbies', readPage(query));
  const lobbies = page.map(({ id, application_id, metadata, flags, member_count, expires_at_ms }) => {
    return { id, application_id, metadata, flags, member_count, expires_at_ms };
  });
  return { lobbies, next };
}

async function listGuilds(core: Core, query: ControlRequest['query']): Promise<unknown> {
  const { page, next } = await pageOf(core, 'guilds', readPage(query));
  const guilds = page.map(({ id, name, owner_id, applications, channels }) => {
    return { id, name, owner_id, applications, channels: channels.map(({ id, type, name }) => ({ id, type, name })) };
  });
  return { guilds, next };
}

function requireUserId(userId: string): void {
  if (!isSnowflake(userId)) throw new ControlRefusal(400, 'The id in the path must be a user id: decimal text.');
}

function unknownUser(userId: UserId): ControlRefusal {
  return new ControlRefusal(404, `There is no user ${userId}; add it by POST /control/fixtures.`);
}

async function openSession({ store, entropy }: Core, userId: UserId): Promise<{ token: string }> {
  requireUserId(userId);
  const token = createSessionToken(entropy);
  await store.transact(`user/${userId}`, async transaction => {
    if (!(await transaction.get('users', userId))) throw unknownUser(userId);
    transaction.put('tokens', {
      hash: hashSecret(token),
      kind: 'session',
      authorization_id: null,
      grant_id: null,
      application_id: null,
      user_id: userId,
      scopes: [],
      expires_at_ms: null,
    });
  });
  return { token };
}

const addressLengthMax = 8192;
const userCodeLengthMax = 32;
const answer = { user_id: id, decision: oneOf(['approve', 'deny']) };
const consentBody = object({ ...answer, authorize_url: text(1, addressLengthMax), guild_id: nullable(id) }, [
  'authorize_url',
  ...Object.keys(answer),
]);
const deviceConsentBody = object({ ...answer, user_code: text(1, userCodeLengthMax) }, Object.keys(answer));

interface ConsentBody {
  readonly authorize_url: string;
  readonly user_id: string;
  readonly decision: ConsentDecision['decision'];
  readonly guild_id?: string | null;
}

interface DeviceConsentBody {
  readonly user_code: string;
  readonly user_id: string;
  readonly decision: ConsentDecision['decision'];
}

/** A user's decision about an application, in the browser or for a device. */
async function consent(
  { decide, decideDevice }: ControlDeps,
  body: unknown,
): Promise<{ redirect_to: string } | undefined> {
  if (asRecord(body)?.user_code !== undefined) {
    const { user_code, user_id, decision } = read<DeviceConsentBody>(body, deviceConsentBody);
    await decideDevice({ userCode: user_code, userId: user_id, decision });
    return undefined;
  }
  const { authorize_url, user_id, decision, guild_id } = read<ConsentBody>(body, consentBody);
  const { redirectTo } = await decide({
    authorizeUrl: authorize_url,
    userId: user_id,
    decision,
    ...(guild_id !== undefined && { guildId: guild_id }),
  });
  return { redirect_to: redirectTo };
}

function readAfter(after: unknown): number {
  if (after === undefined) return 0;
  const number = typeof after === 'string' && /^[0-9]{1,15}$/.test(after) ? Number(after) : undefined;
  if (number === undefined) throw new ControlRefusal(400, '"after" must be the "next" of an earlier answer, or 0.');
  return number;
}

async function takeSnapshot({ store, clock, vault }: Core): Promise<Snapshot> {
  const content = withOpenKeys(await store.dump(), vault);
  return { version: snapshotVersion, at_ms: clock.now(), content };
}

async function putSnapshot({ core, advance, stateReplaced }: ControlDeps, body: unknown): Promise<undefined> {
  refuse('snapshot', checkSnapshot(body));
  const { at_ms, content } = body as Snapshot;
  // Time is part of the state: a clock before the time of the snapshot would issue its ids again.
  if (advance && at_ms > core.clock.now()) await advance(at_ms - core.clock.now());
  const loaded = core.cluster ? withoutSessions(content) : withoutPresences(content);
  await core.store.load(withSealedKeys(loaded, core.vault));
  await stateReplaced();
}

/** On a cluster sessions belong to nodes, which those of a snapshot do not. */
function withoutSessions(content: StoreContent): StoreContent {
  return { ...withoutPresences(content), gateway_sessions: [], gateway_events: [], presences: [] };
}

/** All sessions end when the state is replaced, so nobody is shown by one of the snapshot's. */
function withoutPresences(content: StoreContent): StoreContent {
  return { ...content, social_presences: [], headless_sessions: [] };
}

function read<Body>(body: unknown, by: Check): Body {
  refuse('body', check(body, by));
  return body as Body;
}

function refuse(what: string, issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ControlRefusal(400, `The ${what} is not valid:\n${formatIssues(issues)}`);
}
