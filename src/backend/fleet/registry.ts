import type { ApplicationId, LobbyId } from '../../model/snowflake.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import type { LobbyDirectory } from './directory.ts';
import { OwnershipError } from './ownership-error.ts';

/**
 * The state of a lobby's entry.
 *
 * - `claimed`: the owner is about to create the lobby
 * - `open`: the lobby exists
 * - `offered`: the lobby was handed over to the owner, which has not accepted it yet
 * - `ending`: the owner is deleting the lobby
 */
export type EntryStatus = 'claimed' | 'open' | 'offered' | 'ending';

/** What the directory holds of one lobby. */
export interface LobbyEntry {
  readonly status: EntryStatus;
  /** Null while it is claimed. */
  readonly lobbyId: LobbyId | null;
  /** A server's name. */
  readonly owner: string;
  /** The owner's term in which it took the lobby; 0 while it is offered. */
  readonly term: number;
  /** Increases whenever the lobby is taken, also by the same server in a new term. */
  readonly epoch: number;
  /** As last set; null: never by us. */
  readonly idleTimeoutSeconds: number | null;
}

/** A server's lease. */
export interface ServerRecord {
  /** Increases whenever the server renews after its lease may have expired. */
  readonly term: number;
  /** Distinguishes processes of one name. */
  readonly process: string;
  /** When the lease expires: milliseconds since the Unix epoch. */
  readonly leaseUntilMs: number;
}

/** A value with the text it was read or written as: what the next write compares with. */
export interface Stored<T> {
  readonly value: T;
  readonly text: string;
}

/** The typed content of the directory: one application's lobbies by key, and servers by name. */
export class Registry {
  readonly lobbies: RecordTable<LobbyEntry>;
  readonly servers: RecordTable<ServerRecord>;

  constructor(directory: LobbyDirectory, applicationId: ApplicationId) {
    this.lobbies = new RecordTable(directory, `${applicationId}/lobbies/`, readEntry);
    this.servers = new RecordTable(directory, `${applicationId}/servers/`, readServer);
  }
}

/** @throws OwnershipError `directory_failed`, everywhere */
export class RecordTable<T> {
  readonly #directory: LobbyDirectory;
  readonly #prefix: string;
  readonly #read: (value: Readonly<Record<string, unknown>>) => T | undefined;

  constructor(
    directory: LobbyDirectory,
    prefix: string,
    read: (value: Readonly<Record<string, unknown>>) => T | undefined,
  ) {
    this.#directory = directory;
    this.#prefix = prefix;
    this.#read = read;
  }

  async get(name: string): Promise<Stored<T> | undefined> {
    // Databases say null, and so may a game's directory.
    const text = (await asked(() => this.#directory.get(this.#prefix + name))) ?? undefined;
    return text === undefined ? undefined : this.#parse(name, text);
  }

  async list(): Promise<ReadonlyMap<string, Stored<T>>> {
    const found = await asked(async () => [...(await this.#directory.list(this.#prefix))]);
    const entries = found.map(([key, text]) => {
      const name = key.slice(this.#prefix.length);
      return [name, this.#parse(name, text)] as const;
    });
    return new Map(entries);
  }

  /** @returns undefined when something else is stored than `before` */
  async write(name: string, before: Stored<T> | undefined, value: T): Promise<Stored<T> | undefined> {
    const text = JSON.stringify(value);
    const key = this.#prefix + name;
    const isDone = await asked(() => this.#directory.compareAndSet(key, before?.text, text));
    return isDone ? { value, text } : undefined;
  }

  /** @returns false when something else is stored than `before` */
  delete(name: string, before: Stored<T>): Promise<boolean> {
    return asked(() => this.#directory.compareAndSet(this.#prefix + name, before.text, undefined));
  }

  #parse(name: string, text: string): Stored<T> {
    const value = asRecord(parseJson(text));
    const read = value && this.#read(value);
    if (!read)
      throw new OwnershipError(
        'directory_failed',
        `The lobby directory's entry ${this.#prefix}${name} cannot be parsed: another program changed it.`,
      );
    return { value: read, text };
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw new OwnershipError('directory_failed', 'The lobby directory failed; see the cause.', { cause });
  }
}

function readEntry(value: Readonly<Record<string, unknown>>): LobbyEntry | undefined {
  const { status, owner, term, epoch } = value;
  const isKnown = status === 'claimed' || status === 'open' || status === 'offered' || status === 'ending';
  const isWhole = typeof owner === 'string' && typeof term === 'number' && typeof epoch === 'number';
  return isKnown && isWhole ? (value as unknown as LobbyEntry) : undefined;
}

function readServer(value: Readonly<Record<string, unknown>>): ServerRecord | undefined {
  const { term, process, leaseUntilMs } = value;
  const isWhole = typeof term === 'number' && typeof process === 'string' && typeof leaseUntilMs === 'number';
  return isWhole ? (value as unknown as ServerRecord) : undefined;
}
