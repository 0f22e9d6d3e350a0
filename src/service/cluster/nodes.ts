import { randomBytes } from 'node:crypto';
import { type Cancel, type Clock, type Logger, steadyNow, systemClock } from '../../wire/clock/ports.ts';
import { BusError } from '../bus/errors.ts';
import { aliveSql, silentMsMax } from '../store/postgres/alive-nodes.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { DepartedNode, KnownNode } from './contract.ts';

const workersMax = 1024;
const renewEveryMs = 1000;
/** How long the database is waited for where older knowledge does as well. */
const othersMsMax = 300;
/**
 * How long this node must have renewed its own row without a failure before it says so of others: after an outage of the database
 * all need the time to renew theirs.
 */
const steadyMsMin = 15_000;
/** After this long without renewing, a node may have been forgotten, and its worker number belong to another. */
const validMsMax = 60_000;
/** A clock that differs more than this from PostgreSQL's is logged. */
const clockDifferenceMsMax = 1000;

const register = `
INSERT INTO rallypoint.nodes (id, worker, address, started_at, seen_at, position)
SELECT $1, worker, $2, clock_timestamp(), clock_timestamp(), $3
FROM generate_series(0, ${workersMax - 1}) AS worker
WHERE worker NOT IN (SELECT n.worker FROM rallypoint.nodes AS n)
ORDER BY random() LIMIT 1
ON CONFLICT DO NOTHING RETURNING worker`;

const renew = `
WITH renewed AS (
  UPDATE rallypoint.nodes SET seen_at = clock_timestamp(), departed_at = NULL, position = $2 WHERE id = $1 RETURNING worker
)
SELECT (SELECT worker FROM renewed) AS worker,
  ARRAY (SELECT id FROM rallypoint.nodes WHERE id <> $1 AND ${aliveSql}) AS others,
  (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS clock_ms`;

/** This node's row in `nodes`, which is renewed each second, and what it says about the others. */
export class Nodes {
  /** The id of this node, new at each start. */
  readonly id = randomBytes(12).toString('base64url');
  readonly #postgres: Postgres;
  readonly #clock: Clock;
  readonly #address: string | undefined;
  readonly #log: Logger;
  readonly #position: () => number;
  #worker: number | undefined;
  #others: readonly string[] = [];
  /** When the last successful renewal began. */
  #renewedAt = { steadyMs: 0, wallMs: 0 };
  /** Since when no renewal has failed or was late. */
  #steadySinceMs = 0;
  #hasFailed = false;
  #isClockWrong = false;
  #isClosed = false;
  #cancel: Cancel = () => {};
  #renewing: Promise<void> = Promise.resolve();

  /**
   * @param position what this node has read of the events
   * @param clock not that of the service: the row must be renewed also while a virtual one stands still
   */
  constructor(postgres: Postgres, log: Logger, position: () => number, address?: string, clock: Clock = systemClock) {
    this.#postgres = postgres;
    this.#clock = clock;
    this.#log = log;
    this.#position = position;
    this.#address = address;
  }

  /** Registers this node and begins to renew its row. */
  async start(): Promise<void> {
    await this.#renew();
    this.#steadySinceMs = steadyNow(this.#clock);
    this.#schedule();
  }

  /**
   * This node's number among those that are alive, 0–1023, for its snowflakes. It may change when the node was out of touch for long.
   *
   * @throws BusError `node_outdated` while it could not renew its row for long
   */
  get worker(): number {
    if (this.#worker === undefined || !this.#isValid) {
      throw new BusError('node_outdated', 'This node could not renew its registration; try again in a second.');
    }
    return this.#worker;
  }

  /** The ids of the other nodes that are alive; while the database does not answer, those that were when this node last renewed its row. */
  async others(): Promise<readonly string[]> {
    const text = `SELECT id FROM rallypoint.nodes WHERE id <> $1 AND ${aliveSql}`;
    try {
      const rows = await this.#postgres.query(text, [this.id], { name: 'other-nodes', timeoutMs: othersMsMax });
      return rows.map(({ id }) => String(id));
    } catch {
      return this.#others;
    }
  }

  /** The nodes that have stopped, or have not renewed their rows for a while, and were not forgotten. */
  async departed(): Promise<readonly DepartedNode[]> {
    const rows = await this.#postgres.query(
      `SELECT id, extract(epoch FROM clock_timestamp() - coalesce(departed_at, seen_at)) * 1000 AS gone,
         departed_at IS NULL AS is_silent
       FROM rallypoint.nodes WHERE id <> $1 AND NOT (${aliveSql})`,
      [this.id],
      { name: 'departed-nodes' },
    );
    const isSure = steadyNow(this.#clock) - this.#steadySinceMs >= steadyMsMin;
    return rows
      .filter(row => isSure || row.is_silent === false)
      .map(row => ({ id: String(row.id), goneForMs: Number(row.gone) }));
  }

