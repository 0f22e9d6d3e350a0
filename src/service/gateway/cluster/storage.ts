import type { Cancel } from '../../../wire/clock/ports.ts';
import type { Cluster } from '../../cluster/contract.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { GatewaySessionRecord, SessionBase } from '../../store/records.ts';
import type { Session } from '../sessions/session.ts';
import { holdsClaim } from '../sessions/session-record.ts';
import { type SessionStorage, sessionScope } from '../sessions/storage.ts';

// Unspecified, all of them. Bases move so that few events must be read again, and none that were deleted after 15 minutes.
const tickMs = 30_000;
/** How old a base may become if its session has received events since, and how many. */
const baseTicks = 4;
const baseEventsMax = 256;
/** The same if it has received none. */
const quietBaseTicks = 16;
/** A client that sends no sequence numbers has what it was sent this long ago, or it was silent for too long. */
const ticksUntilReceived = 10;
/** Sessions that are written together. */
const chunkSize = 250;

/** What a session was some time ago. */
interface Mark {
  readonly base: SessionBase;
  readonly tick: number;
}

/**
 * Stores the sessions of this node, so that another one can continue them. For each session it stores a base; what the session
 * received since is in the events that all nodes read. A base is never ahead of what the client has received.
 */
export class ClusterStorage implements SessionStorage {
  readonly #core: Pick<Core, 'clock' | 'log' | 'store'>;
  readonly #cluster: Cluster;
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #onTaken: (session: Session) => void;
  /** The next base of each session. */
  readonly #marks = new WeakMap<Session, Mark>();
  /** When the present base of each session was stored. */
  readonly #moved = new WeakMap<Session, number>();
  /** The last settlement of each session. */
  readonly #settling = new WeakMap<Session, object>();
  /** Sessions whose last change could not be written. */
  readonly #unwritten = new Set<Session>();
  readonly #writes = new Set<Promise<void>>();
  #timer: Cancel | undefined;
  #ticks = 0;
  #isStopped = false;

  /** @param onTaken the session is no longer this node's */
  constructor(
    core: Pick<Core, 'clock' | 'log' | 'store'>,
    cluster: Cluster,
    sessions: ReadonlyMap<string, Session>,
    onTaken: (session: Session) => void,
  ) {
    this.#core = core;
    this.#cluster = cluster;
    this.#sessions = sessions;
    this.#onTaken = onTaken;
  }

  async add(session: Session): Promise<void> {
    session.record = { ...session.record, node: this.#cluster.node, claim: 1 };
    const { record } = session;
    await this.#core.store.transact(sessionScope(record.id), work => work.put('gateway_sessions', record));
    this.#arm();
  }

  put(session: Session): void {
    this.#arm();
    void this.#write(session);
  }

  /** Resolves when it is stored, or could not be stored. */
  settled(session: Session): Promise<void> {
    const own = {};
    this.#settling.set(session, own);
    let stored: Promise<void> | undefined;
    const settled = this.#cluster.caughtUp().then(() => {
      // What the session was started from contains no event that is still to come.
      if (session.hasEnded || session.isHolding || this.#settling.get(session) !== own) return;
      session.forgetSeen();
      this.#moveBase(session, this.#baseOf(session));
      this.#arm();
      stored = this.#write(session);
    });
    return this.#track(session, settled).then(() => stored);
  }

  async close({ record }: Pick<Session, 'record'>): Promise<boolean> {
    return this.#change(record, work => work.put('gateway_sessions', { ...record, base: null }));
  }

  async delete({ record }: Pick<Session, 'record'>): Promise<void> {
    await this.#change(record, work => work.delete('gateway_sessions', record.id));
  }

  /** Sessions of other nodes are stored here, too. */
  async clear(): Promise<void> {}

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.();
    await Promise.all(this.#writes);
  }

  /** Writes about a session, if it is still this node's. @returns whether it is */
  #change(record: GatewaySessionRecord, work: (transaction: Transaction) => void): Promise<boolean> {
    return this.#core.store.transact(sessionScope(record.id), async transaction => {
      if (!(await holdsClaim(transaction, record))) return false;
      work(transaction);
      return true;
    });
  }

  #write(session: Session): Promise<void> {
    const { record } = session;
    const written = this.#change(record, work => work.put('gateway_sessions', record)).then(isOurs => {
      // The end of a session that is ending here was stored before.
      if (!isOurs && !session.hasEnded) this.#onTaken(session);
    });
    return this.#track(session, written);
  }

  /** Resolves when it has ended, well or not. */
  #track(session: Session, written: Promise<void>): Promise<void> {
    this.#unwritten.delete(session);
    const done: Promise<void> = written
      .catch((error: unknown) => {
        this.#unwritten.add(session);
        this.#core.log.warn({ error }, 'A session could not be stored; it is tried again.');
      })
      .finally(() => this.#writes.delete(done));
    this.#writes.add(done);
    return done;
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer ??= this.#core.clock.schedule(tickMs, () => this.#tick());
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#ticks++;
    for (const session of [...this.#unwritten]) {
      this.#unwritten.delete(session);
      if (session.hasEnded) continue;
      if (session.record.base) void this.#write(session);
      else if (!session.isHolding) void this.settled(session);
    }
    const due = [...this.#sessions.values()].filter(session => this.#isDue(session));
    for (let at = 0; at < due.length && !this.#isStopped; at += chunkSize) {
      for (const session of due.slice(at, at + chunkSize)) if (!session.hasEnded) void this.#write(session);
      await Promise.all(this.#writes);
    }
    if (this.#sessions.size > 0) this.#arm();
  }

  /** Moves the base of a session, if it is time. @returns whether it was moved */
  #isDue(session: Session): boolean {
    const { base } = session.record;
    if (!base || session.isHolding) return false;
    const age = this.#ticks - (this.#moved.get(session) ?? 0);
    if (session.receivedUpTo <= base.position) {
      if (age < quietBaseTicks) return false;
      this.#moveBase(session, { ...base, position: this.#cluster.position });
      return true;
    }
    const mark = this.#marks.get(session);
    const isDue = age >= baseTicks || session.sequence - base.sequence > baseEventsMax;
    const isReceived =
      mark !== undefined &&
      (mark.base.sequence <= session.acknowledged || this.#ticks - mark.tick >= ticksUntilReceived);
    const moves = isDue && isReceived;
    if (moves) this.#moveBase(session, mark.base);
    if (!mark || moves) this.#marks.set(session, { base: this.#baseOf(session), tick: this.#ticks });
    return moves;
  }

  #moveBase(session: Session, base: SessionBase): void {
    session.record = { ...session.record, base };
    this.#marks.delete(session);
    this.#moved.set(session, this.#ticks);
  }

  /** The present state of a session, which must not be holding. */
  #baseOf({ sequence, following }: Session): SessionBase {
    return { sequence, position: this.#cluster.position, following: [...following] };
  }
}
