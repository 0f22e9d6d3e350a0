import { createHash } from 'node:crypto';
import pg from 'pg';
import { decodePayload } from '../../../src/service/events/payload.ts';

/** An event as it was committed. */
export interface Committed {
  readonly position: number;
  readonly number: number;
  readonly topic: string;
  readonly name: string;
  readonly data: Record<string, unknown>;
  readonly key: string;
  readonly except: string | undefined;
  readonly only: string | undefined;
  /** When it was written, by the wall clock. */
  readonly atMs: number;
  /** When the last look began that did not find it yet. */
  readonly absentAtMs: number;
}

/** The same for a dispatch as for the event that it comes from. */
export function keyOf(name: string, data: unknown): string {
  return createHash('sha1')
    .update(`${name} ${JSON.stringify(data)}`)
    .digest('base64');
}

/** All events that were ever committed: read from the database itself, past the links of the nodes. */
export class EventHistory {
  readonly #url: string;
  readonly #events = new Map<string, Committed>();
  #next = 0;
  #lastLookMs = 0;
  #isOver = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  start(): void {
    this.#reading = this.#run();
  }

  /** Reads to the end and stops. @returns the events in the order of their commits */
  async end(): Promise<Committed[]> {
    this.#isOver = true;
    await this.#reading;
    return [...this.#events.values()].sort((a, b) => a.position - b.position || a.number - b.number);
  }

  get size(): number {
    return this.#events.size;
  }

  async #run(): Promise<void> {
    for (let isLast = false; !isLast; ) {
      const client = new pg.Client({
        connectionString: this.#url,
        connectionTimeoutMillis: 3000,
        query_timeout: 30_000,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        while (!isLast) {
          const wasOver = this.#isOver;
          await this.#look(client);
          isLast = wasOver;
          await new Promise(resolve => setTimeout(resolve, 100));
        }
      } catch {
        await new Promise(resolve => setTimeout(resolve, 100));
      } finally {
        client.end().catch(() => {});
      }
    }
  }

  async #look(client: pg.Client): Promise<void> {
    const startMs = Date.now();
    const before = await client.query('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin');
    const { rows } = await client.query(
      `SELECT position::text, number, topic, payload, extract(epoch FROM at) * 1000 AS at
       FROM rallypoint.events WHERE position >= $1 ORDER BY position, number`,
      [this.#next],
    );
    for (const { position, number, topic, payload, at } of rows) {
      const id = `${position}/${number}`;
      if (this.#events.has(id)) continue;
      const { event, except, only } = decodePayload(topic, Number(position), payload);
      const data = event ? JSON.parse(event.data) : {};
      this.#events.set(id, {
        ...{ position: Number(position), number, topic, data, except, only },
        ...{ name: event?.name ?? '', key: keyOf(event?.name ?? '', data) },
        ...{ atMs: Number(at), absentAtMs: this.#lastLookMs },
      });
    }
    this.#next = Number(before.rows[0].xmin);
    this.#lastLookMs = startMs;
  }
}
