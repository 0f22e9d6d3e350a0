import { setImmediate } from 'node:timers/promises';
import { builtAddon } from './built.ts';

// Drops a lock without releasing it, has garbage collected, and says whether the lock was freed. Needs --expose-gc.
const path = process.argv[2] ?? '';
const addon = await builtAddon();
(() => addon.tryLock(path))();
const before = addon.tryLock(path) === undefined;
for (let turn = 0; turn < 10; turn++) {
  global.gc?.();
  await setImmediate();
}
console.log(JSON.stringify({ before, after: addon.tryLock(path) !== undefined }));
