import { type Cancel, type Logger, systemClock } from '../../wire/clock/ports.ts';
import { BusError } from '../bus/errors.ts';
import type { FanOut } from '../bus/fan-out.ts';
import { decodePayload } from '../events/payload.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { EventsLostError, type PlacedEvent, type ReplayQuery } from './contract.ts';

/** Bounds of what one query returns. One event may be larger than the bytes. */
const rowsPerQuery = 500;
const bytesPerQuery = 4 * 1024 * 1024;
/** Interval of reads without a notification: while notifications arrive, and while they do not. */
const pollMs = 1000;
const pollUnnotifiedMs = 250;
/**
 * From the beginning of one read to that of the next: a millisecond for each event that it returned, within these bounds. Under load a
 * read so returns the events of many commits, while an event that comes alone is read immediately.
 */
const readEveryMs = { least: 2, most: 10 } as const;
/** Pauses while events are held back by a transaction that is open, or the database fails: they double from the first to the last. */
const heldMsMin = 2;
const heldMsMax = 100;
const failedMsMin = 50;
const failedMsMax = 1000;
/** How long a caller waits for the node to catch up. */
const catchUpMsMax = 5000;
/** A number above those of all events of a position. */
const numberMax = 2 ** 31 - 1;

/** An event as it is stored. */
interface EventRow {
  readonly position: number;
  readonly number: number;
  readonly topic: string;
  readonly payload: string;
  /** How many rows there were before the bound in bytes. */
  readonly rows: number;
}

interface ReadRow extends Omit<EventRow, 'position'> {
  /** Null in the only row when there are no events. */
  readonly position: number | null;
  /** All transactions below have ended. */
  readonly horizon: number;
  /** Events up to this position were deleted. */
  readonly deleted: number;
  /** Position of the last event that is committed; null without any. */
  readonly newest: number | null;
  /** Age of the first event that cannot be delivered yet. */
  readonly held_ms: string | null;
}

// One statement, and so one snapshot: what is below the horizon is there. The bounds are constants, so that the plan knows them.
const readEvents = `
SELECT h.horizon, h.deleted, h.newest, h.held_ms, e.position, e.number, e.topic, e.payload, e.rows
FROM (
  SELECT s.horizon, n.newest, (SELECT up_to FROM rallypoint.events_deleted) AS deleted,
    CASE WHEN n.newest >= s.horizon THEN (
      SELECT extract(epoch FROM clock_timestamp() - at) * 1000 FROM rallypoint.events
      WHERE position >= s.horizon ORDER BY position, number LIMIT 1
    ) END AS held_ms
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon) AS s,
    (SELECT max(position) AS newest FROM rallypoint.events) AS n
) AS h
LEFT JOIN LATERAL (
  SELECT * FROM (
    SELECT position, number, topic, payload, count(*) OVER () AS rows,
      sum(bytes) OVER (ORDER BY position, number) - bytes AS before
    FROM (
      SELECT position, number, topic, payload, bytes FROM rallypoint.events
      WHERE (position, number) > ($1::bigint, $2::integer) AND position < h.horizon
      ORDER BY position, number LIMIT ${rowsPerQuery}
    ) AS piece
  ) AS sized WHERE before < ${bytesPerQuery}
) AS e ON true
ORDER BY e.position, e.number`;

// Each topic is read by its index, however many events others have.
const readTopics = `
SELECT d.up_to AS deleted, e.position, e.number, e.topic, e.payload, e.rows
FROM rallypoint.events_deleted AS d
LEFT JOIN LATERAL (
  SELECT * FROM (
    SELECT position, number, topic, payload, count(*) OVER () AS rows,
      sum(bytes) OVER (ORDER BY position, number) - bytes AS before
    FROM (
      SELECT f.* FROM unnest($4::text[]) AS t (topic) CROSS JOIN LATERAL (
        SELECT position, number, topic, payload, bytes FROM rallypoint.events
        WHERE topic = t.topic AND (position, number) > ($1::bigint, $2::integer) AND position <= $3::bigint
        ORDER BY position, number LIMIT ${rowsPerQuery}
      ) AS f
      ORDER BY f.position, f.number LIMIT ${rowsPerQuery}
    ) AS piece
  ) AS sized WHERE before < ${bytesPerQuery}
) AS e ON true
ORDER BY e.position, e.number`;

// A database that was restored on another server has events of transactions that this one has not had yet.
const deleteForeign = `
WITH next AS (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS position),
  lowered AS (
    UPDATE rallypoint.events_deleted SET up_to = next.position - 1 FROM next WHERE up_to >= next.position
  )
DELETE FROM rallypoint.events AS e USING next WHERE e.position >= next.position`;

// Events that are not committed yet come behind all of these.
const findLast = `
SELECT greatest(d.up_to, (
  SELECT max(position) FROM rallypoint.events WHERE position < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
)) AS position
FROM rallypoint.events_deleted AS d`;

