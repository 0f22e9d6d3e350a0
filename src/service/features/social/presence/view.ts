import type { Activity, ClientStatus, OwnSession, Presence } from '../../../../model/presence.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { ShownActivity, ShownSession } from '../../../store/records.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { publicActivity } from './activities.ts';
import type { PresenceState } from './records.ts';

/** A user as others can see it, before it is known who looks. */
export interface Seen {
  readonly status: Presence['status'];
  readonly client_status: Presence['client_status'];
  readonly activities: readonly SeenActivity[];
  /** The games of a user who is invisible, or does not show games. */
  readonly hidden: readonly SeenActivity[];
  /** The games in which the user has a session. */
  readonly families: ReadonlySet<ApplicationId>;
}

interface SeenActivity {
  readonly family_id: ApplicationId | null;
  readonly activity: Activity;
}

/** Of a viewer: the family of its session's application; null: a user's own client, which sees all games. */
export type ViewerFamily = ApplicationId | null;

/** What is shown of a user: the fields of a presence that do not name it. */
export type Shown = Pick<Presence, 'status' | 'activities' | 'client_status'>;

const offline: Shown = { status: 'offline', activities: [], client_status: {} };
const nothing: Seen = { ...offline, activities: [], hidden: [], families: new Set() };

/** Unspecified: which status wins among the sessions of a user. The first one present does. */
const ranks = ['invisible', 'dnd', 'online', 'idle'] as const;
type Status = (typeof ranks)[number];

/**
 * What others can see of a user.
 *
 * Unspecified, all of it: one invisible session makes the user invisible; otherwise `dnd` wins over `online`, and that over `idle`. Of
 * the activities of one application those of the session are shown that was updated last.
 *
 * @see docs/spec/social.md#presence
 */
export function seen(state: PresenceState, nowMs: number): Seen {
  const { sessions, settings } = state;
  if (sessions.length === 0) return nothing;
  const activities = mergedActivities(state, nowMs);
  const status = mergedStatus(state);
  const families = new Set(sessions.map(({ family_id }) => family_id).filter(family => family !== null));
  const games = activities.filter(({ activity }) => activity.type !== customStatus);
  if (status === 'invisible') return { ...nothing, hidden: games, families };
  const shown = settings.show_current_game ? activities : activities.filter(one => !games.includes(one));
  return {
    status,
    client_status: clientStatusOf(state),
    activities: shown,
    hidden: settings.show_current_game ? [] : games,
    families,
  };
}

export function isInvisible(state: PresenceState): boolean {
  return state.sessions.length > 0 && mergedStatus(state) === 'invisible';
}

/** Whether others do not see what the user plays. */
export function hidesGames(state: PresenceState): boolean {
  return !state.settings.show_current_game || isInvisible(state);
}

/** What a friend sees: the status, custom statuses, and what the user plays in the viewer's game. */
export function seenByFriend(user: Seen, viewer: ViewerFamily): Shown {
  if (user.status === 'offline') return offline;
  const { status, client_status } = user;
  return { status, activities: activitiesFor(user.activities, viewer), client_status };
}

/** What a friend in a game sees: nothing while the user is not in the game. */
export function seenByGameFriend(user: Seen, familyId: ApplicationId): Shown {
  return user.families.has(familyId) ? seenByFriend(user, familyId) : offline;
}

/** The activities that the user hides from others, for somebody who was invited to this game. */
export function hiddenFrom(user: Seen, familyId: ApplicationId): readonly Activity[] {
  return user.hidden.filter(({ family_id }) => family_id === familyId).map(({ activity }) => activity);
}

/**
 * A friend's presence, or the `d` of a PRESENCE_UPDATE about it.
 *
 * @param hasPlayed the viewer's game; absent where that is not known, or the viewer is in no game
 */
export function presenceOf(userId: UserId, shown: Shown, hasPlayed?: boolean): Presence {
  return { user: { id: userId }, ...shown, ...(hasPlayed !== undefined && { has_played_game: hasPlayed }) };
}

/** The same for somebody who was invited to the game; only friends see more than what the user hides. */
export function hiddenPresenceOf(
  userId: UserId,
  user: Seen,
  familyId: ApplicationId,
  viewer: 'friend' | 'stranger',
): Presence {
  const shown = viewer === 'friend' ? seenByFriend(user, familyId) : offline;
  return { ...presenceOf(userId, shown), hidden_activities: hiddenFrom(user, familyId) };
}

/**
 * The user's own sessions. With several of them there is another one, `all`, which is what others see.
 *
 * Unspecified: it is the first one, and of too many sessions those are listed that were updated last. A game's session
 * is not shown those of other games, and of activities what a friend in the game is shown.
 *
 * @see docs/spec/social.md#sessions
 */
