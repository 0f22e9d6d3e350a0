import { snowflakeEpochMs } from '../model/snowflake.ts';
import type { Store } from './store/contract.ts';

const settingName = 'time';

/**
 * The latest time that a data folder is known to have seen. A clock may stand before it when the folder is opened
 * again (a virtual one that had been moved, a system's that was set back); ids made then would be old ones anew.
 */
export async function readTimeMark(store: Store): Promise<number> {
  const setting = await store.get('settings', settingName);
  return typeof setting?.value === 'number' ? setting.value : snowflakeEpochMs;
}

/** Moves the mark on; it never goes back. */
export async function writeTimeMark(store: Store, nowMs: number): Promise<void> {
  await store.transact(`setting/${settingName}`, async transaction => {
    const kept = (await transaction.get('settings', settingName))?.value;
    if (typeof kept === 'number' && kept >= nowMs) return;
    transaction.put('settings', { name: settingName, value: nowMs });
  });
}
