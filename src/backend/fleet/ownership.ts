import type { LobbyId } from '../../model/snowflake.ts';
import type { SendOptions } from '../calls.ts';
import type { Operation } from '../operation.ts';
import type { Lease } from './lease.ts';
import { OwnershipError } from './ownership-error.ts';
import type { LobbyEntry, Registry, Stored } from './registry.ts';

/** A key that is this server's, as far as it knows. */
export interface Holding {
  readonly key: string;
  /** As the directory has it. */
  readonly entry: LobbyEntry;
}

/** A key that is another server's. */
export interface Foreign {
  readonly foreign: Stored<LobbyEntry>;
}

/** What a write to a lobby must keep to. */
export interface WriteBounds extends Pick<SendOptions, 'beforeSend'> {
  readonly deadlineMs: number;
}

export interface OwnershipOptions {
  readonly server: string;
  readonly registry: Registry;
  readonly lease: Lease;
  readonly onChange: () => void;
}

// Our choice: so many lobbies that were ours are remembered, to refuse late writes to them.
const lostMax = 10_000;

/**
 * Which lobbies are this server's. Every change of hands is one compare-and-set of the lobby's entry: of two servers
 * that reach for it one is told that it came too late. What is held is written to under the lease only: an owner that
 * was cut off stops by its own clock, before anybody else may take over.
 *
 * Works about one key must take turns ({@link Turns}).
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

  /** Takes a key that is free, or this server's, or that of a server whose lease has run out. */
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
   * Makes a key this server's own, whoever has it.
   *
   * @param before as it was read; undefined: free
   * @returns undefined when something else is stored by now
   */
  async seize(
    key: string,
    before: Stored<LobbyEntry> | undefined,
    change: Partial<LobbyEntry> = {},
  ): Promise<Holding | undefined> {
    // Between the reading of `before` and the write: whoever had come under this name and changed it before that reading
    // is seen here, and a later change makes the write fail.
    await this.#lease.confirm();
    const entry = { ...taken(before?.value), ...change, owner: this.#server, term: this.#lease.term };
    const stored = await this.#registry.lobbies.write(key, before, entry);
    return stored && this.#keep(new Held(key, stored));
  }

  /**
   * Makes sure that a lobby may be written to now.
   *
   * @returns for how long; and what finds out, before each time the write is sent, whether that still holds
   * @throws OwnershipError `not_owner`, `lease_lost`, `superseded`
   */
  async confirm(holding: Holding): Promise<WriteBounds> {
    await this.#lease.hold();
    const held = this.#held.get(holding.key);
    if (held !== holding || !(await this.#isConfirmed(held))) throw notOwner(holding.key);
    return { deadlineMs: this.#lease.leftMs, beforeSend: () => this.#lease.confirm() };
  }

  /** @throws OwnershipError `superseded`, `lease_lost`: what is held is, or may be, another process's by now */
  stillOwns(): Promise<void> {
    return this.#lease.confirm();
  }

  /** Writes down what has become of it. @throws OwnershipError `not_owner` when somebody else did; it is lost then */
  async record(holding: Holding, change: Partial<LobbyEntry>): Promise<void> {
    const held = this.#own(holding);
    await this.#write(held, { ...held.entry, ...change });
    this.#keep(held);
  }

  /** Strikes it out; whoever wants the key may have it. @throws OwnershipError `not_owner`, as {@link record} */
  async strike(holding: Holding): Promise<void> {
    const held = this.#own(holding);
    await this.#lease.confirm();
    this.#drop(held);
    if (!(await this.#registry.lobbies.delete(held.key, held.stored))) throw notOwner(held.key);
  }

  /** Hands it to another server once no write is on its way. From the first moment none begins. */
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
   * Writes to a lobby by its id. One that was never this server's is nobody's business here, and passes.
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

  /** In a new term what is held is taken anew, for somebody else may have taken it in between. */
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
      this.#lose(held); // nobody knows whether it was written: the next who wants it looks
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
  /** The lobby it is found by. */
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
      if (--this.#writes === 0) for (const tell of this.#onQuiet.splice(0)) tell();
    }
  }

  /** Resolves when no write is on its way. */
  quiet(): Promise<void> {
    return this.#writes === 0 ? Promise.resolve() : new Promise(resolve => this.#onQuiet.push(resolve));
  }
}

/** An entry as whoever takes it finds it; owner and term are still to be filled in. */
function taken(before: LobbyEntry | undefined): Omit<LobbyEntry, 'owner' | 'term'> {
  if (!before) return { status: 'claimed', lobbyId: null, epoch: 1, idleTimeoutSeconds: null };
  return { ...before, status: before.status === 'offered' ? 'open' : before.status, epoch: before.epoch + 1 };
}

function notOwner(what: string): OwnershipError {
  return new OwnershipError('not_owner', `The lobby ${what} is not, or no longer, this server's.`);
}

function notLive(server: string): OwnershipError {
  return new OwnershipError('server_not_live', `No server holds a lease under the name ${server}.`);
}
