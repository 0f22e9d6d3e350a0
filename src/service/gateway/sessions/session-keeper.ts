import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cancel } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { Announced } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { GatewayEventRecord, GatewaySessionRecord, SessionBase } from '../../store/records.ts';
import { runtimeLimits, serviceLimits } from '../../support/service-limits.ts';
import { type EventLog, readKept } from './event-log.ts';
import type { Session } from './session.ts';

// Our choice: how often a running service leaves word that it is there, and how often bases move. A base lags behind by
// one to two of its periods: more than a client can lag that is silent and then resumes at the last moment.
const aliveMs = 30_000;
const ticksPerMove = 10;
/** Our choice: with more events than this since they last moved, the bases move at once. */
const eventsPerMoveMax = 20_000;
/** Sessions written in one go, so that other work has its turn. */
const chunkSize = 500;
/** As above, events read or deleted: they may be large. */
const eventsPerPiece = 32;

type KeptCore = Pick<Core, 'clock' | 'log' | 'store'>;

/** The word that a process leaves of itself, as a setting. */
const wordSetting = 'gateway';
interface Word {
  /** When it was last seen with sessions, in milliseconds since the Unix epoch. */
  readonly at_ms: number;
  /** It ended in order then; else it may have lived on for up to {@link aliveMs}. */
  readonly stopped: boolean;
}

/** The scope of all that is written about one session. */
export function sessionScope(id: string): string {
  return `gateway/${id}`;
}

/** What a former process has left. */
export interface Leftovers {
  /** Sessions that can go on. */
  readonly resumable: readonly GatewaySessionRecord[];
  /** Sessions that can not: they had not begun, or their clients stayed away for too long. */
  readonly ended: readonly GatewaySessionRecord[];
}

/**
 * Keeps sessions in the store, so that they outlive the process. Of each it keeps a base: where it stood some minutes
 * ago. What it was sent since is found by letting it hear the kept events once more; so an event costs one record,
 * however many sessions hear it, and a session nothing.
 */
export class SessionKeeper {
  readonly #core: KeptCore;
  readonly #log: EventLog;
  readonly #sessions: ReadonlyMap<string, Session>;
  /** Where sessions stood when the bases last moved: their next bases. */
  #marks = new Map<Session, SessionBase>();
  #timer: Cancel | undefined;
  #ticks = 0;
  /** A move that is under way because much was kept. */
  #moving: Promise<void> | undefined;
  #isStopped = false;
  /** Revision of the last event that a former process kept. */
  #end = 0;

  /** @param sessions those that run */
  constructor(core: KeptCore, log: EventLog, sessions: ReadonlyMap<string, Session>) {
    this.#core = core;
    this.#log = log;
    this.#sessions = sessions;
  }

  /** For the log: much was kept since the bases last moved. */
  readonly onFull = (): void => this.#moveSoon();

