import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const here = import.meta.dirname;
const script = join(here, 'keep-and-read.ts');

/** Why the real keychain cannot be tried here; undefined when it can. */
async function obstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the recipe is for Linux';
  for (const program of ['dbus-run-session', 'gnome-keyring-daemon', 'dbus-send']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`;
  }
  return import('keytar').then(
    () => undefined,
    () => 'keytar is not built here',
  );
}

const missing = await obstacle();
const reason = missing === undefined ? '' : ` (skipped: ${missing})`;

describe('the real keychain', () => {
  it.skipIf(missing !== undefined)(`keeps a secret over two openings, by gnome-keyring${reason}`, async () => {
    const { stdout } = await run(join(here, 'real-keyring.sh'), [process.execPath, script]);
    expect(JSON.parse(stdout)).toEqual({ tier: 'system', kept: true, deleted: [true, false], left: null });
  });

  it('is refused with a KeychainError where the system has none', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
    const failed = await run(process.execPath, [script], { env }).catch((error: { stderr?: string }) => error);
    expect(failed.stderr).toContain('KeychainError');
    expect(failed.stderr).toMatch(/keychain_(missing|unusable)/);
  });
});
