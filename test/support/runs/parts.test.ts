import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';
import { needs } from './parts.ts';

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
    expect(output).toMatch(
      / 2 {2}Chromium is not installed, or does not run \(Debian: apt-get install chromium\)\n +in some\.test\.ts/,
    );
  });

  it('is skipped where the program of the part is a stub that fails', async () => {
    for (const name of ['chromium', 'xdg-open', 'dbus-run-session', 'c++', 'redis-server']) {
      writeFileSync(join(folder.path, name), '#!/bin/sh\nexit 127\n');
      chmodSync(join(folder.path, name), 0o755);
    }
    const { code, output } = await runTest(`
      for (const name of ['browser', 'desktop-tools', 'keychain-daemon', 'compiler', 'redis']) {
        const part = await needs(name);
        it.skipIf(part.missing)(\`needs \${name}\${part.note}\`, () => {});
      }`);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Skipped, and why:') });
    for (const name of [
      'Chromium is not',
      'xdg-open --version fails',
      'dbus-run-session',
      'c\\+\\+ --version',
      'redis-server',
    ])
      expect(output).toMatch(new RegExp(`1  ${name}`));
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

const isLinux = await needs('linux');
it.skipIf(isLinux.missing)(
  `a run ends although a test left a program that holds its output${isLinux.note}`,
  async () => {
    const { code, output } = await runTest(`
    import { spawn } from 'node:child_process';
    it('leaves programs', () => void spawn('/bin/sh', ['-c', '/bin/sleep 987654 & /bin/sleep 987654'], { stdio: 'inherit' }));`);
    expect(code, output).toBe(0);
  },
);

it('a name that is no part is rejected where parts are required', async () => {
  const { code, output } = await runTest(`it('runs', () => {});`, { RALLYPOINT_REQUIRED_PARTS: 'brwoser' });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('brwoser is no part') });
});
