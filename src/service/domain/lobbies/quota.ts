import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { all, andThen, type MaybePromise } from '../../support/maybe-promise.ts';
import { rejectIssues } from '../../support/request-error.ts';

/**
 * How many lobbies of an application a user can be in. To make the bound exact, a transaction that adds members runs
 * with their guards.
 */
export interface LobbyQuota {
  guards(applicationId: ApplicationId, userIds: readonly UserId[]): readonly string[];
  /** Whether the user cannot join another lobby. */
  isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): MaybePromise<boolean>;
  /**
   * Unspecified: no source names an error for it, so it is reported at the field that names the user.
   *
   * @param pathOf the path at which the request names a user
   * @throws RequestError `invalid_form_body`
   */
  require(
    view: StoreView,
    applicationId: ApplicationId,
    userIds: readonly UserId[],
    pathOf: (userId: UserId) => readonly string[],
  ): MaybePromise<void>;
}

export function createLobbyQuota({ limits: { lobbiesPerUserMax: max } }: Pick<Core, 'limits'>): LobbyQuota {
  function isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): MaybePromise<boolean> {
    if (max === undefined) return false;
    const query = { index: 'byUser', equals: [applicationId, userId], limit: max } as const;
    return andThen(view.list('lobby_members', query), memberships => memberships.length >= max);
  }

  return {
    isUsedUp,
    guards(applicationId, userIds) {
      return max === undefined ? [] : userIds.map(userId => `lobby-quota/${applicationId}/${userId}`);
    },
    require(view, applicationId, userIds, pathOf) {
      if (max === undefined) return undefined;
      const message = serviceFieldErrors.LOBBIES_PER_USER_MAX(max);
      return andThen(all(userIds.map(userId => isUsedUp(view, applicationId, userId))), usedUp => {
        const refused = userIds.filter((_, index) => usedUp[index]);
        rejectIssues(refused.map(userId => ({ path: [...pathOf(userId)], code: 'LOBBIES_PER_USER_MAX', message })));
      });
    },
  };
}
