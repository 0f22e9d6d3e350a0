import type { ApplicationId, Snowflake, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { LobbyMoves } from '../../domain/lobbies/moves.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { AccountMoveRecord, ExternalIdentityRecord } from '../../store/records.ts';
import { identitiesOf, identityScope } from './identity.ts';

/**
 * What one account had with an application becomes another's: in one commit the identities, in others after it what each
 * lobby must be told by itself. Until all is done, the identities are locked. A service that ends in between goes on
 * with it when it starts.
 */
export interface AccountMoves {
  /** Begins a move, within the work that decided on it. */
  begin(transaction: Transaction, move: AccountMoveRecord, identities: readonly ExternalIdentityRecord[]): void;
  /** To be called after the commit; never rejects. */
  finish(move: AccountMoveRecord): Promise<void>;
  /** Goes on with those that were begun. */
  start(): Promise<() => void>;
}

export function createAccountMoves(core: Core, lobbies: LobbyMoves): AccountMoves {
  const { store, log } = core;

  async function carryOut(move: AccountMoveRecord): Promise<void> {
    const { application_id, source_id, destination_id } = move;
    await lobbies.move(application_id, source_id, destination_id);
    const identities = await identitiesOf(store, application_id, destination_id);
    const locked = identities.filter(({ operation_id }) => operation_id === move.id);
    await store.transact(
      `account-move/${move.id}`,
      async transaction => {
        if (!(await transaction.get('account_moves', move.id))) return;
        transaction.delete('account_moves', move.id);
        for (const identity of locked) transaction.put('external_identities', { ...identity, operation_id: null });
        const destination = await transaction.get('users', destination_id);
        if (destination?.provisional_of === null) announceMerge(transaction, move);
      },
      locked.map(identity => identityScope(application_id, identity)),
    );
  }

  async function finish(move: AccountMoveRecord): Promise<void> {
    try {
      await carryOut(move);
    } catch (error) {
      log.error({ move: move.id, error }, 'An account was not moved to its end; that goes on when the service starts.');
    }
  }

  return {
    finish,
    begin(transaction, move, identities) {
      transaction.put('account_moves', move);
      for (const identity of identities) {
        const moved = { ...identity, user_id: move.destination_id, operation_id: move.id };
        transaction.put('external_identities', moved);
      }
    },
    async start() {
      for (const move of await store.list('account_moves')) await finish(move);
      return () => {};
    },
  };
}

/** Names the parties of a move. */
export function moveOf(id: Snowflake, applicationId: ApplicationId, from: UserId, to: UserId): AccountMoveRecord {
  return { id, application_id: applicationId, source_id: from, destination_id: to };
}

/** @see docs/spec/oauth2.md#merging */
function announceMerge(transaction: Transaction, { id, application_id, source_id, destination_id }: AccountMoveRecord) {
  const event = lazyEvent('USER_MERGE_OPERATION_COMPLETED', () => ({
    merge_operation_id: id,
    source_user_id: source_id,
  }));
  transaction.announce({ to: topics.player(application_id, destination_id), event });
}
