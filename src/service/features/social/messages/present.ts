import { derivedFlags } from '../presence/activities.ts';
import { stateOf } from '../presence/records.ts';
import { hidesGames, isInvisible } from '../presence/view.ts';
import type { PresentActivities } from './invites.ts';

/** What users are doing now, as their presences in the store say. */
export const presentActivities: PresentActivities = {
  async find(view, userId, applicationId, sessionId) {
    const state = await stateOf(view, userId);
    // The session that was updated last is the last.
    for (const { id, activities } of state.sessions.toReversed()) {
      if (sessionId !== undefined && id !== sessionId) continue;
      const shown = activities.find(({ activity }) => activity.application_id === applicationId);
      if (!shown) continue;
      const activity = { ...shown.activity, flags: derivedFlags(shown.activity, state.settings) };
      return { sessionId: id, activity, isInvisible: isInvisible(state), isHidden: hidesGames(state) };
    }
    return undefined;
  },

  async hasSession(view, userId, sessionId) {
    return (await stateOf(view, userId)).sessions.some(({ id }) => id === sessionId);
  },
};
