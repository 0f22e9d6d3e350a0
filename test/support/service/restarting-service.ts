import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { databaseIn } from '../../../src/service/store/data-folder.ts';
import { markPath } from '../../../src/service/store/sqlite/counters.ts';
import { copyLive } from '../../../src/service/store/sqlite/live-copy.ts';
import { copyChangingFile } from '../../../src/wire/files/copy-file.ts';
import { temporaryFolder } from '../runs/folder.ts';

type Folder = Awaited<ReturnType<typeof temporaryFolder>>;

/**
 * A service on a data folder and a virtual clock, which can be started again: after a clean close, or as after
 * `kill -9`, from the folder as it was at that moment.
 */
export class RestartingService {
  readonly #options: ServiceOptions;
  readonly #folder: Folder;
  /** Killed ones, which go on in their own folders without anybody who hears of them. */
  readonly #dead: Service[] = [];
  #generation = 0;
  #service: Service;

  private constructor(options: ServiceOptions, folder: Folder, service: Service) {
    this.#options = options;
    this.#folder = folder;
    this.#service = service;
  }

  static async start(options: ServiceOptions): Promise<RestartingService> {
    const folder = await temporaryFolder();
    const data = join(folder.path, '0');
    const service = await startService({ clock: 'virtual', ...options, data });
    return new RestartingService(options, folder, service);
  }

  /** The one that runs. */
  get now(): Service {
    return this.#service;
  }

  get data(): string {
    return join(this.#folder.path, String(this.#generation));
  }

  /** @param pausedMs how long nothing runs in between */
  async restart(how: 'clean' | 'killed', pausedMs = 0): Promise<Service> {
    const before = this.#service;
    const from = this.data;
    this.#generation++;
    if (how === 'clean') await before.close();
    await copyLiving(from, this.data);
    if (how === 'killed') this.#dead.push(before);
    const clock = { virtualFromMs: before.clock.now() + pausedMs };
    this.#service = await startService({ ...this.#options, clock, data: this.data });
    if (how === 'clean') await rm(from, { recursive: true });
    return this.#service;
  }

  async close(): Promise<void> {
    await this.#service.close();
    for (const service of this.#dead) await service.close();
    await this.#folder.remove();
  }
}

/**
 * Copies the folder as `kill -9` would leave it: the mark first, because it must not know of more commits than the rest. The
 * database and its log are copied as of one instant, also when the service moves pages from one to the other meanwhile.
 */
async function copyLiving(from: string, to: string): Promise<void> {
  await mkdir(to);
  const mark = basename(markPath(databaseIn(from)));
  await copyChangingFile(join(from, mark), join(to, mark));
  await copyLive(databaseIn(from), databaseIn(to));
  const database = basename(databaseIn(from));
  const copied = new Set([mark, database, `${database}-wal`, `${database}-shm`]);
  const others = (await readdir(from)).filter(name => !copied.has(name));
  for (const name of others) await copyChangingFile(join(from, name), join(to, name));
}
