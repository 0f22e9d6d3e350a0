import type { LobbyId } from '../../model/snowflake.ts';
import type { SendOptions } from '../calls.ts';
import type { Operation } from '../operation.ts';
import type { Lease } from './lease.ts';
import { OwnershipError } from './ownership-error.ts';
import type { LobbyEntry, Registry, Stored } from './registry.ts';

/** A key that this server owns, as far as it knows. */
export interface Holding {
  readonly key: string;
  /** As the directory has it. */
  readonly entry: LobbyEntry;
}

/** A key that another server owns. */
export interface Foreign {
  readonly foreign: Stored<LobbyEntry>;
}

/** The bounds of a write to a lobby. */
export interface WriteBounds extends Pick<SendOptions, 'beforeSend'> {
  readonly deadlineMs: number;
}

export interface OwnershipOptions {
  readonly server: string;
  readonly registry: Registry;
  readonly lease: Lease;
  readonly onChange: () => void;
}

// How many lobbies that this server has lost are remembered, to reject late writes to them.
const lostMax = 10_000;

/**
 * Which lobbies this server owns. Every change of the owner is one compare-and-set of the lobby's entry, so that only one of
 * two servers that try succeeds. A lobby is written to only under the lease: an owner that is cut off from the directory
 * stops by its own clock, before another server may take over.
 *
 * Operations on one key must run one after another ({@link Turns}).
 */
export class Ownership {
  readonly #server: string;
  readonly #registry: Registry;
  readonly #lease: Lease;
  readonly #onChange: () => void;
  readonly #held = new Map<string, Held>();
  readonly #byLobby = new Map<LobbyId, Held>();
  readonly #lost = new Set<LobbyId>();

  constructor({ server, registry, lease, onChange }: OwnershipOptions) {
    this.#server = server;
    this.#registry = registry;
    this.#lease = lease;
    this.#onChange = onChange;
  }

