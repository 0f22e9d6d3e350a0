import { leftMs, type Moment, momentIn } from '../../wire/clock/moment.ts';
import type { Cancel, Clock, Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { OwnershipError } from './ownership-error.ts';
import type { RecordTable, ServerRecord, Stored } from './registry.ts';

/**
 * - `none`: the managed lobbies have not been used yet
 * - `held`: this server owns its lobbies
 * - `lapsed`: the lease expired, or the directory cannot be reached; others may take the lobbies
 * - `superseded`: another process has taken over this server's name; final
 */
export type LeaseStatus = 'none' | 'held' | 'lapsed' | 'superseded';

export interface LeaseOptions {
  readonly server: string;
  /** Distinguishes this process from an earlier or later one of the same name. */
  readonly process: string;
  readonly leaseMs: number;
  readonly servers: RecordTable<ServerRecord>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

// Renewals within one lease, and the part of it at its end that stays unused, so that clocks of two servers may differ by
// as much and a write that is under way still arrives in time.
const renewals = 3;
const marginParts = 6;
// Two processes that start under one name at the same time outbid each other; one of them is last.
const openTriesMax = 10;

/**
 * A server's lease on all of its lobbies: one record, however many they are, renewed on one timer from its first use.
 *
 * A term is a period in which the lease was held without a gap. Whenever the lease may have expired, even if only while a
 * renewal was under way, the next term begins and every lobby must be taken again ({@link LobbyEntry.term}), because
 * another server may have taken it in between.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #marginMs: number;
  #held: Stored<ServerRecord> | undefined;
  /** When {@link #held} expires. */
  #end: Moment | undefined;
  #status: LeaseStatus = 'none';
  #opening: Promise<void> | undefined;
  /** A check that has not started yet. */
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

  /** How long writes may still take; 0 or less if the lease is not held. */
  get leftMs(): number {
    if (!this.#end || this.#status !== 'held') return 0;
    return leftMs(this.#options.clock, this.#end) - this.#marginMs;
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
   * Checks in the directory that no other process has taken this name. Callers of one turn share one check, which begins
   * after they have called.
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

  /** Whether a server's lease has not expired. */
  async isLive(server: string): Promise<boolean> {
    const record = await this.#options.servers.get(server);
    return record !== undefined && this.holdsStill(record.value);
  }

  holdsStill({ leaseUntilMs }: ServerRecord): boolean {
    return leaseUntilMs > this.#options.clock.now();
  }

  /** Stops renewing. The lease expires by itself, so that a server that restarts soon finds its lobbies. Idempotent. */
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
      const end = momentIn(clock, leaseMs);
      const written = await servers.write(server, before, { term, process, leaseUntilMs: end.wallMs });
      if (written) this.#hold(written, end);
      if (this.leftMs > 0) return;
    }
    throw leaseLost(server);
  }

  async #renew(): Promise<void> {
    const { server, leaseMs, servers, clock } = this.#options;
    const before = this.#held;
    if (!before || this.leftMs <= 0) return this.hold();
    const end = momentIn(clock, leaseMs);
    const value = { ...before.value, leaseUntilMs: end.wallMs };
    const written = await servers.write(server, before, value);
    const inTime = this.leftMs > 0;
    if (written && inTime) return this.#hold(written, end);
    // Either it took so long that others may have seen the lease expire, or another process wrote the record.
    this.#set('lapsed');
    return this.hold();
  }

  #hold(record: Stored<ServerRecord>, end: Moment): void {
    this.#held = record;
    this.#end = end;
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
      this.#options.onChange(); // it may have expired meanwhile
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
  return new OwnershipError(
    'lease_lost',
    `The lease of ${server} expired and could not be renewed: check the lobby directory.`,
  );
}
