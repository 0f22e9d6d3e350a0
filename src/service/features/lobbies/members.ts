import type { LobbyMemberChange, LobbyMemberInput } from '../../../model/lobby.ts';
import { checkLobbyMember, checkLobbyMemberChanges } from '../../../model/rules/lobbies/lobby.ts';
import type { LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord } from '../../store/records.ts';
import { rejectIssues } from '../../support/request-error.ts';
import type { Changed, LobbyChanges, LobbyQuota } from './changes.ts';
import { lobbyScope, ownLobby, readId, requireUsers, writtenMember } from './records.ts';
import { showMember } from './view.ts';

/** Members, as game servers manage them. Answers are encoded JSON. */
export interface LobbyMembers {
  /**
   * Adds the member or replaces its fields. @throws RequestError `invalid_form_body`, `unknown_lobby`, `unknown_user`
   */
  put(application: ApplicationRecord, id: LobbyId, userId: UserId, input: unknown): Promise<string>;
  /**
   * Adds, updates and removes up to `limits.lobbyMembersPerRequestMax` members atomically; a user who cannot join
   * another lobby is left out. The answer lists those added and updated in the order of the request.
   *
   * @throws RequestError `invalid_form_body`, `unknown_lobby`, `unknown_user`
   * @see docs/spec/lobbies.md#bulk-update
   */
  update(application: ApplicationRecord, id: LobbyId, input: unknown): Promise<string>;
  /** Idempotent while the lobby exists. @throws RequestError `unknown_lobby` */
  remove(application: ApplicationRecord, id: LobbyId, userId: UserId): Promise<void>;
}

/** The result of a put; without `changed`, nothing has changed. */
interface Put {
  readonly member: LobbyMemberRecord;
  readonly changed?: Changed;
}

export function createLobbyMembers({ store }: Core, quota: LobbyQuota, changes: LobbyChanges): LobbyMembers {
  async function put(application: ApplicationRecord, id: LobbyId, userId: UserId, input: unknown): Promise<string> {
    rejectIssues(checkLobbyMember(input));
    const work = (transaction: Transaction) =>
      putWithin(transaction, application, id, userId, input as LobbyMemberInput);
    const { member, changed } = await store.transact(lobbyScope(id), work, quota.guards(application.id, [userId]));
    if (changed) await changes.settle(changed);
    return JSON.stringify(showMember(member));
  }

  async function putWithin(
    transaction: Transaction,
    application: ApplicationRecord,
    id: LobbyId,
    userId: UserId,
    input: LobbyMemberInput,
  ): Promise<Put> {
    const [lobby, stored] = await Promise.all([
      ownLobby(transaction, application, id),
      transaction.get('lobby_members', id, userId),
      // The announcement shows the user, whose record a store outside this process answers together with the others.
      transaction.get('users', userId),
    ]);
    const member = writtenMember(lobby, userId, input, stored);
    if (member === stored) return { member };
    if (!stored) return addWithin(transaction, lobby, member);
    return { member, changed: await changes.apply(transaction, lobby, { updated: [member] }) };
  }

  async function addWithin(transaction: Transaction, lobby: LobbyRecord, member: LobbyMemberRecord): Promise<Put> {
    const { user_id: userId, application_id: applicationId } = member;
    await requireUsers(transaction, [userId]);
    await quota.require(transaction, applicationId, [userId], () => ['user_id']);
    return { member, changed: await changes.apply(transaction, lobby, { added: [member] }) };
  }

  async function update(application: ApplicationRecord, id: LobbyId, input: unknown): Promise<string> {
    rejectIssues(checkLobbyMemberChanges(input));
    const entries = (input as readonly LobbyMemberChange[]).map(entry => ({ ...entry, id: readId(entry.id) }));
    const userIds = entries.map(entry => entry.id);
    const { upserted, changed } = await store.transact(
      lobbyScope(id),
      async transaction => {
        const lobby = await ownLobby(transaction, application, id);
        await requireUsers(transaction, userIds);
        const { upserted, ...sorted } = await sortOut(transaction, lobby, entries);
        return { upserted, changed: await changes.apply(transaction, lobby, sorted) };
      },
      quota.guards(application.id, userIds),
    );
    await changes.settle(changed);
    return JSON.stringify(upserted.map(showMember));
  }

  /** The change for each member. */
  async function sortOut(transaction: Transaction, lobby: LobbyRecord, entries: readonly LobbyMemberChange[]) {
    const upserted: LobbyMemberRecord[] = [];
    const added: LobbyMemberRecord[] = [];
    const updated: LobbyMemberRecord[] = [];
    const removed: LobbyMemberRecord[] = [];
    const found = await Promise.all(entries.map(({ id }) => transaction.get('lobby_members', lobby.id, id)));
    for (const [place, { id, remove_member: isRemoval, ...input }] of entries.entries()) {
      const stored = found[place];
      if (isRemoval) {
        if (stored) removed.push(stored);
        continue;
      }
      if (!stored && (await quota.isUsedUp(transaction, lobby.application_id, id))) continue;
      const member = writtenMember(lobby, id, input, stored);
      upserted.push(member);
      if (!stored) added.push(member);
      else if (member !== stored) updated.push(member);
    }
    return { upserted, added, updated, removed };
  }

  async function remove(application: ApplicationRecord, id: LobbyId, userId: UserId): Promise<void> {
    const changed = await store.transact(lobbyScope(id), async transaction => {
      const [lobby, member] = await Promise.all([
        ownLobby(transaction, application, id),
        transaction.get('lobby_members', id, userId),
      ]);
      return member && changes.apply(transaction, lobby, { removed: [member] });
    });
    if (changed) await changes.settle(changed);
  }

  return { put, update, remove };
}
