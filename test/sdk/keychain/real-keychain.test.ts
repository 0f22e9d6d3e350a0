import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { systemLibraries } from '../../../src/sdk/keychain/system-libraries.ts';
import { noLibraries } from '../../support/keychain/keychain-stand-ins.ts';
import { keychainSuite } from '../../support/keychain/keychain-suite.ts';
import { type RealKeyring, startKeyring } from '../../support/keychain/real-keyring.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const run = promisify(execFile);
const library = {
  keytar: await needs('linux', 'keychain-daemon', 'keytar'),
  keyring: await needs('linux', 'keychain-daemon', 'keyring'),
};
const both = await needs('linux', 'keychain-daemon', 'keytar', 'keyring');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let keyring: RealKeyring | undefined;
beforeAll(async () => {
  folder = await temporaryFolder();
  if (library.keytar.missing && library.keyring.missing) return;
  keyring = await startKeyring();
  // The libraries are of this process, and find the bus by its environment.
  Object.assign(process.env, keyring.env);
});
afterAll(async () => {
  await keyring?.stop();
  await folder.remove();
});

/** Opens by one library alone. */
const openBy = (library: 'keytar' | 'keyring', service: string) =>
  openBestKeychain(
    { service, allow: ['system'], folder: folder.path },
    { libraries: { ...noLibraries, [library]: systemLibraries[library] } },
  );

for (const backend of ['keytar', 'keyring'] as const) {
  keychainSuite(
    `${backend} with gnome-keyring`,
    () => ({ backend, open: (service = `Starfall by ${backend}`) => openBy(backend, service) }),
    library[backend],
  );
}

describe.skipIf(both.missing)(`the two libraries with one gnome-keyring${both.note}`, () => {
  it('do not find what the other keeps by themselves; the keychain does, and moves it', async () => {
    const service = 'Two libraries';
    const large = 'größer ✨ '.repeat(1000);
    await (await openBy('keyring', service)).set('ada', large);
    const { keytar } = systemLibraries;
    expect(await (await keytar()).getPassword(service, 'ada')).toBeNull();

    const both = await openBestKeychain({ service, allow: ['system'], folder: folder.path });
    expect(both.backend).toBe('keytar');
    expect([await both.get('ada'), await both.locate('ada')]).toEqual([large, { backend: 'keyring', tier: 'system' }]);
    expect(await both.move('ada')).toBe(true);
    expect(await both.locate('ada')).toEqual({ backend: 'keytar', tier: 'system' });
    expect(await (await openBy('keytar', service)).get('ada')).toBe(large);
    await expect((await openBy('keyring', service)).get('ada')).rejects.toMatchObject({ code: 'keychain_missing' });
    expect(await both.delete('ada')).toBe(true);
  });
});

const tellOpening = join(import.meta.dirname, 'tell-opening.ts');

/** What opening gives in a process of its own, with this environment and none else. */
async function opening(env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { stdout } = await run(process.execPath, [tellOpening, folder.path], {
    env: { PATH: process.env.PATH ?? '', HOME: folder.path, ...env },
  });
  return JSON.parse(stdout);
}

const refusal = (code: string, remedy: RegExp) => ({
  ...{ name: 'KeychainError', code },
  message: expect.stringMatching(remedy),
});

describe.skipIf(both.missing)(`a system without a usable keychain${both.note}`, () => {
  it('rejects for want of a session bus', async () => {
    expect(await opening()).toEqual(refusal('keychain_no_bus', /DBUS_SESSION_BUS_ADDRESS/));
  });

  it('rejects for want of a keyring', async () => {
    const empty = await startKeyring('none');
    try {
      expect(await opening(empty.env)).toEqual(refusal('keychain_no_collection', /no keyring/));
    } finally {
      await empty.stop();
    }
  });

  it('rejects when the keyring is locked, at opening and afterwards, and takes no entry for missing', async () => {
    const keychains = { keytar: await openBy('keytar', 'Locked 1'), keyring: await openBy('keyring', 'Locked 2') };
    for (const keychain of Object.values(keychains)) await keychain.set('ada', 'secret');
    await keyring?.lock();
    const locked = refusal('keychain_locked', /Unlock it/);
    for (const keychain of Object.values(keychains)) {
      await expect(keychain.get('ada')).rejects.toMatchObject(locked);
      await expect(keychain.get('nobody')).rejects.toMatchObject(locked);
      await expect(keychain.set('ada', 'new')).rejects.toMatchObject(locked);
      await expect(keychain.delete('ada')).rejects.toMatchObject(locked);
      await expect(keychain.delete('nobody')).rejects.toMatchObject(locked);
    }
    expect(await opening(keyring?.env)).toEqual(locked);
  });
});
