import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isOnPath } from '../runs/on-path.ts';

it.skipIf(!isOnPath('setpriv'))('an engine ends when the process of its test is killed', async () => {
  const module = JSON.stringify(new URL('process.ts', import.meta.url).href);
  const script = `
    const { startServer } = await import(${module});
    const args = ['--eval', 'console.log("ready"); setInterval(() => {}, 1000)'];
    const { child } = await startServer(process.execPath, args, /ready/);
    console.log(child.pid);`;
  const test = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(test.stdout, 'data')) as [Buffer];
  const isAlive = () => {
    try {
      return process.kill(Number(line), 0);
    } catch {
      return false;
    }
  };
  expect(isAlive()).toBe(true);
  test.kill('SIGKILL');
  await expect.poll(isAlive).toBe(false);
});
