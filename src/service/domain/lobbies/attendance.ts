import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { all, andThen } from '../../support/maybe-promise.ts';
import { announceAttendance, announceLobby, announceLobbyUpdate } from './events.ts';
import { attendedAt, idleSince } from './input.ts';
import { lobbyScope, membersOf, userIdsOf } from './records.ts';
import type { Attendees } from './view.ts';

/** Who of a lobby's members is there: has a live session with its application. */
export interface LobbyAttendance {
  /** Those of the users who have a session now. */
  among(applicationId: ApplicationId, userIds: readonly UserId[]): MaybePromise<ReadonlySet<UserId>>;

  /** The same, and who the users are. */
  look(view: StoreView, applicationId: ApplicationId, userIds: readonly UserId[]): MaybePromise<Attendees>;

  /** Announces the lobby as it is by now, within the work that changed what it shows. */
  announceUpdate(
    transaction: Transaction,
    lobby: LobbyRecord,
    members: readonly LobbyMemberRecord[],
  ): MaybePromise<void>;

  /**
   * Tells a lobby that a member came or went, whichever is so at the commit, and starts the idle clock again. Does
   * nothing when the user is no member.
   */
  tell(lobbyId: LobbyId, userId: UserId): Promise<void>;

  /**
   * To be called after the commit that made the users members. A session that began or ended between the work's look
   * (`told`: who was there) and its commit neither heard of the lobby nor told it anything; both is made up for.
   */
  settle(
    applicationId: ApplicationId,
    lobbyId: LobbyId,
    userIds: readonly UserId[],
    told: ReadonlySet<UserId>,
  ): MaybePromise<void>;
}

/** @param noticeExpiry takes a lobby's new time to end, after the commit */
export function createLobbyAttendance(core: Core, noticeExpiry: (expiresAtMs: number | null) => void): LobbyAttendance {
  const { store, bus, clock } = core;

  function among(applicationId: ApplicationId, userIds: readonly UserId[]): MaybePromise<ReadonlySet<UserId>> {
    const sessions = userIds.map(userId => bus.present(topics.player(applicationId, userId)));
    return andThen(all(sessions), counts => presentAmong(userIds, counts));
  }

  function look(view: StoreView, applicationId: ApplicationId, userIds: readonly UserId[]): MaybePromise<Attendees> {
    return andThen(among(applicationId, userIds), connected =>
      andThen(all(userIds.map(userId => view.get('users', userId))), found => ({ users: byId(found), connected })),
    );
  }

  async function tellLobby(lobbyId: LobbyId, userId: UserId, { whole }: { whole: boolean }): Promise<void> {
    const expiresAtMs = await store.transact(lobbyScope(lobbyId), async transaction => {
      const before = await transaction.get('lobbies', lobbyId);
      const members = whole ? await membersOf(transaction, lobbyId) : [];
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (!before || !member) return undefined;
      const attendees = await look(transaction, before.application_id, whole ? userIdsOf(members) : [userId]);
      const isThere = attendees.connected.has(userId);
      // When one has left, others may still be there; the sweep finds out when the time has come.
      const lobby = isThere ? attendedAt(before, clock.now()) : idleSince(before, clock.now());
      transaction.put('lobbies', lobby);
      announceAttendance(transaction, member, attendees);
      if (whole && isThere) announceLobby(transaction, lobby, members, attendees, [userId]);
      return lobby.expires_at_ms;
    });
    if (expiresAtMs !== undefined) noticeExpiry(expiresAtMs);
  }

  async function tellAll(lobbyId: LobbyId, userIds: readonly UserId[]): Promise<void> {
    for (const userId of userIds) await tellLobby(lobbyId, userId, { whole: true });
  }

  return {
    among,
    look,
    announceUpdate: (transaction, lobby, members) =>
      andThen(look(transaction, lobby.application_id, userIdsOf(members)), attendees =>
        announceLobbyUpdate(transaction, lobby, members, attendees),
      ),
    tell: (lobbyId, userId) => tellLobby(lobbyId, userId, { whole: false }),
    settle(applicationId, lobbyId, userIds, told) {
      return andThen(among(applicationId, userIds), there => {
        const missed = userIds.filter(userId => there.has(userId) !== told.has(userId));
        return missed.length === 0 ? undefined : tellAll(lobbyId, missed);
      });
    },
  };
}

const nobody: ReadonlySet<UserId> = new Set();

function presentAmong(userIds: readonly UserId[], sessions: readonly number[]): ReadonlySet<UserId> {
  const present = userIds.filter((_, index) => (sessions[index] ?? 0) > 0);
  return present.length === 0 ? nobody : new Set(present);
}

function byId(users: readonly (UserRecord | undefined)[]): ReadonlyMap<UserId, UserRecord> {
  const known = new Map<UserId, UserRecord>();
  for (const user of users) if (user) known.set(user.id, user);
  return known;
}
