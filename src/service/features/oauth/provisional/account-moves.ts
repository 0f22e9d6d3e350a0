import { type ApplicationId, type Snowflake, snowflakeTimeMs, type UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { lazyEvent, topics } from '../../../events/announcement.ts';
import { hasOtherNodes } from '../../../expiry.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { AccountMoveRecord, ExternalIdentityRecord } from '../../../store/records.ts';
import { identitiesOf, identityScope } from './identity.ts';

/** How often a node of a cluster looks for moves that another node has not completed, and how old they are then. */
const lookMs = 30_000;
const abandonedMs = 60_000;

/** Something that accounts have, which moves with them. */
export interface MovedPart {
  /** May be repeated. */
  move(applicationId: ApplicationId, from: UserId, to: UserId): Promise<void>;
}

/**
 * Moves what one account has with an application to another account: the identities in one transaction, then the
 * parts, for example the memberships in one transaction for each lobby. The identities are locked until all is done. After a restart the
 * service continues a move that it had begun; in a cluster, another node does. Two may do it at the same time.
 */
export interface AccountMoves {
  /** Begins a move, within the transaction that decided on it. */
  begin(transaction: Transaction, move: AccountMoveRecord, identities: readonly ExternalIdentityRecord[]): void;
  /** Call it after the commit; it never rejects. */
  finish(move: AccountMoveRecord): Promise<void>;
  /** Continues moves that were begun before a restart; the returned function stops looking for more. */
  start(): Promise<() => void>;
}

export function createAccountMoves(core: Core, moved: readonly MovedPart[]): AccountMoves {
  const { store, log } = core;

  async function carryOut(move: AccountMoveRecord): Promise<void> {
    const { application_id, source_id, destination_id } = move;
    for (const part of moved) await part.move(application_id, source_id, destination_id);
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
      log.error(
        { move: move.id, error },
        'A move of an account was not completed; it continues when the service starts again.',
      );
    }
  }

  async function finishAbandoned(): Promise<void> {
    try {
      const sinceMs = core.clock.now() - abandonedMs;
      for (const move of await store.list('account_moves')) if (snowflakeTimeMs(move.id) < sinceMs) await finish(move);
    } catch (error) {
      log.warn({ error }, 'Moves of accounts that are not complete could not be read; it is tried again.');
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
      if (!hasOtherNodes(core)) return () => {};
      let stop = core.clock.schedule(lookMs, look);
      let hasStopped = false;
      async function look(): Promise<void> {
        await finishAbandoned();
        if (!hasStopped) stop = core.clock.schedule(lookMs, look);
      }
      return () => {
        hasStopped = true;
        stop();
      };
    },
  };
}

/** The accounts of a move. */
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
