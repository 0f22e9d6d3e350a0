import { activityActionTypes } from '../../../model/direct-message.ts';
import { relationshipTypes } from '../../../model/relationship.ts';
import { snowflakeTimeMs, type UserId } from '../../../model/snowflake.ts';
import type {
  ConversationDetails,
  ConversationPage,
  DirectMessageDetails,
  NamedUser,
  PresenceDetails,
  RelationshipDetails,
  UserSocial,
} from '../../../wire/control/social.ts';
import type { Core } from '../../core.ts';
import { channelOf, ephemeralPlace } from '../../features/social/messages/pair.ts';
import { pairOf } from '../../features/social/pair.ts';
import { publicActivity } from '../../features/social/presence/activities.ts';
import { settingsOf, shownSettings, stateOf } from '../../features/social/presence/records.ts';
import { ownSessions, seen, seenByFriend } from '../../features/social/presence/view.ts';
import type { DirectMessageRecord } from '../../store/records.ts';
import { consoleLimits, serviceLimits } from '../../support/service-limits.ts';
import type { ControlDeps } from '../deps.ts';
import { type ControlCall, ControlRefusal, call, notThere, pathId, readPage } from '../request.ts';

/** Calls that show the social layer. What changes it goes through `POST /control/call`, as a user. */
export function socialCalls({ core }: ControlDeps): readonly ControlCall[] {
  return [
    call('GET /users/{id}/social', async request => socialOf(core, await userOf(core, pathId(request, 'user')))),
    call('GET /users/{id}/conversations/{other}', async request => {
      const pair = [pathId(request, 'user'), pathId(request, 'user', 'other')] as const;
      return conversationOf(core, pair, readPage(request.query));
    }),
  ];
}

const relationshipsShownMax = 2000;
const conversationsShownMax = 100;

async function userOf({ store }: Core, id: UserId): Promise<UserId> {
  if (!(await store.get('users', id))) throw notThere('user', id);
  return id;
}

async function socialOf(core: Core, id: UserId): Promise<UserSocial> {
  const { store } = core;
  const [all, record, relationships, blocked_by, presence, conversations] = await Promise.all([
    settingsOf(store, id),
    store.get('social_settings', id),
    relationshipsOf(core, id),
    blockersOf(core, id),
    presenceOf(core, id),
    conversationsOf(core, id),
  ]);
  const accept_friend_requests = record?.accept_friend_requests ?? true;
  return {
    relationships,
    blocked_by,
    presence,
    settings: { ...shownSettings(all), accept_friend_requests },
    conversations,
  };
}

async function blockersOf(core: Core, id: UserId): Promise<NamedUser[]> {
  const query = { index: 'byTarget', equals: [id], limit: consoleLimits.searchedRecordsMax } as const;
  const blocks = await core.store.list('relationships', query);
  const blockers = blocks.filter(({ type }) => type === relationshipTypes.BLOCKED).slice(0, relationshipsShownMax);
  return Promise.all(blockers.map(({ user_id }) => named(core, user_id)));
}

async function named({ store }: Core, id: UserId): Promise<NamedUser> {
  const user = await store.get('users', id);
  return { id, username: user?.username ?? null, global_name: user?.global_name ?? null };
}

async function relationshipsOf(core: Core, id: UserId): Promise<RelationshipDetails[]> {
  const [full, inGames] = await Promise.all([
    core.store.list('relationships', { equals: [id], limit: relationshipsShownMax }),
    core.store.list('game_relationships', { equals: [id], limit: relationshipsShownMax }),
  ]);
  const all = [
    ...full.map(record => ({ ...record, family_id: null })),
    ...inGames.map(record => ({ ...record, nickname: null, note: null, origin_application_id: null })),
  ];
  return Promise.all(
    all.slice(0, relationshipsShownMax).map(async ({ target_id, type, family_id, since_ms, ...more }) => {
      const { nickname, note, origin_application_id } = more;
      const user = await named(core, target_id);
      return { user, type, family_id, since_ms, nickname, note, origin_application_id };
    }),
  );
}

