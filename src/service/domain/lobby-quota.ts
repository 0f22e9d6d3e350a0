import { fieldErrors, type Issue } from '../../model/issue.ts';
import type { ApplicationId, UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { refuseIssues } from '../fault.ts';
import type { StoreView } from '../store/contract.ts';

/** Where in a request a user is named. */
export interface Newcomer {
  readonly userId: UserId;
  readonly path: readonly string[];
}

/**
 * How many lobbies of an application a user can be in. To hold at the bound, a work that makes users members runs with
 * their guards.
 */
export interface LobbyQuota {
  guards(applicationId: ApplicationId, userIds: readonly UserId[]): readonly string[];
  /** Whether the user can be in no further lobby. */
  isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean>;
  /**
   * Our choice: no source names an error for it, so it is a fault of the field that names the user.
   *
   * @throws Fault `invalid_form_body`
   */
  require(view: StoreView, applicationId: ApplicationId, newcomers: readonly Newcomer[]): Promise<void>;
}

export function createLobbyQuota({ limits: { lobbiesPerUserMax: max } }: Pick<Core, 'limits'>): LobbyQuota {
  async function isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean> {
    if (max === undefined) return false;
    const query = { index: 'byUser', equals: [applicationId, userId], limit: max } as const;
    return (await view.list('lobby_members', query)).length >= max;
  }

  return {
    isUsedUp,
    guards(applicationId, userIds) {
      return max === undefined ? [] : userIds.map(userId => `lobby-quota/${applicationId}/${userId}`);
    },
    async require(view, applicationId, newcomers) {
      if (max === undefined) return;
      const issues: Issue[] = [];
      const message = fieldErrors.LOBBIES_PER_USER_MAX(max);
      for (const { userId, path } of newcomers) {
        if (await isUsedUp(view, applicationId, userId)) issues.push({ path, code: 'LOBBIES_PER_USER_MAX', message });
      }
      refuseIssues(issues);
    },
  };
}
