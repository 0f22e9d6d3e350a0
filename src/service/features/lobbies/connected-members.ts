import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { connectedAt, idleSince, lobbyScope, membersOf, userIdsOf } from './records.ts';
import { announceConnection, announceLobby, announceLobbyUpdate, type MemberPresence } from './view.ts';

/** Which members of a lobby are connected: they have a live session with its application. */
export interface ConnectedMembers {
  /** The users of these who are connected now. */
  among(applicationId: ApplicationId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>>;

  /** The same, with the users' records. */
  withUsers(view: StoreView, applicationId: ApplicationId, userIds: readonly UserId[]): Promise<MemberPresence>;

  /** Announces the lobby in its present state, within the transaction that changed it. */
  announceUpdate(transaction: Transaction, lobby: LobbyRecord, members: readonly LobbyMemberRecord[]): Promise<void>;

  /**
   * Announces to a lobby that a member connected or disconnected, whichever is true at the commit, and restarts the
   * idle timeout. Does nothing when the user is not a member.
   */
  announce(lobbyId: LobbyId, userId: UserId): Promise<void>;

  /**
   * Call it after the commit that made the users members. A session that began or ended between the read in the
   * transaction (`announced`: who was connected then) and its commit neither received the lobby nor was announced to
   * it; this repairs both.
   */
  announceMissed(
    applicationId: ApplicationId,
    lobbyId: LobbyId,
    userIds: readonly UserId[],
    announced: ReadonlySet<UserId>,
  ): Promise<void>;
}

/** @param noticeExpiry is called after the commit with the new time at which the lobby ends */
export function createConnectedMembers(
  core: Core,
  noticeExpiry: (expiresAtMs: number | null) => void,
): ConnectedMembers {
  const { store, bus, clock } = core;

  async function among(applicationId: ApplicationId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const sessions = await Promise.all(userIds.map(userId => bus.present(topics.player(applicationId, userId))));
    return new Set(userIds.filter((_, index) => (sessions[index] ?? 0) > 0));
  }

  async function withUsers(
    view: StoreView,
    applicationId: ApplicationId,
    userIds: readonly UserId[],
  ): Promise<MemberPresence> {
    const [connected, users] = await Promise.all([
      among(applicationId, userIds),
      Promise.all(userIds.map(userId => view.get('users', userId))),
    ]);
    return { users: byId(users), connected };
  }

  async function announceTo(lobbyId: LobbyId, userId: UserId, { whole }: { whole: boolean }): Promise<void> {
    const expiresAtMs = await store.transact(lobbyScope(lobbyId), async transaction => {
      const before = await transaction.get('lobbies', lobbyId);
      const members = whole ? await membersOf(transaction, lobbyId) : [];
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (!before || !member) return undefined;
      const presence = await withUsers(transaction, before.application_id, whole ? userIdsOf(members) : [userId]);
      const isThere = presence.connected.has(userId);
      // When one member disconnects, others may still be connected; the sweep finds that out when the timeout has
      // passed.
      const lobby = isThere ? connectedAt(before, clock.now()) : idleSince(before, clock.now());
      transaction.put('lobbies', lobby);
      announceConnection(transaction, member, presence);
      if (whole && isThere) announceLobby(transaction, lobby, members, presence, [userId]);
      return lobby.expires_at_ms;
    });
    if (expiresAtMs !== undefined) noticeExpiry(expiresAtMs);
  }

  return {
    among,
    withUsers,
    async announceUpdate(transaction, lobby, members) {
      const presence = await withUsers(transaction, lobby.application_id, userIdsOf(members));
      announceLobbyUpdate(transaction, lobby, members, presence);
    },
    announce: (lobbyId, userId) => announceTo(lobbyId, userId, { whole: false }),
    async announceMissed(applicationId, lobbyId, userIds, announced) {
      const connected = await among(applicationId, userIds);
      for (const userId of userIds) {
        if (connected.has(userId) !== announced.has(userId)) await announceTo(lobbyId, userId, { whole: true });
      }
    },
  };
}

function byId(users: readonly (UserRecord | undefined)[]): ReadonlyMap<UserId, UserRecord> {
  const known = new Map<UserId, UserRecord>();
  for (const user of users) if (user) known.set(user.id, user);
  return known;
}
