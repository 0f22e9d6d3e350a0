import { readFileSync, writeFileSync } from 'node:fs';
import { builtAddon } from './built.ts';

// Adds to the number in a file, so many times, reading and writing it under the lock; tries again while it is taken.
const [lockPath = '', counter = '', times = '0'] = process.argv.slice(2);
const addon = await builtAddon();
for (let done = 0; done < Number(times); ) {
  const lock = addon.tryLock(lockPath);
  if (!lock) continue;
  writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1));
  lock.release();
  done++;
}
