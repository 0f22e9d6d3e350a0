import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';
import { runs } from '../support/runs/soak.ts';
import { compiled, root } from './built.ts';
import { desktopIn } from './desktop.ts';
import { forwarderSuite } from './forwarder-suite.ts';

const run = promisify(execFile);
const folder = join(root, 'native', 'build', 'sanitized');
const seeds = runs(2, 200);

describe.skipIf(compiled.missing)(`under address, leak and undefined-behaviour sanitizers${compiled.note}`, () => {
  beforeAll(() => run(process.execPath, [join(root, 'scripts', 'build-native.ts'), '--sanitized']), 300_000);

  it.each(Array.from({ length: seeds }, (_, seed) => seed))(
    'the sources of the addon find nothing, seed %i',
    async seed => {
      const own = await temporaryFolder();
      const { stdout } = await run(join(folder, 'native-test'), [own.path, String(seed)]);
      expect(stdout).toBe('ok\n');
      await own.remove();
    },
  );

  it('the addon finds nothing inside Node, and leaks nothing', async () => {
    const own = await temporaryFolder();
    const { stdout: library } = await run('c++', ['-print-file-name=libasan.so']);
    const suppressions = join(own.path, 'suppressions');
    // Node's own, with or without an addon.
    writeFileSync(suppressions, 'leak:ossl_load_builtin_compressions\n');
    const env = {
      ...process.env,
      ...desktopIn(own.path).env,
      RALLYPOINT_NATIVE: folder,
      LD_PRELOAD: library.trim(),
      LSAN_OPTIONS: `suppressions=${suppressions}:print_suppressions=0`,
    };
    const script = join(import.meta.dirname, 'strain-addon.ts');
    const { stdout, stderr } = await run(process.execPath, ['--expose-gc', script, own.path], { env });
    expect({ stdout, stderr }).toEqual({ stdout: 'ok\n', stderr: '' });
    await own.remove();
  }, 60_000);

  describe('the forwarder', () => forwarderSuite(join(folder, 'rallypoint-forwarder')));
});
