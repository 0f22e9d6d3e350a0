import { fieldErrors } from '../../../model/errors/field-errors.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { Expiry } from '../../expiry.ts';
import { countLobbies, createOwnedBound } from '../../owned-bound.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord } from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { invalidBody, type RequestError, rejectIssues } from '../../support/request-error.ts';
import type { ConnectedMembers } from './connected-members.ts';
import { idleSince, type MemberChanges, membersOf, userIdsOf } from './records.ts';
import { announceLobby, announceMemberAdd, announceMemberRemove, announceMemberUpdate } from './view.ts';

/** What a transaction has done to a lobby, and what remains to be done after its commit. */
export interface Changed {
  readonly lobby: LobbyRecord;
  /** The new members. */
  readonly added: readonly UserId[];
  /** The new members who were connected and received the lobby. */
  readonly announced: ReadonlySet<UserId>;
}

/** How lobbies are created and their members change, used within the transactions that do so. */
export interface LobbyChanges {
  /** Stores a new lobby with its members and announces it to those who are connected. */
  open(transaction: Transaction, lobby: LobbyRecord, members: readonly LobbyMemberRecord[]): Promise<Changed>;

  /**
   * Stores changes of single members and announces them. The other members are read only if a new member is connected
   * and must be shown them, which costs as much as the lobby is large.
   *
   * @throws RequestError `invalid_form_body` when the lobby is full
   */
  apply(
    transaction: Transaction,
    lobby: LobbyRecord,
    changes: Partial<Omit<MemberChanges, 'members'>>,
  ): Promise<Changed>;

  /** Call it after the commit. */
  settle(changed: Changed): Promise<void>;
}

export function createLobbyChanges({ clock }: Core, connectedMembers: ConnectedMembers, expiry: Expiry): LobbyChanges {
  async function open(
    transaction: Transaction,
    empty: LobbyRecord,
    members: readonly LobbyMemberRecord[],
  ): Promise<Changed> {
    const added = userIdsOf(members);
    const announced = await connectedMembers.among(empty.application_id, added);
    const lobby = { ...empty, member_count: members.length, attended: announced.size > 0 };
    transaction.put('lobbies', lobby);
    for (const member of members) transaction.put('lobby_members', member);
    const changed = { lobby, added, announced };
    // Nobody else receives anything about a new lobby.
    return announced.size === 0 ? changed : announceWhole(transaction, changed);
  }

  async function apply(
    transaction: Transaction,
    before: LobbyRecord,
    { added = none, updated = none, removed = none }: Partial<Omit<MemberChanges, 'members'>>,
  ): Promise<Changed> {
    const userIds = [...userIdsOf(added), ...userIdsOf(updated), ...userIdsOf(removed)];
    const presence = await connectedMembers.withUsers(transaction, before.application_id, userIds);
    const isThere = ({ user_id }: LobbyMemberRecord) => presence.connected.has(user_id);
    const lobby = resized(before, added, removed, isThere);
    if (lobby !== before) transaction.put('lobbies', lobby);
    for (const { user_id } of removed) transaction.delete('lobby_members', before.id, user_id);
    for (const member of updated) transaction.put('lobby_members', member);
    for (const member of added) transaction.put('lobby_members', member);

    for (const member of removed) announceMemberRemove(transaction, member, presence);
    for (const member of updated) announceMemberUpdate(transaction, member, presence);
    for (const member of added) announceMemberAdd(transaction, member, presence);
    const announced = added.filter(isThere);
    const changed = { lobby, added: userIdsOf(added), announced: new Set(userIdsOf(announced)) };
    return announced.length === 0 ? changed : announceWhole(transaction, changed);
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

  async function announceWhole(transaction: Transaction, changed: Changed): Promise<Changed> {
    const { lobby, announced } = changed;
    const members = await membersOf(transaction, lobby.id);
    const presence = await connectedMembers.withUsers(transaction, lobby.application_id, userIdsOf(members));
    announceLobby(transaction, lobby, members, presence, announced);
    return changed;
  }

  async function settle({ lobby, added, announced }: Changed): Promise<void> {
    expiry.notice(lobby.expires_at_ms);
    if (added.length > 0) await connectedMembers.announceMissed(lobby.application_id, lobby.id, added, announced);
  }

  return { open, apply, settle };
}

const none: readonly LobbyMemberRecord[] = [];

/** Unspecified: no source names an error for a full lobby, so it is reported as a members list that is too long. */
function lobbyFull(): RequestError {
  const message = fieldErrors.BASE_TYPE_MAX_LENGTH(limits.lobbyMembersMax);
  return invalidBody([{ path: ['members'], code: 'BASE_TYPE_MAX_LENGTH', message }]);
}

/**
 * How many lobbies of an application a user can be in. To make the bound exact, a transaction that adds members runs
 * with their guards.
 */
export interface LobbyQuota {
  /**
   * Counts a new lobby of the application. Unspecified: the bound, and the error, which is that of a body as a whole.
   *
   * @throws RequestError `invalid_form_body`
   */
  takeLobby(applicationId: ApplicationId): Promise<void>;
  guards(applicationId: ApplicationId, userIds: readonly UserId[]): readonly string[];
  /** Whether the user cannot join another lobby. */
  isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean>;
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
  ): Promise<void>;
}

export function createLobbyQuota(core: Pick<Core, 'limits' | 'clock' | 'store'>): LobbyQuota {
  const { lobbiesPerUserMax: max, lobbiesPerApplicationMax } = core.limits;
  const takeLobby = createOwnedBound(core, 'lobbies', lobbiesPerApplicationMax, countLobbies);

  async function isUsedUp(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean> {
    if (max === undefined) return false;
    const query = { index: 'byUser', equals: [applicationId, userId], limit: max } as const;
    return (await view.list('lobby_members', query)).length >= max;
  }

  return {
    isUsedUp,
    async takeLobby(applicationId) {
      if (await takeLobby(applicationId)) return;
      const message = serviceFieldErrors.LOBBIES_PER_APPLICATION_MAX(lobbiesPerApplicationMax ?? 0);
      throw invalidBody([{ path: [], code: 'LOBBIES_PER_APPLICATION_MAX', message }]);
    },
    guards(applicationId, userIds) {
      return max === undefined ? [] : userIds.map(userId => `lobby-quota/${applicationId}/${userId}`);
    },
    async require(view, applicationId, userIds, pathOf) {
      if (max === undefined) return;
      const message = serviceFieldErrors.LOBBIES_PER_USER_MAX(max);
      const usedUp = await Promise.all(userIds.map(userId => isUsedUp(view, applicationId, userId)));
      const refused = userIds.filter((_, index) => usedUp[index]);
      rejectIssues(refused.map(userId => ({ path: [...pathOf(userId)], code: 'LOBBIES_PER_USER_MAX', message })));
    },
  };
}