async function presenceOf({ store, clock }: Core, id: UserId): Promise<PresenceDetails> {
  const state = await stateOf(store, id);
  const { status, activities } = seenByFriend(seen(state, clock.now()), null);
  const own = ownSessions(state, null, clock.now());
  const headless = await store.list('headless_sessions', { index: 'byUser', equals: [id] });
  const ends = new Map(headless.map(({ session_id, expires_at_ms }) => [session_id, expires_at_ms]));
  return {
    ...{ status, activities },
    hidden_activities: own.flatMap(({ session_id, hidden_activities }) =>
      session_id === 'all' ? [] : hidden_activities,
    ),
    sessions: state.sessions.map(({ id: session, application_id, client, status: own, activities: shown }) => ({
      ...{ id: session, application_id, client, status: own },
      activities: shown.map(one => publicActivity(one, state.settings)),
      expires_at_ms: ends.get(session) ?? null,
    })),
  };
}

async function conversationsOf(core: Core, id: UserId): Promise<ConversationDetails[]> {
  const places = await core.store.list('direct_recipients', {
    equals: [id],
    descending: true,
    limit: consoleLimits.searchedRecordsMax,
  });
  const found = await Promise.all(
    places.map(async ({ channel_id, other_id }) => {
      const channel = await core.store.get('direct_channels', channel_id);
      if (!channel) return undefined;
      const { message_count, last_message_id } = channel;
      return { channel_id, user: await named(core, other_id), message_count, last_message_id };
    }),
  );
  return found
    .filter(one => one !== undefined)
    .sort((a, b) => lastMs(b) - lastMs(a))
    .slice(0, conversationsShownMax);
}

function lastMs({ last_message_id }: ConversationDetails): number {
  return last_message_id === null ? 0 : snowflakeTimeMs(last_message_id);
}

/** Ephemeral messages are found here as long as they are stored. */
async function conversationOf(
  { store }: Core,
  [id, other]: readonly [UserId, UserId],
  { limit, after }: ReturnType<typeof readPage>,
): Promise<ConversationPage> {
  const pair = pairOf(id, other);
  const channel = await channelOf(store, pair);
  if (!channel) throw new ControlRefusal(404, `The users ${id} and ${other} have not exchanged any message.`);
  const upTo = after === undefined ? {} : { upTo: snowflakeTimeMs(after) };
  const read = (place: string) =>
    store.list('direct_messages', { equals: [place], descending: true, limit: limit + 2, ...upTo });
  const [kept, ephemeral] = await Promise.all([read(channel.id), read(ephemeralPlace(pair))]);
  const found = [...kept, ...ephemeral]
    .filter(record => after === undefined || isBefore(record, after))
    .sort((a, b) => (isBefore(a, b.id) ? 1 : -1));
  const page = found.slice(0, limit);
  const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  return { channel_id: channel.id, messages: page.map(showMessage), next };
}

function isBefore({ id }: DirectMessageRecord, other: string): boolean {
  return BigInt(id) < BigInt(other);
}

function showMessage(record: DirectMessageRecord): DirectMessageDetails {
  const { id, author_id, recipient_id, message, sent_at_ms, edited_at_ms } = record;
  const { application_id, is_ephemeral, moderation_metadata } = record;
  const { activity } = message;
  return {
    ...{ id, author_id, recipient_id, sent_at_ms, edited_at_ms, application_id, is_ephemeral, moderation_metadata },
    content: message.content,
    invite: activity
      ? {
          kind: activity.type === activityActionTypes.JOIN ? 'invite' : 'request',
          application_id: message.application_id ?? null,
          party_id: activity.party_id ?? null,
          expires_at_ms: sent_at_ms + serviceLimits.activityInviteLifeMs,
        }
      : null,
  };
}
