import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cancel } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { Announced } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { GatewayEventRecord, GatewaySessionRecord, SessionBase } from '../../store/records.ts';
import { runtimeLimits, serviceLimits } from '../../support/service-limits.ts';
import { type EventLog, readKept } from './event-log.ts';
import type { Session } from './session.ts';
import { type SessionStorage, sessionScope } from './storage.ts';

// Unspecified: how often a running service records that it is alive, and how often bases move. A base lags behind by
// one to two of its periods: more than a client can lag that is silent and then resumes at the last moment.
const aliveMs = 30_000;
const ticksPerMove = 10;
/** Unspecified: with more events than this since they last moved, the bases move immediately. */
const eventsPerMoveMax = 20_000;
/** Sessions written in one transaction, so that other work runs in between. */
const chunkSize = 500;
/** The same for events that are read or deleted, which may be large. */
const eventsPerPiece = 32;

type KeptCore = Pick<Core, 'clock' | 'log' | 'store'>;

/** The setting in which a process records that it is alive. */
const wordSetting = 'gateway';
interface Word {
  /** When it was last alive with sessions, in milliseconds since the Unix epoch. */
  readonly at_ms: number;
  /** It stopped cleanly then; otherwise it may have lived for another {@link aliveMs}. */
  readonly stopped: boolean;
}

/** The sessions that a former process has left. */
export interface Leftovers {
  /** Sessions that can continue. */
  readonly resumable: readonly GatewaySessionRecord[];
  /** Sessions that cannot continue: they had not begun, or their clients were away for too long. */
  readonly ended: readonly GatewaySessionRecord[];
}

/**
 * Stores the sessions of the only process, for the next one. For each session it stores a base: its state some minutes
 * ago. The events since then are restored by replaying the stored events to it. So an event costs one record, however many
 * sessions receive it, and a session costs nothing per event.
 */
export class RestartStorage implements SessionStorage {
  readonly #core: KeptCore;
  readonly #log: EventLog;
  readonly #sessions: ReadonlyMap<string, Session>;
  /** The states of the sessions when the bases last moved: their next bases. */
  #marks = new Map<Session, SessionBase>();
  #timer: Cancel | undefined;
  #ticks = 0;
  /** A move in progress that was started because many events were stored. */
  #moving: Promise<void> | undefined;
  #isStopped = false;
  /** Revision of the last event that a former process kept. */
  #end = 0;

  /** @param sessions the running ones */
  constructor(core: KeptCore, log: EventLog, sessions: ReadonlyMap<string, Session>) {
    this.#core = core;
    this.#log = log;
    this.#sessions = sessions;
  }

  /** For the log: many events were stored since the bases last moved. */
  readonly onFull = (): void => this.#moveSoon();

  /** Queued before whatever is written next. */
  add(session: Session): void {
    this.put(session);
  }

  put(session: Session): void {
    void this.#store(session);
  }

  settled(session: Session): Promise<void> {
    session.record = { ...session.record, base: this.#baseOf(session) };
    return this.#store(session);
  }

  #store({ record }: Session): Promise<void> {
    const written = this.#write(record.id, transaction => transaction.put('gateway_sessions', record));
    if (!this.#timer) {
      this.#arm();
      void this.#trying(() => this.#leaveWord());
    }
    return written;
  }

  /** With the process, only {@link delete} matters. */
  close(): boolean {
    return true;
  }

  delete(session: Session): void {
    this.#marks.delete(session);
    void this.#write(session.id, transaction => transaction.delete('gateway_sessions', session.id));
  }

  /** The present state of the session, which must not be holding. */
  #baseOf({ sequence, following }: Session): SessionBase {
    return { sequence, position: this.#log.position, following: [...following] };
  }

  /** Reads the sessions that a former process has left. Call it before anything is written. */
  async leftovers(): Promise<Leftovers> {
    const { store, clock } = this.#core;
    const all = await store.list('gateway_sessions');
    const word = (await store.get('settings', wordSetting))?.value as Word | undefined;
    const lastSeenMs = word ? Math.min(clock.now(), word.at_ms + (word.stopped ? 0 : aliveMs)) : 0;
    // A time in the future means that the clock was set back.
    const leftAt = (detachedMs: number | null) => Math.min(detachedMs ?? lastSeenMs, clock.now());
    const known = all.map(record => ({ ...record, detached_at_ms: leftAt(record.detached_at_ms) }));
    const isOver = ({ base, detached_at_ms }: (typeof known)[number]) =>
      base === null || detached_at_ms + serviceLimits.gatewayResumeWindowMs <= clock.now();
    const resumable = known.filter(record => !isOver(record)).toSorted((a, b) => a.detached_at_ms - b.detached_at_ms);
    return { resumable, ended: known.filter(isOver) };
  }

  /** The position after the events of former processes. Call it before anything is announced. */
  async begin(): Promise<void> {
    const [last] = await this.#core.store.list('gateway_events', { descending: true, limit: 1 });
    this.#end = last?.revision ?? 0;
    this.#log.passed(this.#end);
  }

