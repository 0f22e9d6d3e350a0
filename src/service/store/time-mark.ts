import { snowflakeEpochMs } from '../../model/snowflake.ts';
import type { Store } from './contract.ts';

const settingName = 'time';

/**
 * Takes the next millisecond that no process on this data folder has dated an id by, and moves the mark there: a clock
 * may stand at or before the mark when the folder is opened again (a virtual one that was moved or stands still, a
 * system's that was set back), and would then issue ids a second time.
 */
export async function takeTimeMark(store: Store, nowMs: number): Promise<number> {
  return store.transact(`setting/${settingName}`, async transaction => {
    const kept = (await transaction.get('settings', settingName))?.value;
    const value = Math.max(nowMs, typeof kept === 'number' ? kept + 1 : snowflakeEpochMs);
    transaction.put('settings', { name: settingName, value });
    return value;
  });
}

/** Moves the mark on; it never goes back. */
export async function writeTimeMark(store: Store, nowMs: number): Promise<void> {
  await store.transact(`setting/${settingName}`, async transaction => {
    const kept = (await transaction.get('settings', settingName))?.value;
    if (typeof kept === 'number' && kept >= nowMs) return;
    transaction.put('settings', { name: settingName, value: nowMs });
  });
}
