import type { Store } from '../../store/contract.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import { homeOf } from '../sessions/session-record.ts';
import { sessionScope } from '../sessions/storage.ts';

/**
 * Makes a session the node's own, as it is stored, and announces that to the node that has it so far.
 *
 * @param change the session as the node wants it; undefined: not at all
 * @returns the session; undefined when there is none, or it is not wanted
 */
export async function claimSession(
  store: Store,
  node: string,
  id: string,
  change: (stored: GatewaySessionRecord) => GatewaySessionRecord | undefined,
): Promise<GatewaySessionRecord | undefined> {
  return store.transact(sessionScope(id), async transaction => {
    const stored = await transaction.get('gateway_sessions', id);
    const wanted = stored && change(stored);
    if (!wanted) return undefined;
    const record = { ...wanted, node, claim: wanted.claim + 1 };
    transaction.put('gateway_sessions', record);
    transaction.announce({ to: homeOf(record), only: id, claim: record.claim });
    return record;
  });
}
