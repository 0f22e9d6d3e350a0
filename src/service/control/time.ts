import { snowflakeTimeMsMax } from '../../model/snowflake.ts';
import type { ClockBody, ClockToNextAnswer, TimerDetails, TimerKind, TimersAnswer } from '../../wire/control/time.ts';
import type { Core } from '../core.ts';
import type { Records } from '../store/records.ts';
import { isPlainObject, list, object, oneOf, whole } from '../support/document-check.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { ControlDeps } from './deps.ts';
import { type ControlCall, ControlRefusal, call, queryText, read, readLimit } from './request.ts';

/** Calls about time: the clock, and what is due. */
export function timeCalls(deps: ControlDeps): readonly ControlCall[] {
  const { core } = deps;
  return [
    call('GET /clock', async () => ({ now_ms: core.clock.now() })),
    call('POST /clock', ({ body }) => moveClock(deps, body)),
    call('GET /timers', ({ query }) => listTimers(deps, readLimit(query), readKinds(queryText(query, 'kind')))),
  ];
}

const timerKinds = [
  'lobby_idle',
  'lobby_invite',
  'authorization_code',
  'device_code',
  'access_token',
  'refresh_token',
  'browser_sign_in',
  'interaction_answer',
  'interaction_token',
  'session_resume',
  'webhook_retry',
  'custom_status',
  'activity_invite',
  'headless_session',
  'direct_message',
] as const satisfies readonly TimerKind[];

function readKinds(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const kinds = text.split(',');
  const unknown = kinds.find(kind => !timerKinds.some(known => known === kind));
  if (unknown === undefined) return new Set(kinds);
  throw new ControlRefusal(400, `"kind" must name kinds of timers, separated by commas: ${timerKinds.join(', ')}.`);
}

const advanceBody = object({ advance_ms: whole(0, Number.MAX_SAFE_INTEGER) }, ['advance_ms']);
const toBody = object({ to_ms: whole(0, snowflakeTimeMsMax) }, ['to_ms']);
const nextBody = object({ to_next: oneOf([true]), kinds: list(oneOf(timerKinds), timerKinds.length) }, ['to_next']);

async function moveClock(deps: ControlDeps, body: unknown): Promise<{ now_ms: number } | ClockToNextAnswer> {
  const { core, advance } = deps;
  const by = isPlainObject(body) && body.to_next !== undefined ? nextBody : undefined;
  const to = isPlainObject(body) && body.to_ms !== undefined ? toBody : undefined;
  const asked = read<ClockBody>(body, by ?? to ?? advanceBody);
  if (!advance) {
    throw new ControlRefusal(409, 'This service runs on the system clock; start it with --virtual-clock to move time.');
  }
  const nowMs = core.clock.now();
  if ('to_next' in asked) {
    const kinds = asked.kinds && new Set<string>(asked.kinds);
    const [timer = null] = (await listTimers(deps, 1, kinds)).timers;
    return { now_ms: timer ? await advance(Math.max(0, timer.at_ms - nowMs)) : nowMs, timer };
  }
  const ms = 'to_ms' in asked ? asked.to_ms - nowMs : asked.advance_ms;
  if (ms < 0) throw new ControlRefusal(400, `Time does not go back; it is ${nowMs} now.`);
  if (nowMs + ms > snowflakeTimeMsMax) {
    const last = new Date(snowflakeTimeMsMax).toISOString();
    throw new ControlRefusal(400, `No id can be dated after ${last}; advance by less.`);
  }
  return { now_ms: await advance(ms) };
}

type Expiring =
  | ('lobbies' | 'lobby_invites' | 'codes' | 'device_codes' | 'tokens' | 'sign_ins' | 'interactions')
  | ('webhook_queues' | 'headless_sessions' | 'direct_messages');

/** Next first. Records that are due already and were not processed yet come first. */
export async function listTimers(
  { core, gateway }: Pick<ControlDeps, 'core' | 'gateway'>,
  limit: number,
  kinds?: ReadonlySet<string>,
): Promise<TimersAnswer> {
  const nowMs = core.clock.now();
  const found: TimerDetails[] = [];
  let isMore = false;
  // A kind that was not asked for may stand before others in the same index.
  const perIndex = kinds ? Math.min(1000, limit * 4) : limit + 1;
  const wants = (kind: TimerKind) => !kinds || kinds.has(kind);
  const add = (timer: TimerDetails) => {
    if (wants(timer.kind)) found.push(timer);
  };
  const collections = Object.keys(describe) as Expiring[];
  const [statuses, invites, ...lists] = await Promise.all([
    wants('custom_status') ? expiringStatuses(core, nowMs) : [],
    wants('activity_invite') ? expiringInvites(core, nowMs) : [],
    ...collections.map(collection => expiring(core, collection, perIndex)),
  ]);
  for (const [at, collection] of collections.entries()) {
    const records = lists[at] ?? [];
    if (records.length >= perIndex) isMore = true;
    for (const record of records) {
      const timer = (describe[collection] as (record: unknown, nowMs: number) => TimerDetails | undefined)(
        record,
        nowMs,
      );
      if (timer) add(timer);
    }
  }
  for (const { id, record } of gateway.sessions.list()) {
    if (record.detached_at_ms === null) continue;
    const at_ms = record.detached_at_ms + serviceLimits.gatewayResumeWindowMs;
    const { application_id, user_id } = record;
    const what = 'A gateway session ends, if its client does not resume it.';
    add({ ...none, kind: 'session_resume', at_ms, what, application_id, user_id, id, link: '#/world/sessions' });
  }
  found.push(...statuses, ...invites);
  found.sort((a, b) => a.at_ms - b.at_ms);
  return {
    now_ms: nowMs,
    timers: found.slice(0, limit),
    truncated: found.length > limit || (isMore && found.length > 0),
  };
}

