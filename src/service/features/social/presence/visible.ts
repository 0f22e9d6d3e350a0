import type { Presence } from '../../../../model/presence.ts';
import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import { countWithin } from '../../../support/count-within.ts';
import { RequestError } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { createPlayedCheck, gameRelationshipsOf, relationshipsOf } from '../relationships/records.ts';
import { presenceScope, statesOf } from './records.ts';
import { presenceOf, type Seen, seen, seenByFriend, seenByGameFriend, type ViewerFamily } from './view.ts';

/** Who looks at others' presences. */
export interface Viewer {
  readonly userId: UserId;
  readonly familyId: ViewerFamily;
}

/** Users whose presence somebody sees, and as what. */
export interface VisibleUsers {
  readonly friends: readonly UserId[];
  /** Friends in the viewer's game alone; of a user's own client: none, because it is in no game. */
  readonly gameFriends: readonly UserId[];
}

/** Presences as they were at `revisions`: scope → revision. */
export interface PresenceReading {
  readonly presences: readonly Presence[];
  readonly revisions: ReadonlyMap<string, number>;
}

export async function visibleUsers(view: StoreView, { userId, familyId }: Viewer): Promise<VisibleUsers> {
  const { FRIEND } = relationshipTypes;
  const full = await relationshipsOf(view, userId);
  const games = familyId === null ? [] : await gameRelationshipsOf(view, userId, familyId);
  const friends = full.filter(({ type }) => type === FRIEND).map(({ target_id }) => target_id);
  const isFriend = new Set(friends);
  const inGame = games.filter(({ type }) => type === FRIEND).map(({ target_id }) => target_id);
  return { friends, gameFriends: inGame.filter(id => !isFriend.has(id)) };
}

/** The presences of those users who are not offline for the viewer, with as many activities as one frame can have. */
export async function readPresences(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  familyId: ViewerFamily,
  { friends, gameFriends }: VisibleUsers,
): Promise<PresenceReading> {
  const inGame = new Set(gameFriends);
  const states = await statesOf(store, [...friends, ...gameFriends]);
  const nowMs = clock.now();
  const hasPlayed = familyId === null ? undefined : createPlayedCheck(store, familyId);
  const played = hasPlayed && (await Promise.all(states.map(({ record }) => hasPlayed(record.user_id))));
  const presences = states.map(({ record: { user_id }, ...state }, at) => {
    const user = seen(state, nowMs);
    const shown = inGame.has(user_id) ? seenInGame(user, familyId) : seenByFriend(user, familyId);
    return presenceOf(user_id, shown, played?.[at]);
  });
  const online = presences.filter(({ status }) => status !== 'offline');
  const whole = countWithin(online, serviceLimits.shownActivitiesBytesMax);
  return {
    presences: online.map((presence, at) => (at < whole ? presence : { ...presence, activities: [] })),
    revisions: new Map(states.map(({ record }) => [presenceScope(record.user_id), record.revision])),
  };
}

function seenInGame(user: Seen, familyId: ViewerFamily) {
  return seenByGameFriend(user, familyId ?? '');
}

/** What only its own calls give of an activity. */
export interface ActivityMetadata {
  readonly button_urls: readonly string[];
}

/**
 * The addresses of the buttons of an activity that the viewer sees; undefined: it has none.
 *
 * @throws RequestError `unknown_session` also when the viewer does not see it
 * @see docs/spec/social.md#activity
 */
export async function readMetadata(
  core: Pick<Core, 'store' | 'clock'>,
  viewer: Viewer,
  place: { readonly userId: UserId; readonly sessionId: string; readonly applicationId: ApplicationId },
): Promise<ActivityMetadata | undefined> {
  const { userId, sessionId, applicationId } = place;
  const [state] = await statesOf(core.store, [userId]);
  const session = state?.sessions.find(({ id }) => id === sessionId);
  const shown = session?.activities.find(({ activity }) => activity.application_id === applicationId);
  if (!state || !shown || !(await isVisible())) throw new RequestError('unknown_session');
  const urls = shown.activity.metadata?.button_urls;
  return urls && { button_urls: urls };

  async function isVisible(): Promise<boolean> {
    if (viewer.userId === userId) return viewer.familyId === null || viewer.familyId === shown?.family_id;
    const { friends, gameFriends } = await visibleUsers(core.store, viewer);
    const reading = await readPresences(core, viewer.familyId, {
      friends: friends.filter(id => id === userId),
      gameFriends: gameFriends.filter(id => id === userId),
    });
    const id = shown?.activity.id;
    return reading.presences.some(({ activities }) => activities.some(activity => activity.id === id));
  }
}