  /** The nodes that have a row, this one included. */
  async known(): Promise<readonly KnownNode[]> {
    const rows = await this.#postgres.query(
      `SELECT id, address, (${aliveSql}) AS is_alive FROM rallypoint.nodes ORDER BY started_at`,
      [],
      { name: 'known-nodes' },
    );
    return rows.map(({ id, address, is_alive }) => ({
      id: String(id),
      address: typeof address === 'string' ? address : null,
      state: is_alive === true ? 'alive' : 'departed',
    }));
  }

  /** Removes the row of a departed node. One that is alive again keeps it. */
  async forget(node: string): Promise<void> {
    await this.#postgres.query(`DELETE FROM rallypoint.nodes WHERE id = $1 AND NOT (${aliveSql})`, [node]);
  }

  /** Stops renewing: the other nodes see immediately that this one has departed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel();
    await this.#renewing;
    const text = 'UPDATE rallypoint.nodes SET departed_at = clock_timestamp(), position = $2 WHERE id = $1';
    await this.#postgres.query(text, [this.id, this.#position()], { timeoutMs: renewEveryMs }).catch(error => {
      // The others see it by the time of its last renewal.
      this.#log.warn({ error }, 'This node could not sign off.');
    });
  }

  get #isValid(): boolean {
    // A machine that was suspended may show it on one clock only.
    const { steadyMs: steady, wallMs } = this.#renewedAt;
    return steadyNow(this.#clock) - steady < validMsMax && this.#clock.now() - wallMs < validMsMax;
  }

  #schedule(): void {
    this.#cancel = this.#clock.schedule(renewEveryMs, () => {
      this.#renewing = this.#tryToRenew().then(() => {
        if (!this.#isClosed) this.#schedule();
      });
      return this.#renewing;
    });
  }

  async #tryToRenew(): Promise<void> {
    const isLate = steadyNow(this.#clock) - this.#renewedAt.steadyMs > silentMsMax;
    try {
      await this.#renew();
      if (isLate || this.#hasFailed) this.#steadySinceMs = steadyNow(this.#clock);
      if (this.#hasFailed) this.#log.info({ node: this.id }, 'The registration of this node is renewed again.');
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.error({ error, node: this.id }, 'The registration of this node cannot be renewed.');
      this.#hasFailed = true;
    }
  }

  async #renew(): Promise<void> {
    const renewedAt = { steadyMs: steadyNow(this.#clock), wallMs: this.#clock.now() };
    const position = this.#position();
    const [row] = await this.#postgres.query(renew, [this.id, position], { name: 'renew-node' });
    this.#compareClocks(renewedAt.wallMs, row?.clock_ms as number);
    this.#others = Array.isArray(row?.others) ? row.others.map(String) : [];
    let worker = row?.worker as number | null | undefined;
    // Another node may take the same number at the same time.
    for (let tries = 0; typeof worker !== 'number'; tries++) {
      if (tries > workersMax) throw new BusError('bus_unusable', `There are ${workersMax} nodes already.`);
      const [registered] = await this.#postgres.query(register, [this.id, this.#address, position]);
      worker = registered ? Number(registered.worker) : await this.#ownWorker();
    }
    this.#worker = worker;
    this.#renewedAt = renewedAt;
  }

  /** @param databaseMs what PostgreSQL's clock showed between `askedMs` and now */
  #compareClocks(askedMs: number, databaseMs: number): void {
    const aheadMs = Math.max(0, askedMs - databaseMs) - Math.max(0, databaseMs - this.#clock.now());
    const isWrong = Math.abs(aheadMs) > clockDifferenceMsMax;
    if (isWrong === this.#isClockWrong) return;
    this.#isClockWrong = isWrong;
    const fields = { node: this.id, aheadMs: Math.round(aheadMs) };
    if (isWrong) {
      this.#log.error(
        fields,
        "The clock of this node differs from PostgreSQL's: codes, tokens and timers end too early or too late. Set it by NTP.",
      );
    } else this.#log.info(fields, "The clock of this node agrees with PostgreSQL's again.");
  }

  /** For an attempt to register whose answer was lost. */
  async #ownWorker(): Promise<number | undefined> {
    const [row] = await this.#postgres.query('SELECT worker FROM rallypoint.nodes WHERE id = $1', [this.id]);
    return row && Number(row.worker);
  }
}
