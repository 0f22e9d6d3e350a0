import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const packages = 'checkout/node_modules';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  for (const file of ['scripts/run.mjs', 'scripts/missing-packages.mjs', 'bin/oldest-node.js', 'bin/runtime.js'])
    cpSync(join(root, file), join(folder.path, 'checkout', file));
  writeFileSync(join(folder.path, 'checkout/package-lock.json'), '{ "packages": {} }');
  // Stands in for npm: notes what it is called with.
  writeFileSync(
    join(folder.path, 'npm.cjs'),
    `require('fs').appendFileSync(${JSON.stringify(join(folder.path, 'calls'))}, process.argv.slice(2).join(' ') + '\\n')`,
  );
});
afterEach(() => folder.remove());

/** `npm run check`. @returns what npm was called with, and what was said */
function check() {
  const env = { ...process.env, npm_execpath: join(folder.path, 'npm.cjs'), RALLYPOINT_NODE: 'system' };
  const { stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'check'], {
    cwd: join(folder.path, 'checkout'),
    encoding: 'utf8',
    env,
  });
  return { calls: readFileSync(join(folder.path, 'calls'), 'utf8').trim().split('\n'), stderr };
}

const steps = ['types', 'lint', 'imports'].map(step => `run --silent ${step}`);

it('npm installs what is missing', () => {
  mkdirSync(join(folder.path, packages));
  expect(check().calls).toEqual([expect.stringMatching(/^ci /), ...steps]);
});

it('npm installs nothing where node_modules is a link, because it would empty the folder of another checkout', () => {
  mkdirSync(join(folder.path, 'other'));
  symlinkSync(join(folder.path, 'other'), join(folder.path, packages), 'junction');
  const { calls, stderr } = check();
  expect(calls).toEqual(steps);
  expect(stderr).toContain('Not installed, because node_modules is a link: nothing is installed yet.');
});