export function ownSessions(state: PresenceState, viewer: ViewerFamily, nowMs: number): readonly OwnSession[] {
  const { sessions, settings } = state;
  const hides = hidesGames(state);
  const own = sessions.filter(({ family_id }) => viewer === null || family_id === null || family_id === viewer);
  const last = own.at(-1);
  const listed = own.slice(-serviceLimits.ownSessionsListedMax).map(session => ({
    session_id: session.id,
    client_info: session.client,
    status: statusOf(session, state),
    ...placed(
      session.activities.filter(one => isShownTo(one, viewer)).map(one => publicActivity(one, settings)),
      hides,
    ),
    active: session === last,
  }));
  if (sessions.length < 2) return listed;
  const merged = activitiesFor(mergedActivities(state, nowMs), viewer);
  const all = {
    session_id: 'all',
    client_info: { client: 'unknown', os: 'unknown', version: 0 },
    status: mergedStatus(state),
    ...placed(merged, hides),
    active: true,
  };
  return [all, ...listed];
}

function placed(activities: readonly Activity[], hides: boolean): Pick<OwnSession, 'activities' | 'hidden_activities'> {
  if (!hides) return { activities, hidden_activities: [] };
  return { activities: [], hidden_activities: activities };
}

const customStatus = 4;

function activitiesFor(activities: readonly SeenActivity[], viewer: ViewerFamily): readonly Activity[] {
  return activities.filter(one => isShownTo(one, viewer)).map(({ activity }) => activity);
}

/** A game sees what its own family's applications show, and custom statuses. */
function isShownTo({ family_id, activity }: SeenActivity, viewer: ViewerFamily): boolean {
  return viewer === null || family_id === viewer || activity.type === customStatus;
}

function mergedStatus(state: PresenceState): Status {
  const statuses = new Set<ClientStatus>(state.sessions.map(session => statusOf(session, state)));
  return ranks.find(status => statuses.has(status)) ?? 'online';
}

function clientStatusOf(state: PresenceState): Record<string, string> {
  const byClient: Record<string, string> = {};
  const best = [...ranks].reverse();
  for (const status of best)
    for (const session of state.sessions)
      if (statusOf(session, state) === status) byClient[session.client.client] = status;
  return byClient;
}

/**
 * Unspecified: a status in the settings replaces what sessions have set before, `invisible` also what they set afterwards, and it is the
 * status of sessions that set none or `online`.
 */
function statusOf({ status, status_set_at }: ShownSession, { settings }: PresenceState): Status {
  const isReplaced = settings.status === 'invisible' || settings.status_set_at >= status_set_at;
  const own = isReplaced || status === 'online' ? settings.status : status;
  return own === 'offline' ? 'invisible' : own;
}

/** The newest custom status and, of each application, what its newest session shows; the newest last, up to a bound. */
function mergedActivities({ sessions, settings }: PresenceState, nowMs: number): readonly SeenActivity[] {
  const byApplication = new Map<string, readonly ShownActivity[]>();
  for (const { activities } of sessions) {
    const groups = Map.groupBy(activities, ({ activity }) => nameOf(activity));
    for (const [name, group] of groups) {
      byApplication.delete(name);
      byApplication.set(name, group);
    }
  }
  const merged = [...byApplication.values()].flat().slice(-serviceLimits.shownActivitiesMax);
  const shown = merged.map(one => ({ family_id: one.family_id, activity: publicActivity(one, settings) }));
  const custom = byApplication.has(customName) ? undefined : customStatusOf(settings, nowMs);
  return custom ? [{ family_id: null, activity: custom }, ...shown] : shown;
}

const customName = 'custom';

function nameOf({ type, application_id, name }: Activity): string {
  return type === customStatus ? customName : (application_id ?? `named ${name}`);
}

/** The custom status of the settings as an activity. */
function customStatusOf(settings: PresenceState['settings'], nowMs: number): Activity | undefined {
  const { custom_status: custom, custom_status_set_at_ms: created_at } = settings;
  if (!custom || (custom.expires_at != null && Date.parse(custom.expires_at) <= nowMs)) return undefined;
  const { text, emoji_id, emoji_name } = custom;
  if (!text && !emoji_name) return undefined;
  return {
    id: customName,
    name: 'Custom Status',
    type: customStatus,
    ...(created_at !== undefined && { created_at }),
    ...(text && { state: text }),
    ...(emoji_name && { emoji: { name: emoji_name, ...(emoji_id != null && { id: emoji_id }) } }),
  };
}