interface Waiter {
  /** The number of the first read whose snapshot is from after the call. */
  readonly read: number;
  /** What was committed then; undefined until that read. */
  upTo: number | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Reads the committed events of all nodes in their order, and delivers them to the subscribers of this node: all events of one position
 * in one turn. It reads when {@link EventReader.wake} is called, and at intervals; one query is under way at a time.
 */
export class EventReader {
  readonly #postgres: Postgres;
  readonly #fanOut: FanOut;
  readonly #log: Logger;
  readonly #isNotified: () => boolean;
  readonly #lost = new Set<() => void>();
  readonly #waiters = new Set<Waiter>();
  #position = 0;
  /** The events of a position of which more are to be read. */
  #partial: EventRow[] = [];
  #reads = 0;
  #delivered = 0;
  #heldMs = 0;
  #readAtMs = 0;
  #hasFailed = false;
  #isWoken = false;
  #endPause: () => void = () => {};
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  /** @param isNotified whether {@link wake} is called when there are new events */
  constructor(postgres: Postgres, fanOut: FanOut, log: Logger, isNotified: () => boolean) {
    this.#postgres = postgres;
    this.#fanOut = fanOut;
    this.#log = log;
    this.#isNotified = isNotified;
  }

  /** For tests of their plans. */
  readonly statements = { read: readEvents, replay: readTopics };

  /**
   * All events up to this position were delivered here; no event will ever be added up to it. It is the position of an event: numbers
   * behind it, of transactions that wrote none or were rolled back, may be given again by a server that crashed, or by its standby.
   */
  get position(): number {
    return this.#position;
  }

  /** Whether the last read failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** How many events were read since the start. */
  get eventsRead(): number {
    return this.#delivered;
  }

