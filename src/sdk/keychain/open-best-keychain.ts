import { join } from 'node:path';
import { KeychainError } from '../../model/errors/errors.ts';
import { silentLogger, systemClock } from '../../wire/clock/ports.ts';
import { reportErrors } from '../../wire/error-report.ts';
import { openProcessLock } from '../credentials/process-lock.ts';
import { type BackendOpeners, backendOpeners } from './backends.ts';
import { testEntries } from './entries.ts';
import { openEntryLocations } from './entry-locations.ts';
import {
  type KeychainOptions,
  keychainBackends,
  keychainDeadlineMsDefault,
  type LastingBackend,
  lastingBackends,
  type OpenedKeychain,
} from './keychain.ts';
import { createKeychainCalls, type KeychainCalls } from './keychain-calls.ts';
import { locatedEntries } from './located-entries.ts';
import { digest } from './names.ts';
import { lastingKeychain, memoryKeychain } from './opened-keychain.ts';
import { dataFolder, type FileSystem, openPrivateFolder } from './private-folder.ts';
import { type LibraryName, type LoadLibrary, systemLibraries } from './system-libraries.ts';

/** What the keychain uses of the machine. Tests pass their own. */
export interface KeychainMachine {
  readonly libraries?: Readonly<Record<LibraryName, LoadLibrary>> | undefined;
  readonly files?: FileSystem | undefined;
}

/** Opens the keychain, with options that {@link openKeychain} has checked. */
export async function openBestKeychain(given: KeychainOptions, machine: KeychainMachine = {}): Promise<OpenedKeychain> {
  const { allow, logger: log = silentLogger } = given;
  const logger = reportErrors(log);
  const options = { ...given, logger };
  if (allow.every(tier => tier === keychainBackends.memory)) return memoryKeychain();
  try {
    return await openLasting(options, machine);
  } catch (error) {
    if (!(error instanceof KeychainError && allow.includes('memory'))) throw error;
    logger.warn({ tier: 'memory', code: error.code }, 'no keychain can be used; secrets are kept in memory only');
    return memoryKeychain();
  }
}

async function openLasting(options: KeychainOptions, machine: KeychainMachine): Promise<OpenedKeychain> {
  const { service, allow, safeStorage, moveOnRead = false, logger = silentLogger, clock = systemClock } = options;
  const { deadlineMs = keychainDeadlineMsDefault } = options;
  const path = join(options.folder ?? dataFolder(), `keychain-${digest(service)}`);
  const folder = await openPrivateFolder(path, machine.files);
  const lock = await openProcessLock({ path: join(path, 'lock'), waitMs: deadlineMs, clock });
  const calls = createKeychainCalls(clock, deadlineMs, lock);
  const openers = backendOpeners({ service, folder, safeStorage, libraries: machine.libraries ?? systemLibraries });
  const { own, failed } = await chooseBackend(options, openers, calls);
  const entries = locatedEntries({
    ...{ own, failed, openers, logger, locations: openEntryLocations(folder) },
    candidates: lastingBackends.filter(backend => !isLibrary(backend) || allow.includes(keychainBackends[backend])),
  });
  return lastingKeychain({ own, allow, moveOnRead, entries, calls, logger });
}

interface Choice {
  readonly own: LastingBackend;
  /** Preferred backends that cannot be used. */
  readonly failed: readonly LastingBackend[];
}

async function chooseBackend(options: KeychainOptions, openers: BackendOpeners, calls: KeychainCalls): Promise<Choice> {
  const { allow, safeStorage, logger = silentLogger } = options;
  const failures = new Map<LastingBackend, KeychainError>();
  for (const own of lastingBackends) {
    const tier = keychainBackends[own];
    if (!allow.includes(tier) || (own === 'safe-storage' && !safeStorage)) continue;
    const systemFailure = failures.get('keytar');
    // Both libraries ask the same system, which would fail in the same way, and after the same wait.
    if (own === 'keyring' && systemFailure && !libraryFailures.has(systemFailure.code)) {
      failures.set(own, systemFailure);
      continue;
    }
    try {
      const test = async () => testEntries(await openers[own]());
      // Writing files needs the lock. A library may hang, and must not hold the lock meanwhile.
      await (isLibrary(own) ? calls.run(test) : calls.runExclusively(test));
      return { own, failed: [...failures.keys()] };
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      logger.warn({ tier, backend: own, code: error.code }, 'this keychain cannot be used');
      failures.set(own, error);
    }
  }
  const errors = [...failures.values()];
  throw errors.find(({ code }) => code !== 'keychain_missing') ?? errors[0];
}

/** Failures of the library itself: another library may work. */
const libraryFailures = new Set(['keychain_missing', 'keychain_unusable']);

function isLibrary(backend: LastingBackend): backend is LibraryName {
  return backend === 'keytar' || backend === 'keyring';
}
