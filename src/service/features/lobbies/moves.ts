import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { LobbyMemberRecord } from '../../store/records.ts';
import type { LobbyChanges, LobbyQuota } from './changes.ts';
import { lobbyScope, silent } from './records.ts';

/** Memberships that move to another user. */
export interface LobbyMoves {
  /**
   * Replaces a user by another one in every lobby of the application that the user is in, with the same metadata,
   * flags and name. The lobbies receive events of one member who leaves and one who joins. May be repeated.
   *
   * Unspecified: a user who is a member already stays unchanged, and one who cannot join another lobby does not join.
   *
   * @see docs/spec/lobbies.md#lifecycle
   */
  move(applicationId: ApplicationId, from: UserId, to: UserId): Promise<void>;
}

export function createLobbyMoves({ store }: Core, quota: LobbyQuota, changes: LobbyChanges): LobbyMoves {
  async function moveOne({ lobby_id: id, application_id, user_id: from }: LobbyMemberRecord, to: UserId) {
    const changed = await store.transact(
      lobbyScope(id),
      async transaction => {
        const lobby = await transaction.get('lobbies', id);
        const leaving = await transaction.get('lobby_members', id, from);
        if (!lobby || !leaving) return undefined;
        const isMember = (await transaction.get('lobby_members', id, to)) !== undefined;
        const comes = !isMember && !(await quota.isUsedUp(transaction, application_id, to));
        const added = comes ? [{ ...leaving, ...silent, user_id: to }] : [];
        return changes.apply(transaction, lobby, { removed: [leaving], added });
      },
      quota.guards(application_id, [to]),
    );
    if (changed) await changes.settle(changed);
  }

  return {
    async move(applicationId, from, to) {
      const query = { index: 'byUser', equals: [applicationId, from] } as const;
      for (const membership of await store.list('lobby_members', query)) await moveOne(membership, to);
    },
  };
}
