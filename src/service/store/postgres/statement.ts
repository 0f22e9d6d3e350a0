import pg from 'pg';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The server keeps it prepared under this name. One name stands for one text. */
  readonly name?: string;
}

export interface NamedStatement extends Statement {
  readonly name: string;
}

export function areNamed(statements: readonly Statement[]): statements is readonly NamedStatement[] {
  return statements.every(({ name }) => name !== undefined);
}

export type Row = Readonly<Record<string, unknown>>;

/** The columns of a statement's rows. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

interface Description {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** The connection as `pg` gives it to a query, which sends the messages of the protocol through it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts of statements that the server has prepared. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  /** Forgets a prepared statement, if there is one. */
  close(target: { readonly type: 'S'; readonly name: string }): void;
  describe(target: unknown): void;
  sync(): void;
}

/** What the queries of one connection have in common. */
export class QueryContext {
  /** Of the statements whose rows the server has described. */
  readonly #columns = new Map<string, Columns>();
  readonly #parserOf: (type: number) => (text: string) => unknown;
  #wires: readonly Wire[] = [];

  constructor(parserOf: (type: number) => (text: string) => unknown) {
    this.#parserOf = parserOf;
  }

  columns(name: string): Columns | undefined {
    return this.#columns.get(name);
  }

  describe(name: string, { fields }: Description): void {
    const names = fields.map(field => field.name);
    this.#columns.set(name, { names, parsers: fields.map(field => this.#parserOf(field.dataTypeID)) });
  }

  /** The connection for a statement: without the request for a description if it has one, and without the end of the query before its last. */
  wireFor(wire: Wire, name: string, isLast: boolean): Wire {
    if (this.#wires.length === 0) {
      const [describe, sync] = [() => {}, () => {}];
      const without = (parts: Partial<Wire>) => Object.assign(Object.create(wire) as Wire, parts);
      this.#wires = [without({ sync }), wire, without({ describe, sync }), without({ describe })];
    }
    return this.#wires[(this.#columns.has(name) ? 2 : 0) + (isLast ? 1 : 0)] as Wire;
  }
}

/** What `pg` calls and sets, and its types leave out. */
const BaseQuery = pg.Query as unknown as new (
  config: NamedStatement & { readonly callback: (error: unknown) => void },
) => {
  name: string;
  text: string;
  values: readonly unknown[] | undefined;
  /** Thrown by a parser; the query fails with it when the server has answered. */
  _canceledDueToError: unknown;
  prepare(wire: Wire): void;
  hasBeenParsed(wire: Wire): boolean;
};

/**
 * Named statements that are executed in order and answered together, or fail together. The server describes the rows of each once for a
 * connection, not for each execution, and sends all answers as one packet; no more is built of them than the rows. One statement so takes
 * half of the CPU of `pg`'s own query.
 */
export class NamedQuery extends BaseQuery {
  readonly #statements: readonly NamedStatement[];
  readonly #context: QueryContext;
  readonly #answers: (readonly Row[])[] = [];
  /** Of the statement that is being answered. */
  #rows: Row[] = [];

  constructor(
    statements: readonly NamedStatement[],
    context: QueryContext,
    settle: PromiseWithResolvers<readonly (readonly Row[])[]>,
  ) {
    const callback = (error: unknown) => (error ? settle.reject(error) : settle.resolve(this.#answers));
    super({ ...(statements[0] as NamedStatement), callback });
    this.#statements = statements;
    this.#context = context;
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    try {
      for (const [at, statement] of this.#statements.entries()) {
        this.#turnTo(statement);
        this.prepare(this.#context.wireFor(wire, statement.name, at === this.#statements.length - 1));
      }
    } finally {
      wire.stream.uncork();
    }
    this.#turnTo(this.#statements[0]);
    return null;
  }

  handleRowDescription(description: Description): void {
    this.#context.describe(this.name, description);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#context.columns(this.name);
    if (!columns || this._canceledDueToError) return;
    const row: Record<string, unknown> = {};
    try {
      for (let at = 0; at < fields.length; at++) {
        const text = fields[at] as string | null;
        row[columns.names[at] as string] = text === null ? null : columns.parsers[at]?.(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  handleCommandComplete(): void {
    this.#answers.push(this.#rows);
    this.#rows = [];
    this.#turnTo(this.#statements[this.#answers.length]);
  }

  /**
   * Whether the server has said so. Until then each query prepares the statement again: one that was sent before may have failed, and the
   * server skips all of a query after a statement that fails.
   */
  override hasBeenParsed(wire: Wire): boolean {
    if (wire.parsedStatements[this.name] !== undefined) return true;
    wire.close({ type: 'S', name: this.name });
    return false;
  }

  /** `pg` keeps account of prepared statements by the name and the text of the query that is being answered. */
  #turnTo(statement: NamedStatement | undefined): void {
    if (!statement) return;
    this.name = statement.name;
    this.text = statement.text;
    this.values = statement.values;
  }
}