  /** How old the first event is that is committed and not delivered here; while the database fails, how long it has done so. */
  get behindMs(): number {
    const sinceMs = steadyMs() - this.#readAtMs;
    if (this.#hasFailed) return this.#heldMs + sinceMs;
    return this.#heldMs > 0 ? this.#heldMs + sinceMs : 0;
  }

  /** Begins with the events that are not committed yet. */
  async start(): Promise<void> {
    await this.#postgres.query(deleteForeign);
    const [row] = await this.#postgres.query(findLast);
    this.#position = Number(row?.position);
    this.#readAtMs = steadyMs();
    this.#running = this.#run();
  }

  /** There may be new events. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#hasFailed) this.#endPause();
  }

  /**
   * Resolves when everything that was committed before the call has been delivered here.
   *
   * @throws BusError `bus_unavailable` when that takes too long; what the database fails with
   */
  async caughtUp(): Promise<void> {
    if (this.#isClosed) throw closedError();
    let cancel: Cancel = () => {};
    const isLate = () => new BusError('bus_unavailable', 'This node has not received all events yet; try again later.');
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { read: this.#reads + 1, upTo: undefined, resolve, reject };
      this.#waiters.add(waiter);
      cancel = systemClock.schedule(catchUpMsMax, () => {
        this.#waiters.delete(waiter);
        reject(isLate());
      });
      this.wake();
    }).finally(() => cancel());
  }

  /** Calls `listener` when events were deleted before they were read here. */
  onLost(listener: () => void): Cancel {
    this.#lost.add(listener);
    return () => this.#lost.delete(listener);
  }

  /**
   * Reads delivered events of some topics again, in order, in pieces.
   *
   * @throws EventsLostError when events after `after` were deleted already
   */
  async *replay({ after, upTo, topics }: ReplayQuery): AsyncGenerator<readonly PlacedEvent[]> {
    let { position, number } = after;
    for (;;) {
      const values = [position, Math.min(number, numberMax), upTo, topics];
      const rows = await this.#query(readTopics, values, 'replay-events');
      const deleted = rows[0]?.deleted ?? 0;
      if (deleted > position || (deleted === position && number < numberMax)) throw new EventsLostError(position);
      const events = rows.filter(isEvent);
      const last = events.at(-1);
      if (!last) return;
      yield events.map(row => ({
        announced: decodePayload(row.topic, row.position, row.payload),
        number: row.number,
      }));
      if (!isCut(events)) return;
      position = last.position;
      number = last.number;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    for (const { reject } of this.#waiters) reject(closedError());
    this.#waiters.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = 0;
    while (!this.#isClosed) {
      const beganMs = steadyMs();
      const countBefore = this.#delivered;
      this.#isWoken = false;
      try {
        const next = await this.#read();
        if (this.#hasFailed) this.#log.info({ behindMs: Math.round(this.behindMs) }, 'Events are read again.');
        this.#hasFailed = false;
        this.#readAtMs = steadyMs();
        if (next === 'more') pauseMs = 0;
        else if (next === 'held') pauseMs = Math.min(Math.max(heldMsMin, 2 * pauseMs), heldMsMax);
        else pauseMs = this.#isNotified() ? pollMs : pollUnnotifiedMs;
      } catch (error) {
        if (this.#isClosed) return;
        if (!this.#hasFailed) this.#log.error({ error }, 'Events cannot be read; they are read later.');
        pauseMs = this.#hasFailed ? Math.min(2 * pauseMs, failedMsMax) : failedMsMin;
        this.#hasFailed = true;
        for (const { reject } of this.#waiters) reject(error);
        this.#waiters.clear();
      }
      if (pauseMs > 0) await this.#spread(beganMs, this.#delivered - countBefore);
      await this.#pause(pauseMs);
      // Pauses between reads say nothing about how long those while events are held should be.
      if (pauseMs >= pollUnnotifiedMs && !this.#hasFailed) pauseMs = 0;
    }
  }

  /** Waits until the next read may begin, after one that returned `events`. */
  async #spread(beganMs: number, events: number): Promise<void> {
    const everyMs = Math.min(Math.max(events, readEveryMs.least), readEveryMs.most);
    const leftMs = beganMs + everyMs - steadyMs();
    if (leftMs > 0) await new Promise<void>(resolve => systemClock.schedule(leftMs, resolve));
  }

  #pause(ms: number): Promise<void> | undefined {
    if (ms === 0 || this.#isClosed || (this.#isWoken && !this.#hasFailed)) return undefined;
    return new Promise(resolve => {
      const cancel = systemClock.schedule(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** @returns `more`: a query did not return all; `held`: there are events that cannot be delivered yet */
  async #read(): Promise<'more' | 'held' | 'all'> {
    const number = ++this.#reads;
    const last = this.#partial.at(-1);
    const values = last ? [last.position, last.number] : [this.#position, numberMax];
    const rows = await this.#query(readEvents, values, 'read-events');
    const [first] = rows;
    if (this.#isClosed || !first) return 'all';
    const { horizon } = first;
    this.#checkLost(first.deleted, horizon);
    const events = rows.filter(isEvent);
    const isMore = isCut(events);
    this.#deliver(events, isMore);
    const newest = first.newest ?? 0;
    this.#heldMs = Math.max(0, Number(first.held_ms ?? 0));
    this.#settle(number, newest);
    if (isMore) return 'more';
    return newest >= horizon ? 'held' : 'all';
  }

  async #query(text: string, values: readonly unknown[], name: string): Promise<readonly ReadRow[]> {
    return (await this.#postgres.query(text, values, { name })) as unknown as readonly ReadRow[];
  }

  #checkLost(deleted: number, horizon: number): void {
    // A server that counts from further back is another one: what it has committed since is not known.
    const isOther = horizon - 1 < this.#position;
    if (!isOther && deleted <= this.#position) return;
    this.#log.error(
      { position: this.#position, deleted, horizon },
      'Events were deleted before this node had read them.',
    );
    this.#partial = [];
    this.#position = isOther ? horizon - 1 : deleted;
    for (const listener of this.#lost) listener();
  }

  /** @param isMore the last position may have more events than these */
  #deliver(rows: readonly EventRow[], isMore: boolean): void {
    let position = this.#partial[0]?.position;
    for (const row of rows) {
      if (row.position !== position) this.#deliverPosition();
      position = row.position;
      this.#partial.push(row);
    }
    if (!isMore) this.#deliverPosition();
  }

  #deliverPosition(): void {
    const [first] = this.#partial;
    if (!first) return;
    const { position } = first;
    // Those that another server, or a gap, has already passed.
    if (position > this.#position) {
      for (const { topic, payload } of this.#partial) this.#deliverEvent(topic, position, payload);
      this.#position = position;
    }
    this.#delivered += this.#partial.length;
    this.#partial = [];
  }

  #deliverEvent(topic: string, position: number, payload: string): void {
    // Most events have no subscriber here, and are not decoded.
    if (!this.#fanOut.has(topic)) return;
    try {
      this.#fanOut.deliver(decodePayload(topic, position, payload));
    } catch (error) {
      this.#log.error({ error, topic, position }, 'An event cannot be read.');
    }
  }

  #settle(read: number, newest: number): void {
    for (const waiter of this.#waiters) {
      if (read < waiter.read) continue;
      waiter.upTo ??= newest;
      if (this.#position < waiter.upTo) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}

function closedError(): BusError {
  return new BusError('bus_unavailable', 'The service is being closed.');
}

function isEvent(row: ReadRow): row is ReadRow & EventRow {
  return row.position !== null;
}

function isCut(events: readonly EventRow[]): boolean {
  const rows = events[0]?.rows ?? 0;
  return rows === rowsPerQuery || events.length < rows;
}

function steadyMs(): number {
  return systemClock.steady?.() ?? systemClock.now();
}
