import { spawn } from 'node:child_process';
import { builtAddon } from './built.ts';

// Takes the lock named on the command line, says `held` or `busy`, and ends with its stdin. With `--child` it first
// starts a process that outlives it.
const [path = '', option] = process.argv.slice(2);
const lock = (await builtAddon()).tryLock(path);
if (option === '--child') {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  child.unref();
  console.log(child.pid);
}
console.log(lock ? 'held' : 'busy');
process.stdin.resume();
