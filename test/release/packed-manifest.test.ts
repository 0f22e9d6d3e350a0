import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { packedManifest } from '../../scripts/packed-manifest.ts';

const root = resolve(import.meta.dirname, '../..');
const script = join(root, 'scripts/packed-manifest.ts');
const whole = readFileSync(join(root, 'package.json'), 'utf8');

it('the package’s package.json has neither scripts nor devDependencies, and all else of the repository’s', () => {
  const { scripts, allowScripts, devDependencies, ...published } = JSON.parse(whole);
  expect(Object.keys(scripts)).toContain('prepare');
  expect(allowScripts).toBeDefined();
  expect(JSON.parse(packedManifest(whole))).toEqual({ ...published, testedWith: devDependencies });
});

it('npm pack in a checkout strips package.json before, and restores it byte for byte after', () => {
  const { prepack, postpack } = JSON.parse(whole).scripts;
  expect(prepack).toBe('node scripts/run.mjs prepare && node scripts/packed-manifest.ts strip');
  expect(postpack).toBe('node scripts/packed-manifest.ts restore');

  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'package.json');
  const call = (step: string) => {
    expect(spawnSync(process.execPath, [script, step], { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 0 });
    return readFileSync(path, 'utf8');
  };
  writeFileSync(path, whole);
  expect(call('strip')).toBe(packedManifest(whole));
  // As after a pack that was killed.
  expect(call('strip')).toBe(packedManifest(whole));
  expect(call('restore')).toBe(whole);
  expect(call('restore')).toBe(whole);
  // A change that was made meanwhile stays.
  call('strip');
  const edited = whole.replace('"scripts": {', '"scripts": {\n    "more": "true",');
  writeFileSync(path, edited);
  expect(call('strip')).toBe(packedManifest(whole));
  expect(call('restore')).toBe(edited);
});
