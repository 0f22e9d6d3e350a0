import { fieldErrors } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import type { LobbyMemberInput } from '../../model/lobby.ts';
import { checkLobbyMember } from '../../model/rules/lobby.ts';
import type { LobbyId, UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import type { Transaction } from '../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord } from '../store/records.ts';
import type { Expiry } from './expiry.ts';
import type { LobbyAttendance } from './lobby-attendance.ts';
import { announceLobby, announceMemberAdd, announceMemberRemove, announceMemberUpdate } from './lobby-events.ts';
import { idleSince, writtenMember } from './lobby-input.ts';
import { lobbyScope, membersOf, ownLobby, requireUsers, userIdsOf } from './lobby-records.ts';
import { showMember } from './lobby-view.ts';

/** One member at a time: none of this reads the other members, unless somebody is there to be shown them. */
export interface LobbyMembers {
  /** Adds the member or replaces what is known of it. @throws Fault `invalid_form_body`, `unknown_lobby`, `unknown_user` */
  put(application: ApplicationRecord, id: LobbyId, userId: UserId, input: unknown): Promise<string>;
  /** Idempotent while the lobby is there. @throws Fault `unknown_lobby` */
  remove(application: ApplicationRecord, id: LobbyId, userId: UserId): Promise<void>;
}

export function createLobbyMembers({ store, clock }: Core, attendance: LobbyAttendance, expiry: Expiry): LobbyMembers {
  async function put(application: ApplicationRecord, id: LobbyId, userId: UserId, input: unknown): Promise<string> {
    refuseIssues(checkLobbyMember(input));
    const body = input as LobbyMemberInput;
    const { member, told } = await store.transact(lobbyScope(id), async transaction => {
      const lobby = await ownLobby(transaction, application, id);
      const stored = await transaction.get('lobby_members', id, userId);
      const member = writtenMember(lobby, userId, body, stored);
      if (member === stored) return { member };
      const connected = await attendance.has(application.id, userId);
      if (stored) {
        transaction.put('lobby_members', member);
        announceMemberUpdate(transaction, member, connected);
        return { member };
      }
      await admit(transaction, lobby, member, connected);
      return { member, told: connected };
    });
    if (told !== undefined) await attendance.settle(application.id, id, userId, told);
    return JSON.stringify(showMember(member));
  }

  async function admit(
    transaction: Transaction,
    lobby: LobbyRecord,
    member: LobbyMemberRecord,
    connected: boolean,
  ): Promise<void> {
    await requireUsers(transaction, [member.user_id]);
    if (lobby.member_count >= limits.lobbyMembersMax) throw lobbyFull();
    const grown = { ...lobby, member_count: lobby.member_count + 1, attended: lobby.attended || connected };
    transaction.put('lobbies', grown);
    transaction.put('lobby_members', member);
    announceMemberAdd(transaction, member, connected);
    if (connected) await showAround(transaction, grown, member.user_id);
  }

  /** Shows a member who is there the lobby it has come into: this costs as much as the lobby is large. */
  async function showAround(transaction: Transaction, lobby: LobbyRecord, userId: UserId): Promise<void> {
    const members = await membersOf(transaction, lobby.id);
    const there = await attendance.among(lobby.application_id, userIdsOf(members));
    announceLobby(transaction, lobby, members, there, [userId]);
  }

  async function remove(application: ApplicationRecord, id: LobbyId, userId: UserId): Promise<void> {
    const expiresAtMs = await store.transact(lobbyScope(id), async transaction => {
      const lobby = await ownLobby(transaction, application, id);
      const member = await transaction.get('lobby_members', id, userId);
      if (!member) return undefined;
      const connected = await attendance.has(application.id, userId);
      const shrunk = { ...lobby, member_count: lobby.member_count - 1 };
      const left = connected ? idleSince(shrunk, clock.now()) : shrunk;
      transaction.put('lobbies', left);
      transaction.delete('lobby_members', id, userId);
      announceMemberRemove(transaction, member, connected);
      return left.expires_at_ms;
    });
    if (expiresAtMs !== undefined) expiry.notice(expiresAtMs);
  }

  return { put, remove };
}

/** Our choice: no source names an error for it, so a full lobby is a members list that is too long. */
function lobbyFull(): Fault {
  const message = fieldErrors.BASE_TYPE_MAX_LENGTH(limits.lobbyMembersMax);
  return new Fault('invalid_form_body', {}, [{ path: ['members'], code: 'BASE_TYPE_MAX_LENGTH', message }]);
}
