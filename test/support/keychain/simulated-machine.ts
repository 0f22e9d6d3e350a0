import { join } from 'node:path';
import { backendOpeners } from '../../../src/sdk/keychain/backends.ts';
import { openEntryLocations } from '../../../src/sdk/keychain/entry-locations.ts';
import { type LastingBackend, lastingBackends } from '../../../src/sdk/keychain/keychain.ts';
import { type LocatedEntries, locatedEntries } from '../../../src/sdk/keychain/located-entries.ts';
import { openPrivateFolder } from '../../../src/sdk/keychain/private-folder.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { filesOf, Life, librariesOver, StandInSafeStorage } from './keychain-stand-ins.ts';

let machines = 0;

/** A machine whose disk and keychain outlive its processes; every backend can be used. */
export class SimulatedMachine {
  readonly path: string;
  /** What the system's keychain has. */
  readonly kept = new Map<string, string>();
  readonly #safeStorage = new StandInSafeStorage();

  /** @param folder of the test */
  constructor(folder: string) {
    this.path = join(folder, `machine-${machines++}`);
  }

  /**
   * What a process works on, with `own` as its backend.
   *
   * @param life it dies before a step of it; by default it lives on
   * @param meanwhile happens before each call to the system's keychain
   */
  async entries(
    own: LastingBackend,
    life: Life = new Life(Number.POSITIVE_INFINITY),
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<LocatedEntries> {
    const folder = await openPrivateFolder(this.path, filesOf(life));
    const libraries = librariesOver(this.kept, async () => {
      life.step();
      await meanwhile();
    });
    const openers = backendOpeners({ service: 'S', folder, safeStorage: this.#safeStorage, libraries });
    const locations = openEntryLocations(folder);
    return locatedEntries({ own, failed: [], candidates: lastingBackends, openers, locations, logger: silentLogger });
  }
}
