import type { ApplicationId } from '../../../model/snowflake.ts';
import type { Store, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { RequestError } from '../../support/request-error.ts';

/**
 * Changes some fields of an application.
 *
 * @param announce further writes of the same transaction; its events follow the change
 * @throws RequestError `unknown_application` when it was deleted meanwhile
 */
export async function changeApplication(
  store: Store,
  id: ApplicationId,
  fields: Partial<ApplicationRecord>,
  announce?: (transaction: Transaction, changed: ApplicationRecord, before: ApplicationRecord) => MaybePromise<void>,
): Promise<ApplicationRecord> {
  const work = async (transaction: Transaction) => {
    const before = await transaction.get('applications', id);
    if (!before) throw new RequestError('unknown_application');
    const changed = { ...before, ...fields };
    transaction.put('applications', changed);
    await announce?.(transaction, changed, before);
    return changed;
  };
  // Runs one after another with fixtures, which write applications, too. It has a store scope of its own, because
  // sessions that have just received their guilds ignore earlier announcements of the fixtures' scope.
  return store.transact(`application/${id}`, work, ['fixtures']);
}
