import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const inputs = ['src', 'bin', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  for (const input of inputs) cpSync(join(root, input), join(folder.path, input), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'junction');
});
afterEach(() => folder.remove());

function build() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

const stack = /^ +at .*:\d+:\d+\)?$/m;

it('shows the message of the compiler, and nothing around it, when a type is wrong', () => {
  appendFileSync(join(folder.path, 'src/model/version.ts'), "export const wrong: number = 'text';\n");
  const { status, output } = build();
  expect(status).toBe(1);
  expect(output).toMatch(/^src\/model\/version\.ts\(\d+,\d+\): error TS2322: [^\n]+\n$/);
}, 60_000);

it('shows the message of the bundler, and no stack, when an import leads nowhere', () => {
  appendFileSync(join(folder.path, 'src/model/version.ts'), "export { nothing } from './nowhere.ts';\n");
  const { status, output } = build();
  expect(status).toBe(1);
  expect(output).toContain('Could not resolve "./nowhere.ts"');
  expect(output).not.toMatch(stack);
}, 60_000);
