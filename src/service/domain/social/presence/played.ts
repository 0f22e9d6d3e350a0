import type { Activity } from '../../../../model/presence.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import { derivedFlags } from './activities.ts';
import { stateOf } from './records.ts';
import { isInvisible } from './view.ts';

/** What a user plays, as only the service knows it. */
export interface PlayedActivity {
  readonly sessionId: string;
  /** As it was sent, its secrets included; `flags` are those that the service derives. */
  readonly activity: Activity;
  /** Nobody else sees the user. */
  readonly isInvisible: boolean;
}

/**
 * The activity of a user in a game: of all sessions the newest one.
 *
 * @param sessionId only the activity of this session
 */
export async function activityOf(
  view: StoreView,
  userId: UserId,
  familyId: ApplicationId,
  sessionId?: string,
): Promise<PlayedActivity | undefined> {
  const state = await stateOf(view, userId);
  for (const session of state.sessions.toReversed()) {
    if (sessionId !== undefined && session.id !== sessionId) continue;
    const shown = session.activities.find(({ family_id }) => family_id === familyId);
    if (!shown) continue;
    const flags = derivedFlags(shown.activity, state.settings);
    return {
      sessionId: session.id,
      activity: { ...shown.activity, flags },
      isInvisible: isInvisible(state),
    };
  }
  return undefined;
}