  /** Whether a former process has stored no events. */
  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /**
   * Passes every event that a former process stored to `receive`, in order, in pieces between which other work runs.
   *
   * @param from position of the first session that needs them
   * @param receive returns how many sessions received it
   * @returns whether these were all; false when there are more than a process stores, as those of an older version
   *   can be, or when one of them cannot be decoded
   */
  async repeat(from: number, receive: (announced: Announced) => number, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#core;
    const find = async (revision: number, number: number) => store.get('gateway_events', revision, number);
    let bytes = 0;
    for await (const events of this.#pieces(from + 1, this.#end)) {
      for (const event of events) {
        const size = event.announced.event?.data.length ?? 0;
        bytes += size;
        this.#log.count(event, receive(await readKept(event, find)));
      }
      if (signal.aborted || bytes > 2 * runtimeLimits.eventLogBytesMax) return false;
    }
    return this.#log.lostUpTo < from + 1;
  }

  /** Deletes everything stored about all sessions. */
  async clear(): Promise<void> {
    await this.#core.store.transact('gateway', async transaction => {
      for (const { id } of await transaction.list('gateway_sessions')) transaction.delete('gateway_sessions', id);
    });
    this.#log.clear();
    await this.#deleteEvents(Number.MAX_SAFE_INTEGER);
  }

  /** Stops writing periodically, and deletes what is no longer needed. */
  async stop(): Promise<void> {
    this.#timer?.();
    this.#isStopped = true;
    await this.#moving;
    if (this.#sessions.size > 0) await this.#trying(() => this.#leaveWord({ stopped: true }));
    await this.#trying(() => (this.#sessions.size > 0 ? this.#move() : this.clear()));
  }

  #write(id: string, work: (transaction: Transaction) => void): Promise<void> {
    return this.#core.store.transact(sessionScope(id), work).catch((error: unknown) => {
      this.#core.log.error(
        { error },
        'A session could not be stored; its client may have to identify again after a restart.',
      );
    });
  }

  #arm(): void {
    this.#timer = this.#core.clock.schedule(aliveMs, () => this.#tick());
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#ticks++;
    const isLast = this.#sessions.size === 0;
    const isDue = this.#ticks % ticksPerMove === 0 || this.#log.kept > eventsPerMoveMax;
    await this.#trying(() => this.#leaveWord());
    if (isDue || isLast) await this.#trying(() => this.#move());
    if (this.#sessions.size > 0) this.#arm();
  }

  async #leaveWord({ stopped } = { stopped: false }): Promise<void> {
    const value: Word = { at_ms: this.#core.clock.now(), stopped };
    await this.#core.store.transact('gateway', work => work.put('settings', { name: wordSetting, value }));
  }

  async #trying(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#core.log.warn({ error }, 'The stored gateway sessions could not be updated.');
    }
  }

  /** Moves the bases soon, because many events were stored. */
  #moveSoon(): void {
    if (this.#isStopped) return;
    this.#moving ??= nextTurn()
      .then(() => this.#trying(() => this.#move()))
      .finally(() => {
        this.#moving = undefined;
      });
  }

  /** Moves every base to the session's state of last time, and deletes the events that no session needs any more. */
  async #move(): Promise<void> {
    this.#log.turn();
    const moved: Session[] = [];
    let needed = this.#log.position;
    for (const session of this.#sessions.values()) {
      const { base } = session.record;
      if (!base) continue;
      // It may have been restored, and not have received all events yet.
      if (session.isHolding) {
        needed = Math.min(needed, base.position);
        continue;
      }
      const mark = this.#marks.get(session);
      // An event after its base matters only to a session that received it.
      if (session.receivedUpTo > base.position) {
        if (mark) {
          session.record = { ...session.record, base: mark };
          moved.push(session);
        }
        needed = Math.min(needed, (mark ?? base).position);
      }
      this.#marks.set(session, this.#markOf(session, mark ?? base));
    }
    for (let at = 0; at < moved.length; at += chunkSize) {
      const chunk = moved.slice(at, at + chunkSize);
      await this.#core.store.transact('gateway', transaction => {
        for (const { record, hasEnded } of chunk) if (!hasEnded) transaction.put('gateway_sessions', record);
      });
    }
    await this.#deleteEvents(needed);
  }

  /** The present state of the session, as short as possible when it has received nothing since. */
  #markOf(session: Session, before: SessionBase): SessionBase {
    if (session.receivedUpTo > before.position) return this.#baseOf(session);
    return { ...before, position: this.#log.position };
  }

  async #deleteEvents(upTo: number): Promise<void> {
    for await (const events of this.#pieces(0, upTo)) {
      const needless = events.filter(event => !this.#log.isNeeded(event, upTo));
      if (needless.length === 0) continue;
      await this.#core.store.transact('gateway', transaction => {
        for (const { revision, number } of needless) transaction.delete('gateway_events', revision, number);
      });
    }
  }

  /** The stored events between two revisions; those of one revision are in one piece. */
  async *#pieces(from: number, upTo: number): AsyncGenerator<readonly GatewayEventRecord[]> {
    const { store } = this.#core;
    for (let at = from; at <= upTo; ) {
      const events = await store.list('gateway_events', { from: at, upTo, limit: eventsPerPiece });
      const [first] = events;
      if (!first) return;
      const last = events.at(-1) ?? first;
      if (events.length < eventsPerPiece) {
        yield events;
        return;
      }
      if (last.revision === first.revision) {
        yield await store.list('gateway_events', { equals: [first.revision] });
        at = first.revision + 1;
      } else {
        yield events.filter(({ revision }) => revision < last.revision);
        at = last.revision;
      }
      await nextTurn();
    }
  }
}
