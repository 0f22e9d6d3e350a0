import type { Ready, ReadySupplemental } from '../../../model/gateway.ts';
import type { Presence } from '../../../model/presence.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { presenceScope, settingsOf, shownSettings } from '../../features/social/presence/records.ts';
import { ownSessions } from '../../features/social/presence/view.ts';
import { readPresences, visibleUsers } from '../../features/social/presence/visible.ts';
import type { Session } from './session.ts';

/** The viewer of social-ready.ts, as far as it is needed here. */
interface PresenceViewer {
  readonly user: { readonly id: UserId };
  readonly familyId: ApplicationId | null;
  may(...scopes: readonly string[]): boolean;
}

const reading = ['activities.read', 'presences.read'] as const;

/** The user's own sessions, as far as this one sees them, and settings. */
export async function readOwn(
  { store, clock }: Core,
  session: Session,
  { user: { id }, familyId, may }: PresenceViewer,
): Promise<Pick<Ready, 'sessions' | 'user_settings'>> {
  const { sessions = [], revision } = (await store.get('social_presences', id)) ?? {};
  const settings = await settingsOf(store, id);
  if (revision !== undefined) session.saw(presenceScope(id), revision);
  return {
    sessions: ownSessions({ sessions, settings }, familyId, clock.now()),
    ...(may(...reading) && { user_settings: shownSettings(settings) }),
  };
}

/** The presences of friends who are not offline for the session, which follows them all from now on. */
export async function readFriendsPresences(
  core: Core,
  session: Session,
  { user: { id }, familyId, may }: PresenceViewer,
): Promise<readonly Presence[]> {
  if (!may(...reading)) return [];
  await session.follow(topics.friendsPresences(id));
  // Users who become friends from here on are introduced by events.
  const visible = await visibleUsers(core.store, { userId: id, familyId });
  const joined = [
    ...visible.friends.map(friend => session.follow(topics.presence(friend))),
    ...visible.gameFriends.map(friend => session.follow(topics.gamePresence(friend, familyId ?? ''))),
  ].filter(one => one !== undefined);
  if (joined.length > 0) await Promise.all(joined);
  const { presences, revisions } = await readPresences(core, familyId, visible);
  for (const [scope, revision] of revisions) session.saw(scope, revision);
  return presences;
}

/** The same presences for clients that list users apart. */
export function supplementalOf(presences: readonly Presence[]): ReadySupplemental {
  const friends = presences.map(({ user, ...presence }) => ({ user_id: user.id, ...presence }));
  return {
    merged_presences: { friends, guilds: [] },
    ...{ guilds: [], lazy_private_channels: [], disclose: [], game_invites: [] },
  };
}
