import { fieldErrors } from '../../../model/errors/issue.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { andThen } from '../../support/maybe-promise.ts';
import { RequestError } from '../../support/request-error.ts';
import type { Expiry } from '../expiry.ts';
import type { LobbyAttendance } from './attendance.ts';
import { announceLobby, announceMemberAdd, announceMemberRemove, announceMemberUpdate } from './events.ts';
import { idleSince, type MemberChanges } from './input.ts';
import { membersOf, userIdsOf } from './records.ts';
import type { Attendees } from './view.ts';

/** What a work has done to a lobby, and what remains to be done once it is committed. */
export interface Changed {
  readonly lobby: LobbyRecord;
  /** Who became a member. */
  readonly added: readonly UserId[];
  /** Those of them who were there to be told. */
  readonly told: ReadonlySet<UserId>;
}

/** How lobbies begin and their members change, one by one; used within the works of all that do so. */
export interface LobbyChanges {
  /** Stores a new lobby with its members and tells those who are there. */
  open(transaction: Transaction, lobby: LobbyRecord, members: readonly LobbyMemberRecord[]): MaybePromise<Changed>;

  /**
   * Stores what happens to single members and tells everybody. Does not read the others, unless somebody comes who is
   * there to be shown them: that costs as much as the lobby is large.
   *
   * @throws RequestError `invalid_form_body` when the lobby is full
   */
  apply(
    transaction: Transaction,
    lobby: LobbyRecord,
    changes: Partial<Omit<MemberChanges, 'members'>>,
  ): MaybePromise<Changed>;

  /** To be called after the commit. */
  settle(changed: Changed): MaybePromise<void>;
}

export function createLobbyChanges({ clock }: Core, attendance: LobbyAttendance, expiry: Expiry): LobbyChanges {
  function open(
    transaction: Transaction,
    empty: LobbyRecord,
    members: readonly LobbyMemberRecord[],
  ): MaybePromise<Changed> {
    const added = userIdsOf(members);
    return andThen(attendance.among(empty.application_id, added), told => {
      const lobby = { ...empty, member_count: members.length, attended: told.size > 0 };
      transaction.put('lobbies', lobby);
      for (const member of members) transaction.put('lobby_members', member);
      const changed = { lobby, added, told };
      // A new lobby is heard of by nobody else.
      return told.size === 0 ? changed : showAround(transaction, changed);
    });
  }

  function apply(
    transaction: Transaction,
    before: LobbyRecord,
    { added = none, updated = none, removed = none }: Partial<Omit<MemberChanges, 'members'>>,
  ): MaybePromise<Changed> {
    const userIds = [...userIdsOf(added), ...userIdsOf(updated), ...userIdsOf(removed)];
    return andThen(attendance.look(transaction, before.application_id, userIds), attendees =>
      applyAmong(transaction, before, { added, updated, removed }, attendees),
    );
  }

  function applyAmong(
    transaction: Transaction,
    before: LobbyRecord,
    { added, updated, removed }: Omit<MemberChanges, 'members'>,
    attendees: Attendees,
  ): MaybePromise<Changed> {
    const isThere = ({ user_id }: LobbyMemberRecord) => attendees.connected.has(user_id);
    const lobby = resized(before, added, removed, isThere);
    if (lobby !== before) transaction.put('lobbies', lobby);
    for (const { user_id } of removed) transaction.delete('lobby_members', before.id, user_id);
    for (const member of updated) transaction.put('lobby_members', member);
    for (const member of added) transaction.put('lobby_members', member);

    for (const member of removed) announceMemberRemove(transaction, member, attendees);
    for (const member of updated) announceMemberUpdate(transaction, member, attendees);
    for (const member of added) announceMemberAdd(transaction, member, attendees);
    const told = added.filter(isThere);
    const changed = { lobby, added: userIdsOf(added), told: new Set(userIdsOf(told)) };
    return told.length === 0 ? changed : showAround(transaction, changed);
  }

  function resized(
    lobby: LobbyRecord,
    added: readonly LobbyMemberRecord[],
    removed: readonly LobbyMemberRecord[],
    isThere: (member: LobbyMemberRecord) => boolean,
  ): LobbyRecord {
    if (added.length === 0 && removed.length === 0) return lobby;
    const member_count = lobby.member_count + added.length - removed.length;
    if (added.length > 0 && member_count > limits.lobbyMembersMax) throw lobbyFull();
    if (added.some(isThere)) return { ...lobby, member_count, attended: true };
    if (removed.some(isThere)) return idleSince({ ...lobby, member_count }, clock.now());
    return { ...lobby, member_count };
  }

  async function showAround(transaction: Transaction, changed: Changed): Promise<Changed> {
    const { lobby, told } = changed;
    const members = await membersOf(transaction, lobby.id);
    const attendees = await attendance.look(transaction, lobby.application_id, userIdsOf(members));
    announceLobby(transaction, lobby, members, attendees, told);
    return changed;
  }

  function settle({ lobby, added, told }: Changed): MaybePromise<void> {
    expiry.notice(lobby.expires_at_ms);
    return added.length === 0 ? undefined : attendance.settle(lobby.application_id, lobby.id, added, told);
  }

  return { open, apply, settle };
}

const none: readonly LobbyMemberRecord[] = [];

/** Our choice: no source names an error for it, so a full lobby is a members list that is too long. */
function lobbyFull(): RequestError {
  const message = fieldErrors.BASE_TYPE_MAX_LENGTH(limits.lobbyMembersMax);
  return new RequestError('invalid_form_body', {}, [{ path: ['members'], code: 'BASE_TYPE_MAX_LENGTH', message }]);
}
