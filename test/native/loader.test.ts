import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadNative } from '../../src/sdk/native/addon.ts';
import { nativePlaces, whereToPut } from '../../src/sdk/native/built-files.ts';
import { findForwarder } from '../../src/sdk/native/find-forwarder.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { builtForwarder, compiled, root } from './built.ts';
import { withEnv } from './desktop.ts';

const run = promisify(execFile);
const inPackage = [join(root, 'dist', 'native', `${process.platform}-${process.arch}`)];

describe('the places of built files', () => {
  it('are the folder of the variable, then the package’s', async () => {
    expect(await withEnv({ RALLYPOINT_NATIVE: '' }, nativePlaces)).toEqual(inPackage);
    expect(await withEnv({ RALLYPOINT_NATIVE: '/opt/game' }, nativePlaces)).toEqual(['/opt/game', ...inPackage]);
  });

  it('are beside the archive that Electron shows as a folder, because nothing in it can be started', async () => {
    const named = join('/opt', 'game', 'resources', 'app.asar', 'native');
    const [first] = await withEnv({ RALLYPOINT_NATIVE: named }, nativePlaces);
    expect(first).toBe(join('/opt', 'game', 'resources', 'app.asar.unpacked', 'native'));
  });
});

describe('a package without built files', () => {
  it('lists every place, why each failed, and what to do', async () => {
    const lone = await lonePackage();
    for (const { missing: lines } of await lone.find()) {
      expect(lines).toHaveLength(2);
      expect(lines?.[0]).toContain(join(lone.path, 'dist', 'native'));
      expect(lines?.[0]).toContain('ENOENT');
      expect(lines?.[1]).toBe(whereToPut);
    }
    await lone.remove();
  });
});

describe.skipIf(compiled.missing)(`the loader${compiled.note}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let addonFile: string;
  let forwarderFile: string;
  let addonBytes: Buffer;
  let forwarderBytes: Buffer;

  beforeEach(async () => {
    folder = await temporaryFolder();
    addonFile = join(folder.path, 'rallypoint.node');
    forwarderFile = join(folder.path, 'rallypoint-forwarder');
    forwarderBytes = readFileSync(await builtForwarder());
    addonBytes = readFileSync(join(dirname(await builtForwarder()), 'rallypoint.node'));
  });
  afterEach(() => folder.remove());

  it('uses the folder of the variable first, and reports nothing when it works', async () => {
    copyFileSync(join(dirname(await builtForwarder()), 'rallypoint.node'), addonFile);
    copyFileSync(await builtForwarder(), forwarderFile);
    await withEnv({ RALLYPOINT_NATIVE: folder.path }, async () => {
      expect(await findForwarder()).toEqual({ path: forwarderFile });
      expect(Object.keys(await loadNative())).toEqual(['addon']);
    });
  });

  it('tries the next place after one that fails', async () => {
    writeFileSync(addonFile, 'broken');
    await withEnv({ RALLYPOINT_NATIVE: folder.path }, async () => {
      expect(await loadNative()).toHaveProperty('addon');
      expect(await findForwarder()).toEqual({ path: await builtForwarder() });
    });
  });

  it('reports an addon that is truncated anywhere, that has other contents, or that is a folder', async () => {
    const lone = await lonePackage();
    const whyNot = async () => (await lone.find(folder.path))[0].missing?.[0];
    const broken = (bytes: Buffer | string) => {
      writeFileSync(addonFile, bytes);
      return whyNot();
    };
    const size = addonBytes.length;
    for (const length of [63, 64, 65, 4096, size >> 1, size - 4096, size - 1]) {
      expect(await broken(addonBytes.subarray(0, length)), `${length}`).toBe(`${addonFile}: is truncated`);
    }
    for (const bytes of ['', '\x7fELF', 'not a program', Buffer.alloc(size), forwarderBytes]) {
      expect(await broken(bytes)).toMatch(new RegExp(`^${addonFile}: .+`));
    }
    rmSync(addonFile);
    mkdirSync(addonFile);
    expect(await whyNot()).toBe(`${addonFile}: is not a file`);
    rmSync(addonFile, { recursive: true });
    symlinkSync(addonFile, addonFile);
    expect(await whyNot()).toContain('ELOOP');
    rmSync(addonFile);
    writeFileSync(addonFile, addonBytes);
    expect((await lone.find(folder.path))[0]).toEqual({ addon: {} });
    await lone.remove();
  }, 60_000);

  it('skips a forwarder that cannot be started, is truncated, hangs, or is another program', async () => {
    const next = { path: await builtForwarder() };
    const find = () => withEnv({ RALLYPOINT_NATIVE: folder.path }, findForwarder);
    writeFileSync(forwarderFile, forwarderBytes, { mode: 0o644 });
    expect(await find()).toEqual(next);
    chmodSync(forwarderFile, 0o755);
    expect(await find()).toEqual({ path: forwarderFile });
    for (const bytes of [
      forwarderBytes.subarray(0, forwarderBytes.length - 1),
      '',
      'text',
      '#!/bin/sh\necho other\n',
    ]) {
      writeFileSync(forwarderFile, bytes);
      expect(await find()).toEqual(next);
    }
    writeFileSync(forwarderFile, '#!/bin/sh\nexec sleep 60\n');
    expect(await find()).toEqual(next);
  });
});

interface Found {
  readonly missing?: readonly string[];
  readonly addon?: unknown;
}

/** The sources of the package somewhere else, where nothing was ever built. */
async function lonePackage() {
  const { path, remove } = await temporaryFolder();
  for (const part of ['src/sdk/native', 'src/model']) cpSync(join(root, part), join(path, part), { recursive: true });
  writeFileSync(join(path, 'package.json'), '{ "name": "@rallypoint/sdk", "type": "module" }');
  const script = `
    const { loadNative } = await import('./src/sdk/native/addon.ts');
    const { findForwarder } = await import('./src/sdk/native/find-forwarder.ts');
    console.log(JSON.stringify([await loadNative(), await findForwarder()]));`;
  return {
    path,
    remove,
    /** What a process of its own finds, of the addon and of the forwarder: a broken file may take the process down. */
    async find(folder = ''): Promise<[Found, Found]> {
      const env = { ...process.env, RALLYPOINT_NATIVE: folder };
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: path, env });
      return JSON.parse(stdout);
    },
  };
}
