import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../src/service/index.ts';

const run = promisify(execFile);
const quickstart = (...args: readonly string[]) => run(process.execPath, ['samples/quickstart/main.ts', ...args]);

describe('the quickstart', () => {
  it('prints every step with its time, and exits with 0', async () => {
    const { stdout } = await quickstart('--once');
    const steps = stdout.split('\n').filter(line => line.startsWith('✓'));
    expect(steps.length).toBeGreaterThanOrEqual(14);
    for (const step of steps) expect(step).toMatch(/ \d+ ms$/);
    expect(stdout).toContain('The channel shows: "Meet at the lighthouse!"');
    expect(stdout).not.toContain('✗');
  }, 60_000);

  it('stays up and prints addresses that answer, until SIGINT', async () => {
    const child = spawn(process.execPath, ['samples/quickstart/main.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    const ended = once(child, 'close');
    await expect.poll(() => stdout, { timeout: 30_000 }).toContain('Try it:');
    const [, web = ''] = /^ {2}Web {6}(\S+)$/m.exec(stdout) ?? [];
    const page = await fetch(web, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    await page.body?.cancel();
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  }, 60_000);

  it('says what failed and what to do, and ends with 1', async () => {
    const service = await startService();
    const port = new URL(service.webBase).port;
    const failed = await quickstart('--once', '--port', port).catch(error => error);
    await service.close();
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/✗.*EADDRINUSE/);
    expect(failed.stdout).toContain('What to do:');
  }, 60_000);

  it.each([
    ['samples/quickstart/main.ts', 'npm start -- [--once] [--port N]'],
    ['samples/electron-lobby/run.ts', 'npm run sample -- [--fresh] [--once]'],
  ])('%s lists its options when it gets another one', async (program, usage) => {
    const failed = await run(process.execPath, [program, '--onec']).catch(error => error);
    expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`Usage: ${usage}`) });
    expect(failed.stderr).not.toContain('    at ');
  });
});

describe('the sample with windows', () => {
  it('says in one line why its service does not start', async () => {
    const sample = ['samples/electron-lobby/run.ts', '--once', '--headless', '--stand-in', '--port', 'x'];
    const failed = await run(process.execPath, sample).catch(error => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The service does not start: [^\n]+\n$/) });
  }, 60_000);
});
