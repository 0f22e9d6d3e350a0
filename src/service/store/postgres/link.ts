import { Socket } from 'node:net';
import pg from 'pg';
import { type Cancel, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { storeLimits } from '../../support/service-limits.ts';
import { ConnectionLost, endsSession } from './failure.ts';
import { areNamed, NamedQuery, type NamedStatement, QueryContext, type Row, type Statement } from './statement.ts';

/** On the steady clock; a function where the answers of other statements put it off. */
type Deadline = number | (() => number);

/**
 * What every connection of ours sets. Nothing waits without end, on either side, and an answer means that it is on disk. Every
 * statement has an index for it; plans are made once and use it, also when they were made while a table was nearly empty. What waited
 * for a lock reads what was committed meanwhile. PostgreSQL 17 can also limit whole transactions, but that of a backup is long.
 */
const settings = `
  SET statement_timeout = ${storeLimits.statementMs};
  SET lock_timeout = ${storeLimits.lockMs};
  SET idle_in_transaction_session_timeout = ${storeLimits.statementMs};
  SET idle_session_timeout = 0;
  SET client_connection_check_interval = 1000;
  SET default_transaction_isolation = 'read committed';
  SET array_nulls = on;
  SET jit = off;
  SET plan_cache_mode = force_generic_plan;
  ${['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'].map(way => `SET enable_${way} = off;`).join(' ')}
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL;`;

const int8Array = 1016;
const numbersOf = (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));

/** Whole numbers come as numbers: every bigint of ours is below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number;
    return oid === int8Array ? numbersOf : pg.types.getTypeParser(oid, format as 'text');
  },
};

export interface LinkOptions {
  readonly timeoutMs: number;
  /** Whether a server that is a standby will do. */
  readonly acceptsStandby: boolean;
  /** Called once, after the connection was open, when it ends. */
  ended(link: Link, error: Error): void;
}

/** How long the server may take to end a connection. */
const closeMs = 2000;
/** How often statements under way are compared with their deadlines. */
const watchMs = 100;
/** How long a connection is used that was opened while the database accepted no writes. */
const readOnlyMs = 1000;

/**
 * One connection. Statements are sent without waiting for the answers of those before, and are executed in order.
 * A statement that is not answered by its deadline ends the connection, and with it all statements behind.
 */
export class Link {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #ended: LinkOptions['ended'];
  readonly #asked = new Set<{ readonly deadline: Deadline }>();
  readonly #context = new QueryContext(types.getTypeParser);
  #lost: Error | undefined;
  #watch: Cancel | undefined;
  #staleMs = Number.POSITIVE_INFINITY;

  private constructor(client: pg.Client, socket: Socket, ended: LinkOptions['ended']) {
    this.#client = client;
    this.#socket = socket;
    this.#ended = ended;
  }

