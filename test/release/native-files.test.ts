import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeNativeFiles } from '../../scripts/native-files.ts';
import { temporaryFolder } from '../support/runs/folder.ts';

let folder: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ path: folder, remove } = await temporaryFolder());
});
afterEach(() => remove());

/** What one machine built, with its list of checksums. */
function built(part: string, files: Readonly<Record<string, string>>): void {
  const lines = Object.entries(files).map(([file, content]) => {
    mkdirSync(dirname(join(folder, 'from', part, file)), { recursive: true });
    writeFileSync(join(folder, 'from', part, file), content, { mode: 0o644 });
    return `${createHash('sha256').update(content).digest('hex')}  ${file}\n`;
  });
  writeFileSync(join(folder, 'from', part, 'SHA256SUMS'), lines.join(''));
}

const take = () => takeNativeFiles(join(folder, 'from'), join(folder, 'to'));
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

describe('native files of other machines', () => {
  it('are put together, executable, with one list, and are then complete', () => {
    for (const platform of platforms) {
      built(platform, {
        [`${platform}/rallypoint.node`]: platform,
        [`${platform}/rallypoint-forwarder`]: `f ${platform}`,
      });
    }
    built('windows', { 'win32-x64/rallypoint.node': 'w', 'win32-x64/rallypoint-forwarder.exe': 'fw' });
    expect(take()).toHaveLength(10);
    expect(
      readFileSync(join(folder, 'to', 'SHA256SUMS'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(10);
    if (process.platform !== 'win32') {
      expect(statSync(join(folder, 'to/linux-x64/rallypoint-forwarder')).mode & 0o777).toBe(0o755);
    }
  });

  it('are rejected when they changed on the way, are missing, or were built twice', () => {
    built('one', { 'linux-x64/rallypoint.node': 'as built' });
    writeFileSync(join(folder, 'from/one/linux-x64/rallypoint.node'), 'as received');
    expect(take).toThrow('one/linux-x64/rallypoint.node does not have the checksum that its SHA256SUMS names.');
    rmSync(join(folder, 'from/one/linux-x64/rallypoint.node'));
    expect(take).toThrow('one lacks linux-x64/rallypoint.node, which its SHA256SUMS names.');
    built('one', { 'linux-x64/rallypoint.node': 'as built' });
    built('two', { 'linux-x64/rallypoint.node': 'as built' });
    expect(take).toThrow('linux-x64/rallypoint.node was built twice.');
    mkdirSync(join(folder, 'from/three'));
    rmSync(join(folder, 'from/two'), { recursive: true });
    expect(take).toThrow('three has no SHA256SUMS.');
  });

  it('are rejected when those of a platform are missing', () => {
    built('one', { 'linux-x64/rallypoint.node': 'addon', 'linux-x64/rallypoint-forwarder': 'forwarder' });
    expect(take).toThrow(/^No machine built darwin-arm64\/rallypoint\.node, .*win32-x64\/rallypoint-forwarder\.exe\.$/);
  });
});
