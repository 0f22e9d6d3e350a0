import type { UserId } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { PresentActivities } from './invites.ts';

/** What users are doing now, as their presences in the store say. */
export const presentActivities: PresentActivities = {
  async find(view, userId, applicationId, sessionId) {
    const sessions = await sessionsOf(view, userId);
    const isInvisible = sessions.some(({ status }) => status === 'invisible');
    // The session that was updated last is the last.
    for (const session of sessions.toReversed()) {
      if (sessionId !== undefined && session.id !== sessionId) continue;
      const shown = session.activities.find(({ activity }) => activity.application_id === applicationId);
      if (shown) return { sessionId: session.id, activity: shown.activity, isInvisible };
    }
    return undefined;
  },

  async hasSession(view, userId, sessionId) {
    return (await sessionsOf(view, userId)).some(({ id }) => id === sessionId);
  },
};

async function sessionsOf(view: StoreView, userId: UserId) {
  return (await view.get('social_presences', userId))?.sessions ?? [];
}