  /** @throws Error of the system or the server; that the server is a standby */
  static async open(url: string, { timeoutMs, acceptsStandby, ended }: LinkOptions): Promise<Link> {
    const socket = new Socket();
    const client = new pg.Client({
      ...{ connectionString: explicitSslMode(url), stream: () => socket, pipeline: true, types },
      ...{ application_name: 'rallypoint', keepAlive: true, keepAliveInitialDelayMillis: 5000 },
    });
    const link = new Link(client, socket, ended);
    client.on('error', error => link.#end(error));
    client.on('end', () => link.#end(new Error('the server closed the connection')));
    let isOpen = false;
    const cancel = systemClock.schedule(timeoutMs, () => {
      if (!isOpen)
        socket.destroy(new Error(`the server did not accept a connection within ${Math.round(timeoutMs)} ms`));
    });
    try {
      await client.connect();
      const [, { rows }] = await Promise.all([
        client.query(settings),
        client.query<{ is_standby: boolean; is_read_only: boolean }>(
          `SELECT pg_is_in_recovery() AS is_standby, current_setting('default_transaction_read_only')::bool AS is_read_only`,
        ),
      ]);
      // The address may lead to the new primary when it is looked up again.
      if (rows[0]?.is_standby && !acceptsStandby) throw new Error('it is a standby, which accepts no writes');
      if (rows[0]?.is_read_only) link.#staleMs = steadyNow(systemClock) + readOnlyMs;
      isOpen = true;
    } catch (error) {
      link.destroy(error as Error);
      throw link.#lost ?? error;
    } finally {
      cancel();
    }
    return link;
  }

  /** How many statements are under way; those that were sent together count as one. */
  get load(): number {
    return this.#asked.size;
  }

  get isOpen(): boolean {
    return this.#lost === undefined;
  }

  /**
   * Whether another connection should take its place: it keeps the `default_transaction_read_only` that the database or the user had
   * when it was opened, also when they accept writes again.
   */
  get isStale(): boolean {
    return steadyNow(systemClock) >= this.#staleMs;
  }

  /**
   * @throws ConnectionLost: whether it was executed is unknown; DatabaseError: it was not
   */
  async query(statement: Statement, deadline: Deadline): Promise<readonly Row[]> {
    const [rows = []] = await this.queryTogether([statement], deadline);
    return rows;
  }

  /** As {@link query}; the statements go out in one packet, and either all are answered or none is. */
  async queryTogether(statements: readonly Statement[], deadline: Deadline): Promise<readonly (readonly Row[])[]> {
    if (this.#lost) throw lostError(this.#lost);
    const asked = { deadline };
    this.#asked.add(asked);
    this.#watch ??= systemClock.schedule(watchMs, () => this.#look());
    try {
      return await (areNamed(statements) ? this.#sendNamed(statements) : this.#send(statements));
    } catch (error) {
      if (this.#lost ?? endsSession(error)) throw lostError(this.#lost ?? error);
      throw error;
    } finally {
      this.#asked.delete(asked);
    }
  }

  #sendNamed(statements: readonly NamedStatement[]): Promise<readonly (readonly Row[])[]> {
    const answer = Promise.withResolvers<readonly (readonly Row[])[]>();
    this.#client.query(new NamedQuery(statements, this.#context, answer) as unknown as pg.Submittable);
    return answer.promise;
  }

  #send(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const answers = statements.map(statement => this.#client.query<Row>(statement as pg.QueryConfig));
    return Promise.all(answers.map(async answer => (await answer).rows));
  }

  /** Ends the connection without waiting for anything. */
  destroy(reason: Error): void {
    this.#end(reason);
    this.#socket.destroy();
  }

  /** Ends the connection after the statements under way, or without them when the server does not answer. */
  async close(): Promise<void> {
    if (this.#lost) return;
    const cancel = systemClock.schedule(closeMs, () => void this.#socket.destroy());
    this.#lost = new Error('the connection was closed');
    await this.#client.end().catch(() => {});
    cancel();
    this.#watch?.();
  }

  #end(error: Error): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#watch?.();
    this.#ended(this, error);
  }

  #look(): void {
    this.#watch = undefined;
    if (this.#asked.size === 0) return;
    const nowMs = steadyNow(systemClock);
    const isLate = [...this.#asked].some(
      ({ deadline }) => nowMs >= (typeof deadline === 'number' ? deadline : deadline()),
    );
    if (isLate) this.destroy(new Error('the server did not answer in time'));
    else this.#watch = systemClock.schedule(watchMs, () => this.#look());
  }
}

/** The server's address and the database, without the password. */
export function locationOf(url: string): string {
  const { host, port, database } = new pg.Client(explicitSslMode(url));
  return `PostgreSQL at ${host.startsWith('/') ? host : `${host}:${port}`}/${database ?? ''}`;
}

/** `pg` takes these modes for `verify-full`, and prints a warning of several lines on stderr. */
function explicitSslMode(url: string): string {
  return /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function lostError(cause: unknown): ConnectionLost {
  return new ConnectionLost(cause instanceof Error ? cause.message : String(cause), { cause });
}
