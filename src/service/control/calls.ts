import type { UserId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { presentEpoch } from '../auth/credentials-epoch.ts';
import type { Core } from '../core.ts';
import { requireNotBanned } from '../features/accounts/full-account.ts';
import type { StoreContent } from '../store/contract.ts';
import { withSealedKeys } from '../store/protected-keys.ts';
import { id, nullable, object, oneOf, text } from '../support/document-check.ts';
import { hashSecret } from '../support/secret.ts';
import type { FaultInjector } from '../testing/faults/faults.ts';
import { createSessionToken } from '../testing/fixtures/secrets.ts';
import { actingCalls, callAs, signInToGame } from './act.ts';
import { commandCalls } from './commands.ts';
import type { ConsentDecision, ControlDeps } from './deps.ts';
import { Counts } from './lists.ts';
import { lobbyCalls } from './lobbies.ts';
import { controlDocument } from './openapi/document.ts';
import {
  type ControlCall,
  ControlRefusal,
  call,
  notThere,
  pathId,
  read,
  readPlace,
  refuse,
  StreamedAnswer,
} from './request.ts';
import { sessionCalls } from './sessions.ts';
import { checkSnapshot, type Snapshot, writeSnapshot } from './snapshot.ts';
import { statusCalls } from './status.ts';
import { timeCalls } from './time.ts';
import { trafficCalls } from './traffic/calls.ts';
import { applicationCalls } from './world/applications.ts';
import { fixturesCalls } from './world/fixtures.ts';
import { guildCalls } from './world/guilds.ts';
import { removalCalls } from './world/removals.ts';
import { socialCalls } from './world/social.ts';
import { userCalls } from './world/users.ts';

const snapshotBytesMax = 256 * 1024 * 1024;

/** Every control call, once. */
export function controlCalls(deps: ControlDeps): readonly ControlCall[] {
  const { core } = deps;
  const alone = oneAtATime();
  const counts = new Counts(core);
  const calls: ControlCall[] = [
    ...statusCalls(deps, counts),
    ...trafficCalls(deps, body => callAs(deps, body)),
    ...fixturesCalls(deps),
    call('POST /reset', () => alone(() => reset(deps))),
    ...timeCalls(deps),
    ...applicationCalls(deps),
    ...userCalls(deps),
    ...lobbyCalls(deps, counts),
    ...guildCalls(deps),
    ...removalCalls(deps),
    ...socialCalls(deps),
    ...commandCalls(deps),
    ...sessionCalls(deps),
    ...actingCalls(deps),
    call('POST /users/{id}/session', request => openSession(core, pathId(request, 'user'), request.body)),
    call('DELETE /users/{id}/tokens', request => endTokens(deps, pathId(request, 'user'))),
    call('POST /consent', ({ body }) => consent(deps, body)),
    call('GET /log', async ({ query }) => core.journal.read(readPlace(query.after, 'after') ?? 0)),
    call('GET /faults', async ({ wantsDetails }) => {
      return { faults: wantsDetails ? deps.faults.counted : deps.faults.armed };
    }),
    call('POST /faults', ({ body }) => changeFaults(deps, faults => ({ faults: faults.add(body) }))),
    call('DELETE /faults', () => changeFaults(deps, faults => faults.clear())),
    call('DELETE /faults/{id}', async ({ params: { id: fault = '' } }) => {
      if (!deps.faults.remove(fault)) throw notThere('armed fault', fault);
    }),
    call('GET /snapshot', async () => new StreamedAnswer(write => writeSnapshot(core, write))),
    call('PUT /snapshot', ({ body }) => alone(() => putSnapshot(deps, body)), snapshotBytesMax),
    call('GET /openapi.json', async () => controlDocument([...calls, { name: 'GET /stream' }], deps.controlBase())),
  ];
  return calls;
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

async function endTokens({ core, endUserTokens }: ControlDeps, userId: UserId): Promise<undefined> {
  if (!(await core.store.get('users', userId))) throw unknownUser(userId);
  await endUserTokens(userId);
}

function unknownUser(userId: UserId): ControlRefusal {
  return new ControlRefusal(404, `There is no user ${userId}; add it by POST /control/fixtures.`);
}

async function openSession(core: Core, userId: UserId, body: unknown): Promise<{ token: string }> {
  if (body !== undefined) return signInToGame(core, userId, body);
  const { store, entropy } = core;
  const token = createSessionToken(entropy);
  await store.transact(`user/${userId}`, async transaction => {
    const user = await transaction.get('users', userId);
    if (!user) throw unknownUser(userId);
    requireNotBanned(user);
    transaction.put('tokens', {
      hash: hashSecret(token),
      kind: 'session',
      authorization_id: null,
      grant_id: null,
      application_id: null,
      user_id: userId,
      scopes: [],
      expires_at_ms: null,
      ...presentEpoch(user),
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
