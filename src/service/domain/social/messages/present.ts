import { stateOf } from '../presence/records.ts';
import { isInvisible } from '../presence/view.ts';
import type { PresentActivities } from './invites.ts';

/** What users are doing now, as their presences in the store say. */
export const presentActivities: PresentActivities = {
  async find(view, userId, applicationId, sessionId) {
    const state = await stateOf(view, userId);
    // The session that was updated last is the last.
    for (const session of state.sessions.toReversed()) {
      if (sessionId !== undefined && session.id !== sessionId) continue;
      const shown = session.activities.find(({ activity }) => activity.application_id === applicationId);
      if (shown) return { sessionId: session.id, activity: shown.activity, isInvisible: isInvisible(state) };
    }
    return undefined;
  },

  async hasSession(view, userId, sessionId) {
    return (await stateOf(view, userId)).sessions.some(({ id }) => id === sessionId);
  },
};