  /** Keeps what is to be known of the session; queued before whatever is written next. */
  put({ record }: Session): void {
    this.#write(record.id, transaction => transaction.put('gateway_sessions', record));
    if (this.#timer) return;
    this.#arm();
    void this.#trying(() => this.#leaveWord());
  }

  delete(session: Session): void {
    this.#marks.delete(session);
    this.#write(session.id, transaction => transaction.delete('gateway_sessions', session.id));
  }

  /** Where the session stands now; it must not be holding. */
  baseOf({ sequence, following }: Session): SessionBase {
    return { sequence, position: this.#log.position, following: [...following] };
  }

  /** Reads what a former process has left; to be called before anything is written. */
  async leftovers(): Promise<Leftovers> {
    const { store, clock } = this.#core;
    const all = await store.list('gateway_sessions');
    const word = (await store.get('settings', wordSetting))?.value as Word | undefined;
    const lastSeenMs = word ? Math.min(clock.now(), word.at_ms + (word.stopped ? 0 : aliveMs)) : 0;
    // Nobody left in the future: the clock was set back.
    const leftAt = (detachedMs: number | null) => Math.min(detachedMs ?? lastSeenMs, clock.now());
    const known = all.map(record => ({ ...record, detached_at_ms: leftAt(record.detached_at_ms) }));
    const isOver = ({ base, detached_at_ms }: (typeof known)[number]) =>
      base === null || detached_at_ms + serviceLimits.gatewayResumeWindowMs <= clock.now();
    const resumable = known.filter(record => !isOver(record)).toSorted((a, b) => a.detached_at_ms - b.detached_at_ms);
    return { resumable, ended: known.filter(isOver) };
  }

  /** Where the events of former processes end: what is announced from here on is new. To be called before anything is. */
  async begin(): Promise<void> {
    const [last] = await this.#core.store.list('gateway_events', { descending: true, limit: 1 });
    this.#end = last?.revision ?? 0;
    this.#log.passed(this.#end);
  }

  /** A former process has kept no events. */
  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /**
   * Lets `hear` have every event that a former process kept, in its order, in pieces between which other work has its
   * turn.
   *
   * @param from position of the first session that needs them
   * @param hear tells how many heard it
   * @returns whether that were all; not when they are more than a process keeps, as those of an older version can be, nor when
   *   one of them cannot be decoded
   */
  async repeat(from: number, hear: (announced: Announced) => number, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#core;
    const find = async (revision: number, number: number) => store.get('gateway_events', revision, number);
    let bytes = 0;
    for await (const events of this.#pieces(from + 1, this.#end)) {
      for (const event of events) {
        const size = event.announced.event?.data.length ?? 0;
        bytes += size;
        this.#log.count(event, hear(await readKept(event, find)));
      }
      if (signal.aborted || bytes > 2 * runtimeLimits.eventLogBytesMax) return false;
    }
    return this.#log.lostUpTo < from + 1;
  }

  /** Deletes what is kept of all sessions. */
  async clear(): Promise<void> {
    await this.#core.store.transact('gateway', async transaction => {
      for (const { id } of await transaction.list('gateway_sessions')) transaction.delete('gateway_sessions', id);
    });
    this.#log.clear();
    await this.#deleteEvents(Number.MAX_SAFE_INTEGER);
  }

  /** Writes no more by itself, and lets go of what is needed no more. */
  async stop(): Promise<void> {
    this.#timer?.();
    this.#isStopped = true;
    await this.#moving;
    if (this.#sessions.size > 0) await this.#trying(() => this.#leaveWord({ stopped: true }));
    await this.#trying(() => (this.#sessions.size > 0 ? this.#move() : this.clear()));
  }

  #write(id: string, work: (transaction: Transaction) => void): void {
    this.#core.store.transact(sessionScope(id), work).catch((error: unknown) => {
      this.#core.log.error(
        { error },
        'A session could not be kept; its client may have to begin anew after a restart.',
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
      this.#core.log.warn({ error }, 'What is kept of the gateway sessions could not be brought up to date.');
    }
  }

  /** Does it soon, because much was kept since the bases last moved. */
  #moveSoon(): void {
    if (this.#isStopped) return;
    this.#moving ??= nextTurn()
      .then(() => this.#trying(() => this.#move()))
      .finally(() => {
        this.#moving = undefined;
      });
  }

  /** Moves every base to where its session stood last time, and deletes the events that no session needs any more. */
  async #move(): Promise<void> {
    this.#log.turn();
    const moved: Session[] = [];
    let needed = this.#log.position;
    for (const session of this.#sessions.values()) {
      const { base } = session.record;
      if (!base) continue;
      // It may have been made anew, and not have heard yet what it needs.
      if (session.isHolding) {
        needed = Math.min(needed, base.position);
        continue;
      }
      const mark = this.#marks.get(session);
      // What was announced since its base matters only to a session that heard of it.
      if (session.heardUpTo > base.position) {
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

  /** Where the session stands now; as little as can be where it has heard nothing since. */
  #markOf(session: Session, before: SessionBase): SessionBase {
    if (session.heardUpTo > before.position) return this.baseOf(session);
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

  /** The events that are kept from one revision to another, those of one revision in one piece. */
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
