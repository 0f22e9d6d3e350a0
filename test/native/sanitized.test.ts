import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { missing, reason, root } from './built.ts';
import { forwarderSuite } from './forwarder-suite.ts';

const run = promisify(execFile);
const folder = join(root, 'native', 'build', 'Debug');
const seeds = process.env.RALLYPOINT_SOAK ? 200 : 4;

describe.skipIf(missing !== undefined)(`under address, leak and undefined-behaviour sanitizers${reason}`, () => {
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

  describe('the forwarder', () => forwarderSuite(join(folder, 'rallypoint-forwarder')));
});
