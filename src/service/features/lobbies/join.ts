import type { LobbyJoinInput } from '../../../model/lobby.ts';
import { checkLobbyJoin } from '../../../model/rules/lobbies/lobby-join.ts';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { hashSecret } from '../../support/secret.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Changed, LobbyChanges, LobbyQuota } from './changes.ts';
import type { ConnectedMembers } from './connected-members.ts';
import { joinedLobby, joinedMember, lobbyScope, looksDifferent, membersOf, newLobby, ownLobby } from './records.ts';
import { showLobby } from './view.ts';

/**
 * Lobbies that players create and share by a secret. The secret leads to one lobby of the application until that
 * lobby ends or `serviceLimits.lobbySecretLifeMs` have passed; then it creates another.
 *
 * @see docs/spec/lobbies.md#create-or-join; docs/spec/lobbies.md#leave
 */
export interface LobbyJoin {
  /**
   * Creates the secret's lobby with the user as its member, adds the user to it, or updates the user's membership.
   * The answer is the lobby as encoded JSON.
   *
   * @throws RequestError `invalid_form_body`
   */
  join(application: ApplicationRecord, user: UserRecord, input: unknown): Promise<string>;
  /**
   * Removes the user from a lobby. Idempotent while the lobby exists.
   *
   * @throws RequestError `unknown_lobby`, `missing_access` when a server created the lobby
   */
  leave(application: ApplicationRecord, user: UserRecord, id: LobbyId): Promise<void>;
}

/** The result of a join. */
interface Joined {
  readonly changed: Changed;
  readonly members: readonly LobbyMemberRecord[];
}

export function createLobbyJoin(
  { store, clock, ids }: Core,
  connectedMembers: ConnectedMembers,
  quota: LobbyQuota,
  changes: LobbyChanges,
): LobbyJoin {
  async function join(application: ApplicationRecord, user: UserRecord, input: unknown): Promise<string> {
    rejectIssues(checkLobbyJoin(input));
    const body = input as LobbyJoinInput;
    const secret = { applicationId: application.id, hash: hashSecret(body.secret) };
    const joined = await reach(secret, user.id, body);
    await changes.settle(joined.changed);
    return JSON.stringify(showLobby(joined.changed.lobby, joined.members));
  }

  /** The lobby may be deleted or created between the read and the transaction; then the join is tried again. */
  async function reach(secret: Secret, userId: UserId, body: LobbyJoinInput): Promise<Joined> {
    for (;;) {
      const found = await findOpen(store, secret);
      const joined = await (found ? enter(found.id, secret, userId, body) : open(secret, userId, body));
      if (joined) return joined;
    }
  }

  /** Undefined when the secret no longer leads to the lobby. */
  function enter(id: LobbyId, secret: Secret, userId: UserId, body: LobbyJoinInput): Promise<Joined | undefined> {
    const guards = quota.guards(secret.applicationId, [userId]);
    return store.transact(lobbyScope(id), transaction => enterWithin(transaction, id, secret, userId, body), guards);
  }

  async function enterWithin(
    transaction: Transaction,
    id: LobbyId,
    secret: Secret,
    userId: UserId,
    body: LobbyJoinInput,
  ): Promise<Joined | undefined> {
    const before = await transaction.get('lobbies', id);
    if (!before || !isOpen(before, clock.now())) return undefined;
    const stored = await transaction.get('lobby_members', id, userId);
    if (!stored) await quota.require(transaction, secret.applicationId, [userId], () => []);
    const lobby = joinedLobby(before, body, clock.now());
    if (lobby !== before) transaction.put('lobbies', lobby);
    if (looksDifferent(lobby, before)) {
      await connectedMembers.announceUpdate(transaction, lobby, await membersOf(transaction, id));
    }
    const member = joinedMember(lobby, userId, body, stored);
    const changed = await changes.apply(transaction, lobby, memberChanges(member, stored));
    return { changed, members: await membersOf(transaction, id) };
  }

  /** Undefined when another request created the lobby first. */
  async function open(secret: Secret, userId: UserId, body: LobbyJoinInput): Promise<Joined | undefined> {
    await quota.takeLobby(secret.applicationId);
    const nowMs = clock.now();
    const { applicationId, hash } = secret;
    const empty: LobbyRecord = {
      ...joinedLobby(newLobby({ id: ids.next(), application_id: applicationId }, {}, nowMs), body, nowMs),
      secret_hash: hash,
      secret_expires_at_ms: nowMs + serviceLimits.lobbySecretLifeMs,
    };
    return store.transact(
      lobbyScope(empty.id),
      async transaction => {
        if (await findOpen(transaction, secret)) return undefined;
        await quota.require(transaction, applicationId, [userId], () => []);
        const members = [joinedMember(empty, userId, body)];
        return { changed: await changes.open(transaction, empty, members), members };
      },
      [secretGuard(secret), ...quota.guards(applicationId, [userId])],
    );
  }

  /** The lobby that the secret leads to. */
  async function findOpen(view: StoreView, { applicationId, hash }: Secret): Promise<LobbyRecord | undefined> {
    const query = { index: 'bySecret', equals: [applicationId, hash], descending: true, limit: 1 } as const;
    const [newest] = await view.list('lobbies', query);
    return newest && isOpen(newest, clock.now()) ? newest : undefined;
  }

  async function leave(application: ApplicationRecord, user: UserRecord, id: LobbyId): Promise<void> {
    const changed = await store.transact(lobbyScope(id), async transaction => {
      const lobby = await ownLobby(transaction, application, id);
      const member = await transaction.get('lobby_members', id, user.id);
      if (!member) return undefined;
      if (lobby.secret_hash === null) throw notToBeLeft();
      return changes.apply(transaction, lobby, { removed: [member] });
    });
    if (changed) await changes.settle(changed);
  }

  return { join, leave };
}

interface Secret {
  readonly applicationId: ApplicationId;
  readonly hash: string;
}

/** Transactions that create a lobby for one secret run one after another in this store scope. */
function secretGuard({ applicationId, hash }: Secret): string {
  return `lobby-secret/${applicationId}/${hash}`;
}

function isOpen({ secret_expires_at_ms: untilMs }: LobbyRecord, nowMs: number): boolean {
  return untilMs !== null && nowMs < untilMs;
}

function memberChanges(member: LobbyMemberRecord, stored: LobbyMemberRecord | undefined) {
  if (!stored) return { added: [member] };
  return member === stored ? {} : { updated: [member] };
}

/** Unspecified: no source names the error. */
function notToBeLeft(): RequestError {
  const message = "This lobby was made by the application's server, which alone can remove its members";
  return new RequestError('missing_access', { message });
}