async function expiring<Name extends Expiring>(
  { store }: Core,
  collection: Name,
  limit: number,
): Promise<readonly Records[Name][]> {
  return (await store.list(collection, { index: 'byExpiry', limit } as never)) as readonly Records[Name][];
}

/** Records that no index orders by their time: at most so many are looked at. */
const lookedAtMax = 2000;

async function expiringStatuses({ store }: Core, nowMs: number): Promise<TimerDetails[]> {
  return (await store.list('social_settings', { limit: lookedAtMax })).flatMap(({ user_id, settings }) => {
    const at_ms = Date.parse(settings.custom_status?.expires_at ?? '');
    if (!(at_ms > nowMs)) return [];
    const what = 'A custom status is shown no longer.';
    return [{ ...none, kind: 'custom_status', at_ms, what, user_id, link: `#/world/users/${user_id}?tab=social` }];
  });
}

async function expiringInvites({ store }: Core, nowMs: number): Promise<TimerDetails[]> {
  const { activityInviteLifeMs } = serviceLimits;
  const newest = await store.list('direct_messages', { index: 'byId', descending: true, limit: lookedAtMax });
  return newest.flatMap(({ id, sent_at_ms, recipient_id, author_id, message }) => {
    const at_ms = sent_at_ms + activityInviteLifeMs;
    if (!message.activity || at_ms <= nowMs) return [];
    const application_id = message.application_id ?? null;
    const what = 'An invite to an activity expires.';
    const link = `#/world/users/${recipient_id}?tab=social&with=${author_id}`;
    return [{ ...none, kind: 'activity_invite', at_ms, what, application_id, user_id: recipient_id, id, link }];
  });
}

const none = { application_id: null, user_id: null, lobby_id: null, id: null, link: null } as const;

/** What is due at the `expires_at_ms` of a record. */
const describe: {
  readonly [Name in Expiring]: (record: Records[Name], nowMs: number) => TimerDetails | undefined;
} = {
  lobbies: ({ id, application_id, expires_at_ms, attended }) => ({
    ...none,
    ...{ kind: 'lobby_idle', at_ms: expires_at_ms ?? 0, application_id, lobby_id: id, id },
    what: attended
      ? 'The lobby is looked at: it ends if no member is connected, and otherwise gets its time once more.'
      : 'The lobby ends, if no member is connected.',
    link: `#/lobbies/${id}`,
  }),
  lobby_invites: ({ application_id, user_id, expires_at_ms }) => ({
    ...{ ...none, kind: 'lobby_invite', at_ms: expires_at_ms, application_id, user_id },
    what: "An invite to the guild of a lobby's channel expires.",
  }),
  codes: ({ application_id, user_id, expires_at_ms, used }) =>
    used
      ? undefined
      : {
          ...{ ...none, kind: 'authorization_code', at_ms: expires_at_ms, application_id, user_id },
          what: 'An authorization code that was not used expires.',
          link: '#/sign-in',
        },
  device_codes: ({ application_id, user_id, expires_at_ms, redeemed }) =>
    redeemed
      ? undefined
      : {
          ...{ ...none, kind: 'device_code', at_ms: expires_at_ms, application_id, user_id },
          what: "A device's code expires.",
          link: '#/sign-in',
        },
  tokens: ({ kind, application_id, user_id, expires_at_ms }) => {
    if (expires_at_ms === null) return undefined;
    const isRefresh = kind === 'refresh';
    return {
      ...{ ...none, kind: isRefresh ? 'refresh_token' : 'access_token', at_ms: expires_at_ms, application_id, user_id },
      what: isRefresh ? 'A refresh token that is not used until then expires.' : 'An access token expires.',
      link: '#/sign-in',
    };
  },
  sign_ins: ({ user_id, expires_at_ms }) => ({
    ...{ ...none, kind: 'browser_sign_in', at_ms: expires_at_ms, user_id },
    what: "A browser's sign-in at the pages expires.",
  }),
  webhook_queues: ({ application_id, claim, failures, expires_at_ms }) => ({
    ...{ ...none, kind: 'webhook_retry', at_ms: expires_at_ms, application_id, link: '#/traffic?kind=delivery' },
    what:
      claim === null
        ? `A webhook event is sent again, after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}.`
        : 'A delivery of a webhook event counts as lost, if nothing is known of it.',
  }),
  headless_sessions: ({ user_id, application_id, session_id, expires_at_ms }) => ({
    ...{ ...none, kind: 'headless_session', at_ms: expires_at_ms, application_id, user_id, id: session_id },
    what: 'A session without a connection ends, if it is not updated.',
    link: `#/world/users/${user_id}?tab=social`,
  }),
  direct_messages: ({ id, author_id, recipient_id, application_id, expires_at_ms }) =>
    expires_at_ms === null
      ? undefined
      : {
          ...{ ...none, kind: 'direct_message', at_ms: expires_at_ms, application_id, user_id: author_id, id },
          what: 'An ephemeral message is deleted.',
          link: `#/world/users/${author_id}?tab=social&with=${recipient_id}`,
        },
  interactions: ({ id, application_id, user_id, state, expires_at_ms }) => ({
    ...{ ...none, application_id, user_id, id, at_ms: expires_at_ms, link: '#/stage' },
    ...(state === 'waiting'
      ? { kind: 'interaction_answer', what: 'An interaction fails, if the application has not answered it.' }
      : { kind: 'interaction_token', what: "An interaction's token, or the components of its message, expire." }),
  }),
};
