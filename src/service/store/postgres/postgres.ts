import { type Logger, silentLogger, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { storeLimits } from '../../support/service-limits.ts';
import { StoreError } from '../errors.ts';
import { SlowStatements, type StatementKind } from '../slow-statements.ts';
import { ConnectionLost, failedError, isRejection, reasonOf, unavailableError } from './failure.ts';
import { Link, locationOf } from './link.ts';
import { Pool } from './pool.ts';
import type { Row, Statement } from './statement.ts';

export interface PostgresOptions {
  readonly log?: Logger;
  /** Connections for statements that answer quickly; each is opened when it is first needed. */
  readonly connections?: number;
  /** Connections for commits, on which nothing waits behind another statement. */
  readonly commitConnections?: number;
  /** Statements that take this long or longer are logged; `storeLimits.slowStatementMs` when absent. */
  readonly slowStatementMs?: number;
  /** Whether a server that accepts no writes (a standby) will do. Default false: it may lack what was acknowledged. */
  readonly acceptsStandby?: boolean;
}

export interface QueryOptions {
  /** The server keeps the statement prepared under this name. */
  readonly name?: string;
  /** By when it must be answered, from now on. */
  readonly timeoutMs?: number;
}

/** A connection of its own, for several statements in one transaction of the database. */
export interface Session {
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

interface SessionOptions {
  /** The time is for every statement on its own. */
  readonly each?: boolean;
  /** How long the caller has waited already: so much less is spent on opening the connection. */
  readonly waitedMs?: number;
}

const versionMin = 15;
/** Those that hold every text. A database in SQL_ASCII stores the bytes of UTF-8 as they are. */
const encodings: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);
/** A session that has waited may still take this long to open its connection. */
const connectMsMin = 1000;
/** Pause between two attempts to connect for a session. */
const retryMs = 100;
/** An attempt with less time would only hide why the one before failed. */
const attemptMsMin = 500;

/**
 * Opens the connections to one database.
 *
 * @param url `postgres://user:password@host:port/database`, also with `?host=/folder` for a socket, and `?sslmode=…`
 * @throws StoreError `store_unavailable` when no connection could be made in time; `store_unusable` when the server rejects the
 *   user, the password or the database, or is too old, or the database cannot hold every text
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Postgres> {
  const postgres = new Postgres(url, options);
  try {
    await postgres.check();
  } catch (error) {
    await postgres.close();
    throw error;
  }
  return postgres;
}

/** The connections to one PostgreSQL database: bounded, and opened again when they are lost. */
export class Postgres {
  readonly #url: string;
  readonly #log: Logger;
  readonly #shared: Pool;
  readonly #single: Pool;
  readonly #location: string;
  readonly #slow: SlowStatements;
  readonly #acceptsStandby: boolean;
  /** The failure is in the log, and no connection could be opened since. */
  #isLogged = false;
  #isFailing = false;
  #isClosed = false;

  constructor(url: string, options: PostgresOptions = {}) {
    const { log = silentLogger, connections = 4, commitConnections = 4, slowStatementMs } = options;
    this.#url = url;
    this.#acceptsStandby = options.acceptsStandby ?? false;
    this.#slow = new SlowStatements(slowStatementMs ?? storeLimits.slowStatementMs, log);
    this.#location = locationOf(url);
    this.#log = log;
    const open = (timeoutMs: number, ended: (link: Link, error: Error) => void) => this.#open(timeoutMs, ended);
    const late = (cause: unknown) => (this.#isClosed ? this.closedError() : unavailableError(this.#location, cause));
    this.#shared = new Pool({ open, late, size: connections, depth: storeLimits.statementsPerConnectionMax });
    this.#single = new Pool({ open, late, size: commitConnections, depth: 1 });
  }

  /** The address of the server and the name of the database, for messages. */
  get location(): string {
    return this.#location;
  }

  /** Whether the server could not be reached when it was last tried. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** @throws as {@link openPostgres} */
  async check(): Promise<void> {
    const link = await this.#connect(now() + storeLimits.readMs);
    try {
      const text = `SELECT current_setting('server_version_num')::int AS version,
        current_setting('server_encoding') AS encoding`;
      const [found] = await link.query({ text }, now() + storeLimits.readMs);
      const version = Math.floor(Number(found?.version) / 10_000);
      if (version < versionMin) {
        throw new StoreError(
          'store_unusable',
          `${this.#location} is version ${version}; ${versionMin} or newer is needed.`,
        );
      }
      const encoding = String(found?.encoding);
      if (encodings.has(encoding)) return;
      throw new StoreError(
        'store_unusable',
        `${this.#location} has the encoding ${encoding}, which lacks characters that names and messages contain. Create the database with ENCODING 'UTF8'.`,
      );
    } catch (error) {
      throw failedError(this.#location, error);
    } finally {
      await link.close();
    }
  }

  /**
   * Executes a statement that can be repeated: it is sent again when the connection was lost, until its time is up.
   *
   * @throws StoreError `store_unavailable`, `store_failed`, `store_full`, `store_closed`
   */
  async query(text: string, values: readonly unknown[] = [], options: QueryOptions = {}): Promise<readonly Row[]> {
    const { name, timeoutMs = storeLimits.readMs } = options;
    const [rows = []] = await this.queryTogether([{ text, values, ...(name !== undefined && { name }) }], timeoutMs);
    return rows;
  }

  /** As {@link query}; the statements go out together and are executed in order. */
  async queryTogether(
    statements: readonly Statement[],
    timeoutMs: number = storeLimits.readMs,
  ): Promise<readonly (readonly Row[])[]> {
    const deadlineMs = now() + timeoutMs;
    for (;;) {
      try {
        return await this.#shared.use(deadlineMs, link =>
          this.#timed(statements, link.queryTogether(statements, deadlineMs)),
        );
      } catch (error) {
        if (!(error instanceof ConnectionLost) || now() >= deadlineMs) throw failedError(this.#location, error);
      }
    }
  }

  /**
   * Executes a statement once, on a connection on which nothing waits behind it.
   *
   * @param deadlineMs on the steady clock
   * @throws StoreError `store_unavailable`, `store_closed`: it was not sent. ConnectionLost: it may have been executed. Other
   *   errors: it was not.
   */
  once(statement: Statement, deadlineMs: number): Promise<readonly Row[]> {
    return this.#single.use(deadlineMs, link => this.#timed([statement], link.query(statement, deadlineMs)));
  }

  /**
   * Runs `work` in one transaction of the database, on a connection of its own.
   *
   * @param begin `BEGIN` with its modes
   * @param work may send statements without waiting for the answers of those before; they are executed in order
   * @param timeoutMs for all of it
   * @throws ConnectionLost when the outcome is unknown; what the server answered; what `work` throws
   */
  async session<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    timeoutMs: number,
    { each = false, waitedMs = 0 }: SessionOptions = {},
  ): Promise<T> {
    if (this.#isClosed) throw this.closedError();
    const deadlineMs = now() + timeoutMs;
    const link = await this.#connect(deadlineMs - Math.min(waitedMs, Math.max(0, timeoutMs - connectMsMin)));
    // With `each`, the time of a statement begins when those before it were answered.
    let answeredMs = now();
    const deadline = each ? () => answeredMs + timeoutMs : deadlineMs;
    const query = async (text: string, values: readonly unknown[] = []) => {
      if (link.load === 0) answeredMs = now();
      const rows = await link.query({ text, values }, deadline);
      answeredMs = now();
      return rows;
    };
    try {
      const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
      await Promise.all([begin, ...settings.map(name => `SET LOCAL ${name} = ${timeoutMs}`)].map(text => query(text)));
      const result = await work({ query });
      await query('COMMIT');
      return result;
    } finally {
      // The server rolls back what was not committed.
      await link.close();
    }
  }

  /** Ends the connections, after the statements under way. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#shared.close(), this.#single.close()]);
  }

  closedError(): StoreError {
    return new StoreError('store_closed', `The store in ${this.#location} is closed.`);
  }

  /** Logs statements that were slow, with the wait behind others on their connection. */
  async #timed<T>(statements: readonly Statement[], answer: Promise<T>): Promise<T> {
    const startedMs = this.#slow.begin();
    try {
      const answered = await answer;
      this.#isFailing = false;
      return answered;
    } finally {
      this.#slow.end(startedMs, () => kindOf(statements));
    }
  }

  /** Opens a connection outside the pools. @throws as {@link openPostgres} */
  async #connect(deadlineMs: number): Promise<Link> {
    for (;;) {
      try {
        return await this.#open(deadlineMs - now(), () => {});
      } catch (error) {
        if (isRejection(error)) throw this.#rejectedError(error);
        if (now() + retryMs + attemptMsMin >= deadlineMs) throw unavailableError(this.#location, error);
        await new Promise<void>(resolve => systemClock.schedule(retryMs, resolve, { keepAlive: true }));
      }
    }
  }

  async #open(timeoutMs: number, ended: (link: Link, error: Error) => void): Promise<Link> {
    const connectMs = Math.max(1, Math.min(timeoutMs, storeLimits.connectMs));
    try {
      const link = await Link.open(this.#url, {
        timeoutMs: connectMs,
        acceptsStandby: this.#acceptsStandby,
        ended: (lost, error) => {
          ended(lost, error);
          this.#ended(lost, error);
        },
      });
      if (this.#isLogged) this.#log.warn({}, `${this.#location} can be reached again.`);
      this.#isFailing = false;
      this.#isLogged = false;
      return link;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #rejectedError(cause: unknown): StoreError {
    const message =
      `${this.#location} rejects the connection: ${reasonOf(cause)}. ` +
      'Check the address, the user, the password and the database.';
    return new StoreError('store_unusable', message, { cause });
  }

  #ended(link: Link, error: Error): void {
    // Poolers and firewalls end connections that are not used; whether the server is away shows when another one is opened.
    if (link.load > 0) this.#failed(error);
    else if (!this.#isClosed) this.#log.info({ error }, `An idle connection to ${this.#location} ended.`);
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.#isFailing = true;
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#log.error(
      { error },
      `A connection to ${this.#location} failed; calls that need one wait, or are answered 503.`,
    );
  }
}

/** Statements without a name are those of a start or of the cleaning; their text has no values. */
function kindOf(statements: readonly Statement[]): StatementKind {
  const [first] = statements;
  const statement = first?.name ?? first?.text.trim().replace(/\s+/g, ' ').slice(0, statementLengthMax) ?? '';
  return { statement, ...(statements.length > 1 && { statements: statements.length }) };
}

const statementLengthMax = 100;

function now(): number {
  return steadyNow(systemClock);
}
