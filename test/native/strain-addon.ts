import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadNative } from '../../src/sdk/native/addon.ts';

// Uses the addon in every way, wrong ones too, and drops locks for the garbage collector to find. Needs --expose-gc; the folder
// is the test's own.
const folder = process.argv[2] ?? '';
const found = await loadNative();
if ('missing' in found) throw new Error(found.missing.join('\n'));
const { addon } = found;
const path = join(folder, 'strained');

for (let cycle = 0; cycle < 1000; cycle++) {
  const lock = addon.tryLock(path);
  if (addon.tryLock(path)) throw new Error('taken twice');
  lock?.release();
}
for (let cycle = 0; cycle < 20; cycle++) {
  dropLock();
  await collected();
}
for (const wrong of [
  undefined,
  null,
  1,
  '',
  'a\0b',
  {},
  [],
  Symbol('x'),
  { scheme: 'ab', id: 'a.desktop', command: [1] },
]) {
  for (const call of Object.values(addon)) refused(() => call(wrong));
}
for (const scheme of ['first', 'second']) {
  addon.registerScheme({ scheme, id: 'game.desktop', name: scheme, command: ['/bin/true', scheme] });
  if (addon.handlerOf(scheme)?.id !== 'game.desktop') throw new Error('not registered');
  addon.unregisterScheme(scheme, 'game.desktop');
}
// Held to the end: the end of the process frees it.
addon.tryLock(path);
console.log('ok');

// In a function of its own, so that nothing here refers to the lock any more.
function dropLock(): void {
  if (!addon.tryLock(path)) throw new Error('not free');
}

async function collected(): Promise<void> {
  for (;;) {
    global.gc?.();
    await setImmediate();
    const lock = addon.tryLock(path);
    if (lock) return lock.release();
  }
}

function refused(call: () => unknown): void {
  try {
    call();
  } catch {
    return;
  }
  throw new Error('a wrong argument was taken');
}
