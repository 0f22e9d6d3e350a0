import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';

const root = resolve(import.meta.dirname, '../../..');
const support = (name: string) => JSON.stringify(join(root, 'test/support/runs', name));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs a test file in a project of its own, with the reporter and the check of required parts that this repository uses. */
async function runTest(text: string, environment: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const vitest = JSON.stringify(join(root, 'node_modules/vitest/dist/index.js'));
  const config = `import { RunsReporter } from ${support('runs-reporter.ts')};
    export default { test: { reporters: [new RunsReporter()], globalSetup: [${support('required-parts.ts')}] } };`;
  writeFileSync(join(folder.path, 'vitest.config.ts'), config);
  writeFileSync(
    join(folder.path, 'some.test.ts'),
    `import { describe, it } from ${vitest};\nimport { needs } from ${support('parts.ts')};\n${text}`,
  );
  const { NODE_OPTIONS: _options, VITEST: _vitest, RALLYPOINT_REQUIRED_PARTS: _parts, ...inherited } = process.env;
  return new Promise(done => {
    const program = execFile(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder.path],
      { cwd: folder.path, env: { ...inherited, PATH: folder.path, CHROMIUM: '', NO_COLOR: '1', ...environment } },
      (_error, stdout, stderr) => done({ code: program.exitCode ?? 1, output: `${stdout}${stderr}` }),
    );
  });
}

const needsBrowser = `
  const browser = await needs('browser');
  describe.skipIf(browser.missing)(\`pages\${browser.note}\`, () => { it('one', () => {}); it('two', () => {}); });`;

describe('a test that needs a part which is missing', () => {
  it('is skipped, and the run ends with a table of what was skipped and why', async () => {
    const { code, output } = await runTest(needsBrowser);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Skipped, and why:') });
    expect(output).toMatch(/ 2 {2}Chromium is not installed \(Debian: apt-get install chromium\)\n +in some\.test\.ts/);
  });

  it('fails where the part is required', async () => {
    const { code, output } = await runTest(needsBrowser, { RALLYPOINT_REQUIRED_PARTS: 'linux,browser' });
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('browser: Chromium is not installed'),
    });
  });

  it('fails the run when its title gives no reason', async () => {
    const { code, output } = await runTest(`it.skip('says nothing', () => {});\nit('runs', () => {});`);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('These give no reason: says nothing'),
    });
  });
});

it('a name that is no part is rejected where parts are required', async () => {
  const { code, output } = await runTest(`it('runs', () => {});`, { RALLYPOINT_REQUIRED_PARTS: 'brwoser' });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('brwoser is no part') });
});
