import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type KeychainBackend, keychainBackends } from '../../../src/sdk/keychain/keychain.ts';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { librariesOver, noLibraries, StandInSafeStorage } from '../../support/keychain/keychain-stand-ins.ts';
import { keychainSuite } from '../../support/keychain/keychain-suite.ts';
import { needs } from '../../support/runs/parts.ts';

const folder = mkdtempSync(join(tmpdir(), 'rallypoint-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entries = new Map<string, string>();
const libraries = librariesOver(entries);
const safeStorage = new StandInSafeStorage();

/** What is there for each backend to be the best choice. */
const machines = {
  keytar: { libraries },
  keyring: { libraries: { ...libraries, keytar: noLibraries.keytar } },
  'safe-storage': { libraries: noLibraries },
  file: { libraries: noLibraries },
  memory: { libraries: noLibraries },
};

const noneMissing = await needs();

for (const backend of Object.keys(keychainBackends) as KeychainBackend[]) {
  keychainSuite(
    `${backend}${backend.startsWith('key') ? ', by a stand-in' : ''}`,
    () => ({
      backend,
      open: (service = 'Starfall') =>
        openBestKeychain({ service, allow: [keychainBackends[backend]], folder, safeStorage }, machines[backend]),
    }),
    noneMissing,
  );
}
