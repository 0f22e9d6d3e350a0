import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeychainOptions, KeychainTier } from '../../../src/sdk/keychain/keychain.ts';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';
import type { LibraryName, LoadLibrary } from '../../../src/sdk/keychain/system-libraries.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import {
  keytarOver,
  librariesOver,
  noLibraries,
  StandInSafeStorage,
} from '../../support/keychain/keychain-stand-ins.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

const service = 'Starfall';
const everyTier: readonly KeychainTier[] = ['memory', 'encrypted-file', 'system'];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

/** A library that is there, and says this to whatever is asked. */
const saying = (text: string) => async () =>
  keytarOver(new Map(), () => {
    throw new Error(text);
  });
const working = () => librariesOver(new Map());
const locked = 'Cannot create an item in a locked collection';

function open(options: Partial<KeychainOptions>, libraries: Record<LibraryName, LoadLibrary> = noLibraries) {
  const warnings: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => warnings.push(fields) };
  const opening = openBestKeychain(
    { service, allow: ['system'], folder: folder.path, logger, ...options },
    { libraries },
  );
  return { opening, warnings };
}

describe('openKeychain', () => {
  it('uses the first backend that works: keytar, keyring, safe-storage, file', async () => {
    const safeStorage = new StandInSafeStorage();
    const backendOf = async (options: Partial<KeychainOptions>, libraries: Record<LibraryName, LoadLibrary>) =>
      (await open({ allow: everyTier, ...options }, libraries).opening).backend;
    expect(await backendOf({ safeStorage }, working())).toBe('keytar');
    expect(await backendOf({ safeStorage }, { ...working(), keytar: noLibraries.keytar })).toBe('keyring');
    expect(await backendOf({ safeStorage }, noLibraries)).toBe('safe-storage');
    expect(await backendOf({}, noLibraries)).toBe('file');
    expect(await backendOf({ allow: ['memory'] }, working())).toBe('memory');
  });

  it('rejects rather than use a tier that is not allowed', async () => {
    await expect(open({}).opening).rejects.toMatchObject({ name: 'KeychainError', code: 'keychain_missing' });
    const { opening } = open({ allow: ['system'] }, { ...noLibraries, keyring: saying(locked) });
    await expect(opening).rejects.toMatchObject({ code: 'keychain_locked' });
  });

  it('uses a weaker tier that is allowed, and logs why', async () => {
    const libraries = { ...noLibraries, keyring: saying(locked) };
    const { opening, warnings } = open({ allow: ['encrypted-file', 'system'] }, libraries);
    expect(await opening).toMatchObject({ tier: 'encrypted-file', backend: 'file' });
    expect(warnings).toEqual([
      { tier: 'system', backend: 'keytar', code: 'keychain_missing' },
      { tier: 'system', backend: 'keyring', code: 'keychain_locked' },
    ]);
  });

  it('uses memory only when it is allowed', async () => {
    const { opening, warnings } = open({ allow: ['memory', 'system'] });
    expect(await opening).toMatchObject({ tier: 'memory', backend: 'memory' });
    expect(warnings).toContainEqual({ tier: 'memory', code: 'keychain_missing' });
  });

  it('does not ask the system again through keyring after it failed through keytar', async () => {
    const libraries = { keytar: saying('Cannot autolaunch D-Bus without X11 $DISPLAY'), keyring: working().keyring };
    await expect(open({}, libraries).opening).rejects.toMatchObject({ code: 'keychain_no_bus' });
    const unknown = { keytar: saying('libsecret is of another age'), keyring: working().keyring };
    expect((await open({}, unknown).opening).backend).toBe('keyring');
  });

  it('stores one entry that shows whether others can be read', async () => {
    const entries = new Map<string, string>();
    await open({}, librariesOver(entries)).opening;
    await open({}, librariesOver(entries)).opening;
    expect([...entries.values()]).toEqual([expect.stringContaining('Rallypoint')]);
    const forgetful = async () => ({ ...keytarOver(new Map()), getPassword: async () => null });
    await expect(open({}, { keytar: forgetful, keyring: forgetful }).opening).rejects.toMatchObject({
      code: 'keychain_unusable',
    });
  });

  it('waits at most the deadline for a keychain that does not answer', async () => {
    const clock = new VirtualClock(0);
    const asked = Promise.withResolvers<void>();
    const setPassword = () => {
      asked.resolve();
      return new Promise<void>(() => {});
    };
    const silent = async () => ({ ...keytarOver(new Map()), setPassword });
    const allow: KeychainTier[] = ['system', 'encrypted-file'];
    const { opening, warnings } = open({ allow, clock, deadlineMs: 5000 }, { keytar: silent, keyring: silent });
    await asked.promise;
    await clock.advance(4999);
    expect(warnings).toEqual([]);
    await clock.advance(1);
    expect((await opening).backend).toBe('file');
    expect(warnings).toEqual([{ tier: 'system', backend: 'keytar', code: 'keychain_timeout' }]);
  });

  it('rejects an empty or unknown list, a service beyond its bounds and a folder that is relative', async () => {
    const refused = (options: object) =>
      expect(openKeychain({ service, allow: ['memory'], ...options } as KeychainOptions)).rejects;
    await refused({ allow: [] }).toMatchObject({ code: 'invalid_tiers' });
    for (const allow of [['memory', 'cloud'], undefined, null, 'memory']) {
      await refused({ allow }).toMatchObject({ code: 'invalid_tiers' });
    }
    await expect(openKeychain(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    await refused({ service: '' }).toMatchObject({ code: 'missing_service' });
    for (const name of ['a\0b', 'a\n', '\uDC00', 'x'.repeat(129)]) {
      await refused({ service: name }).toMatchObject({ code: 'invalid_service' });
    }
    for (const folder of ['keys', '', 5]) await refused({ folder }).toMatchObject({ code: 'invalid_folder' });
  });
});
