import { join } from 'node:path';
import { KeychainError } from '../../model/errors/errors.ts';
import { silentLogger, systemClock } from '../../wire/clock/ports.ts';
import { reportErrors } from '../../wire/error-report.ts';
import { openProcessLock } from '../credentials/process-lock.ts';
import { type BackendOpeners, backendOpeners, type LastingBackend, lastingBackends } from './backends.ts';
import { dataFolder } from './data-folder.ts';
import { proveEntries } from './entries.ts';
import { createGuard, type Guard } from './guard.ts';
import { keychainBackends, type PlacedKeychain } from './keychain.ts';
import { type KeychainOptions, keychainDeadlineMsDefault } from './keychain-options.ts';
import { type LibraryName, type LoadLibrary, systemLibraries } from './library.ts';
import { memoryKeychain } from './memory.ts';
import { digest } from './names.ts';
import { placedEntries } from './placed-entries.ts';
import { placedKeychain } from './placed-keychain.ts';
import { openPlaces } from './places.ts';
import { type FileSystem, openPrivateFolder } from './private-folder.ts';

/** What is taken from the machine; tests put their own in place. */
export interface KeychainMachine {
  readonly libraries?: Readonly<Record<LibraryName, LoadLibrary>>;
  readonly files?: FileSystem;
}

/** See {@link openKeychain}, which has checked the options. */
export async function openBest(given: KeychainOptions, machine: KeychainMachine = {}): Promise<PlacedKeychain> {
  const { allow, logger: log = silentLogger } = given;
  const logger = reportErrors(log);
  const options = { ...given, logger };
  if (allow.every(tier => tier === keychainBackends.memory)) return memoryKeychain();
  try {
    return await openLasting(options, machine);
  } catch (error) {
    if (!(error instanceof KeychainError && allow.includes('memory'))) throw error;
    logger.warn({ tier: 'memory', code: error.code }, 'secrets are kept in memory only');
    return memoryKeychain();
  }
}

async function openLasting(options: KeychainOptions, machine: KeychainMachine): Promise<PlacedKeychain> {
  const { service, allow, safeStorage, moves = false, logger = silentLogger, clock = systemClock } = options;
  const { deadlineMs = keychainDeadlineMsDefault } = options;
  const path = join(options.folder ?? dataFolder(), `keychain-${digest(service)}`);
  const folder = await openPrivateFolder(path, machine.files);
  const lock = await openProcessLock({ path: join(path, 'lock'), waitMs: deadlineMs, clock });
  const guard = createGuard(clock, deadlineMs, lock);
  const openers = backendOpeners({ service, folder, safeStorage, libraries: machine.libraries ?? systemLibraries });
  const { own, failed } = await chooseBackend(options, openers, guard);
  const entries = placedEntries({
    ...{ own, failed, openers, logger, places: openPlaces(folder) },
    candidates: lastingBackends.filter(backend => !isLibrary(backend) || allow.includes(keychainBackends[backend])),
  });
  return placedKeychain({ own, allow, moves, entries, guard, logger });
}

interface Choice {
  readonly own: LastingBackend;
  /** Better ones, which cannot be used. */
  readonly failed: readonly LastingBackend[];
}

async function chooseBackend(options: KeychainOptions, openers: BackendOpeners, guard: Guard): Promise<Choice> {
  const { allow, safeStorage, logger = silentLogger } = options;
  const failures = new Map<LastingBackend, KeychainError>();
  for (const own of lastingBackends) {
    const tier = keychainBackends[own];
    if (!allow.includes(tier) || (own === 'safe-storage' && !safeStorage)) continue;
    const systemSays = failures.get('keytar');
    // Both libraries ask the same system: its answer would be the same, and so would the wait for it.
    if (own === 'keyring' && systemSays && !ofLibraryItself.has(systemSays.code)) {
      failures.set(own, systemSays);
      continue;
    }
    try {
      const proof = async () => proveEntries(await openers[own]());
      // Files are swept after each writing. A library's answer may never come, and must not keep the files locked.
      await (isLibrary(own) ? guard.bounded(proof) : guard.alone(proof));
      return { own, failed: [...failures.keys()] };
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      logger.warn({ tier, backend: own, code: error.code }, 'this keychain cannot be used');
      failures.set(own, error);
    }
  }
  const said = [...failures.values()];
  throw said.find(({ code }) => code !== 'keychain_missing') ?? said[0];
}

const ofLibraryItself = new Set(['keychain_missing', 'keychain_unusable']);

function isLibrary(backend: LastingBackend): backend is LibraryName {
  return backend === 'keytar' || backend === 'keyring';
}
