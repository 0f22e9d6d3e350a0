import type { Cancel, Clock, Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { OwnershipError } from './ownership-error.ts';
import type { ServerRecord, Shelf, Stored } from './registry.ts';

/**
 * - `none`: nothing has been asked of this server yet
 * - `held`: its lobbies are its own
 * - `lapsed`: the lease ran out, or the directory cannot be reached; others may take its lobbies
 * - `superseded`: another process has come under its name; for good
 */
export type LeaseStatus = 'none' | 'held' | 'lapsed' | 'superseded';

export interface LeaseOptions {
  readonly server: string;
  /** Tells this process from an earlier or later one of the same name. */
  readonly process: string;
  readonly leaseMs: number;
  readonly servers: Shelf<ServerRecord>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

// Our choices, in parts of the lease: renewed three times before it ends; its last sixth is not used, so that clocks of
// two servers may differ by as much and a write on its way still arrives in time.
const renewals = 3;
const marginParts = 6;
// Two processes that come up under one name at once outbid each other; one of them is last.
const openTriesMax = 10;

/**
 * A server's lease on all of its lobbies: one record, however many they are, renewed on one timer from its first use.
 *
 * A term is a stretch of time in which the lease was held without a gap. Whenever it may have run out, be it only
 * while a renewal was on its way, the next term begins, and every lobby must be taken anew ({@link LobbyEntry.term}):
 * another server may have taken it in between.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #marginMs: number;
  #held: Stored<ServerRecord> | undefined;
  #status: LeaseStatus = 'none';
  #opening: Promise<void> | undefined;
  /** About to begin. */
  #look: Promise<void> | undefined;
  #cancelTimer: Cancel = () => {};
  #closed = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#marginMs = options.leaseMs / marginParts;
  }

  get status(): LeaseStatus {
    return this.#status === 'held' && this.leftMs <= 0 ? 'lapsed' : this.#status;
  }

  /** 0 before the first. */
  get term(): number {
    return this.#held?.value.term ?? 0;
  }

  /** For how long writes may still be on their way; 0 or less when the lease is not held. */
  get leftMs(): number {
    if (!this.#held || this.#status !== 'held') return 0;
    return this.#held.value.leaseUntilMs - this.#marginMs - this.#options.clock.now();
  }

  /** Makes sure that the lease is held now. @throws OwnershipError `superseded`, `lease_lost`, `directory_failed` */
  async hold(): Promise<void> {
    if (this.leftMs > 0) return;
    if (this.#closed) throw leaseLost(this.#options.server);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /**
   * Makes sure, by the directory, that no other process has come under this name. Who asks in one turn is answered by one
   * look, which begins after they have asked.
   *
   * @throws OwnershipError `superseded`, `lease_lost`, `directory_failed`
   */
  confirm(): Promise<void> {
    this.#look ??= Promise.resolve().then(() => {
      this.#look = undefined;
      return this.#lookAfter();
    });
    return this.#look;
  }

  /** Whether a server's lease has not run out. */
  async isLive(server: string): Promise<boolean> {
    const record = await this.#options.servers.get(server);
    return record !== undefined && this.holdsStill(record.value);
  }

  holdsStill({ leaseUntilMs }: ServerRecord): boolean {
    return leaseUntilMs > this.#options.clock.now();
  }

  /** Stops renewing. The lease runs out by itself, so that a server that comes back soon finds its lobbies. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  async #lookAfter(): Promise<void> {
    const { server, process, servers } = this.#options;
    const record = this.#status === 'superseded' ? undefined : await servers.get(server);
    if (this.#status === 'superseded') throw superseded(server);
    if (record && record.value.process !== process) throw this.#yield();
    if (!record || this.leftMs <= 0) throw leaseLost(server);
  }

  async #open(): Promise<void> {
    const { server, process, leaseMs, servers, clock } = this.#options;
    for (let tries = 0; tries < openTriesMax; tries++) {
      if (this.#status === 'superseded') throw superseded(server);
      const before = await servers.get(server);
      if (before && this.#held && before.value.process !== process) throw this.#yield();
      const term = Math.max(before?.value.term ?? 0, this.term) + 1;
      const written = await servers.write(server, before, { term, process, leaseUntilMs: clock.now() + leaseMs });
      if (written) this.#hold(written);
      if (this.leftMs > 0) return;
    }
    throw leaseLost(server);
  }

  async #renew(): Promise<void> {
    const { server, leaseMs, servers, clock } = this.#options;
    const before = this.#held;
    if (!before || this.leftMs <= 0) return this.hold();
    const value = { ...before.value, leaseUntilMs: clock.now() + leaseMs };
    const written = await servers.write(server, before, value);
    const inTime = this.leftMs > 0;
    if (written && inTime) return this.#hold(written);
    // Either it took so long that others may have seen the lease run out, or somebody else wrote the record.
    this.#set('lapsed');
    return this.hold();
  }

  #hold(record: Stored<ServerRecord>): void {
    this.#held = record;
    this.#set('held');
    this.#cancelTimer();
    if (!this.#closed) this.#arm();
  }

  #arm(): void {
    const { clock, leaseMs } = this.#options;
    this.#cancelTimer = clock.schedule(leaseMs / renewals, () => this.#onTimer());
  }

  async #onTimer(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      const { logger, server } = this.#options;
      logger.error({ server, error: reportError(error) }, 'the lease on lobbies was not renewed');
      this.#options.onChange(); // it may have run out meanwhile
      if (!this.#closed && this.#status !== 'superseded') this.#arm();
    }
  }

  #yield(): OwnershipError {
    this.#set('superseded');
    this.#cancelTimer();
    return superseded(this.#options.server);
  }

  #set(status: LeaseStatus): void {
    this.#status = status;
    this.#options.onChange();
  }
}

function superseded(server: string): OwnershipError {
  return new OwnershipError(
    'superseded',
    `Another process has taken the server name ${server}. Give every process its own name.`,
  );
}

function leaseLost(server: string): OwnershipError {
  return new OwnershipError('lease_lost', `The lease of ${server} has run out and could not be renewed.`);
}