  all(): readonly Holding[] {
    return [...this.#held.values()];
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  ofLobby(id: LobbyId): Holding | undefined {
    return this.#byLobby.get(id);
  }

  /** Takes a key that is free, or belongs to this server or to one whose lease has expired. */
  async take(key: string, operation: Operation): Promise<Holding | Foreign> {
    for (;;) {
      operation.check();
      await this.#lease.hold();
      const held = this.#held.get(key);
      if (held && (await this.#isConfirmed(held))) return held;
      if (held) continue;
      const stored = await this.#registry.lobbies.get(key);
      if (stored && !(await this.#isFree(stored.value))) return { foreign: stored };
      const seized = await this.seize(key, stored);
      if (seized) return seized;
    }
  }

  /**
   * Takes a key, whichever server has it.
   *
   * @param before as it was read; undefined: free
   * @returns undefined when something else is stored by now
   */
  async seize(
    key: string,
    before: Stored<LobbyEntry> | undefined,
    change: Partial<LobbyEntry> = {},
  ): Promise<Holding | undefined> {
    // Between the reading of `before` and the write: a process that took this name before that reading is noticed here, and
    // a later change makes the write fail.
    await this.#lease.confirm();
    const entry = { ...taken(before?.value), ...change, owner: this.#server, term: this.#lease.term };
    const stored = await this.#registry.lobbies.write(key, before, entry);
    return stored && this.#keep(new Held(key, stored));
  }

  /**
   * Makes sure that a lobby may be written to now.
   *
   * @returns how long the write may take, and a check to run before each attempt to send it
   * @throws OwnershipError `not_owner`, `lease_lost`, `superseded`
   */
  async confirm(holding: Holding): Promise<WriteBounds> {
    await this.#lease.hold();
    const held = this.#held.get(holding.key);
    if (held !== holding || !(await this.#isConfirmed(held))) throw notOwner(holding.key);
    return { deadlineMs: this.#lease.leftMs, beforeSend: () => this.#lease.confirm() };
  }

  /** @throws OwnershipError `superseded`, `lease_lost`: another process may own what this one holds */
  stillOwns(): Promise<void> {
    return this.#lease.confirm();
  }

  /** Records a change. @throws OwnershipError `not_owner` if another server changed the entry; the lobby is lost then */
  async record(holding: Holding, change: Partial<LobbyEntry>): Promise<void> {
    const held = this.#own(holding);
    await this.#write(held, { ...held.entry, ...change });
    this.#keep(held);
  }

  /** Deletes the entry, so that the key is free. @throws OwnershipError `not_owner`, as {@link record} */
  async release(holding: Holding): Promise<void> {
    const held = this.#own(holding);
    await this.#lease.confirm();
    this.#drop(held);
    if (!(await this.#registry.lobbies.delete(held.key, held.stored))) throw notOwner(held.key);
  }

  /** Hands the lobby over when no write is under way. From the call on none begins. */
  async give(holding: Holding, server: string, operation: Operation): Promise<void> {
    const held = this.#own(holding);
    held.isLeaving = true;
    try {
      await operation.within(held.quiet());
      if (!(await this.#lease.isLive(server))) throw notLive(server);
      await this.confirm(held);
      operation.check();
      const epoch = held.entry.epoch + 1;
      await this.#write(held, { ...held.entry, status: 'offered', owner: server, term: 0, epoch });
    } catch (error) {
      held.isLeaving = false;
      throw error;
    }
    this.#lose(held);
  }

  /**
   * Writes to a lobby by its id. Lobbies that this server never owned are not checked.
   *
   * @throws OwnershipError `not_owner`, `lease_lost`, `superseded`; nothing was sent
   */
  async guard<T>(id: LobbyId, write: (bounds: WriteBounds) => Promise<T>): Promise<T> {
    const held = this.#byLobby.get(id);
    if (!held && this.#lost.has(id)) throw notOwner(id);
    if (!held) return write({ deadlineMs: Number.POSITIVE_INFINITY });
    const bounds = await this.confirm(held);
    if (held.isLeaving) throw notOwner(held.key);
    return held.busy(() => write(bounds));
  }

  async #isFree({ owner }: LobbyEntry): Promise<boolean> {
    return owner === this.#server || !(await this.#lease.isLive(owner));
  }

  /** In a new term lobbies are taken again, because another server may have taken them in between. */
  async #isConfirmed(held: Held): Promise<boolean> {
    if (held.entry.term === this.#lease.term) return true;
    held.confirming ??= this.#retake(held).finally(() => {
      held.confirming = undefined;
    });
    return held.confirming;
  }

  async #retake(held: Held): Promise<boolean> {
    try {
      await this.#write(held, { ...taken(held.entry), owner: this.#server, term: this.#lease.term });
    } catch (error) {
      if (error instanceof OwnershipError && error.code === 'not_owner') return false;
      throw error;
    }
    this.#keep(held);
    return true;
  }

  async #write(held: Held, entry: LobbyEntry): Promise<void> {
    await this.#lease.confirm();
    const stored = await this.#registry.lobbies.write(held.key, held.stored, entry).catch((error: unknown) => {
      this.#lose(held); // it is unknown whether the entry was written: the next operation reads it
      throw error;
    });
    if (stored) {
      held.stored = stored;
      return;
    }
    this.#lose(held);
    throw notOwner(held.key);
  }

  #own(holding: Holding): Held {
    const held = this.#held.get(holding.key);
    if (held !== holding) throw notOwner(holding.key);
    return held;
  }

  #keep(held: Held): Held {
    this.#drop(held);
    this.#held.set(held.key, held);
    const { lobbyId } = held.entry;
    held.indexed = lobbyId;
    if (lobbyId !== null) {
      this.#byLobby.set(lobbyId, held);
      this.#lost.delete(lobbyId);
    }
    return held;
  }

  #drop(held: Held): void {
    this.#held.delete(held.key);
    if (held.indexed !== null) this.#byLobby.delete(held.indexed);
    this.#onChange();
  }

  #lose(held: Held): void {
    const { indexed } = held;
    this.#drop(held);
    if (indexed === null) return;
    this.#lost.add(indexed);
    for (const oldest of this.#lost) {
      if (this.#lost.size <= lostMax) break;
      this.#lost.delete(oldest);
    }
  }
}

class Held implements Holding {
  readonly key: string;
  stored: Stored<LobbyEntry>;
  /** The lobby id under which it is indexed. */
  indexed: LobbyId | null = null;
  /** It is being handed over: no write begins. */
  isLeaving = false;
  confirming: Promise<boolean> | undefined;
  #writes = 0;
  #onQuiet: (() => void)[] = [];

  constructor(key: string, stored: Stored<LobbyEntry>) {
    this.key = key;
    this.stored = stored;
  }

  get entry(): LobbyEntry {
    return this.stored.value;
  }

  async busy<T>(write: () => Promise<T>): Promise<T> {
    this.#writes++;
    try {
      return await write();
    } finally {
      if (--this.#writes === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    }
  }

  /** Resolves when no write is on its way. */
  quiet(): Promise<void> {
    return this.#writes === 0 ? Promise.resolve() : new Promise(resolve => this.#onQuiet.push(resolve));
  }
}

/** The entry for a new owner; owner and term are filled in by the caller. */
function taken(before: LobbyEntry | undefined): Omit<LobbyEntry, 'owner' | 'term'> {
  if (!before) return { status: 'claimed', lobbyId: null, epoch: 1, idleTimeoutSeconds: null };
  return { ...before, status: before.status === 'offered' ? 'open' : before.status, epoch: before.epoch + 1 };
}

function notOwner(what: string): OwnershipError {
  return new OwnershipError('not_owner', `This server does not own the lobby ${what}, or no longer does.`);
}

function notLive(server: string): OwnershipError {
  return new OwnershipError('server_not_live', `No server holds a lease under the name ${server}.`);
}
