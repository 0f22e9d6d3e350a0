import { setImmediate } from 'node:timers';
import { type Logger, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { LruCache } from '../../support/lru-cache.ts';
import type { KeyPart, ListQuery, StoreView } from '../contract.ts';
import { decodeRecord } from '../decode-record.ts';
import { checkKey, collectionNames, isStorable, keyFields, keyText, recordName, routeOf } from '../keys.ts';
import type { Change } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { textArray } from './arrays.ts';
import { areNumbers, failedError, oddAnswer } from './failure.ts';
import type { Postgres } from './postgres.ts';
import { getManySql, getSql, listStatement, revisionsSql } from './read-sql.ts';
import { SetAside, type Unreadable } from './set-aside.ts';
import type { Row, Statement } from './statement.ts';

/** What the database's clock showed, in milliseconds since the Unix epoch, when the steady clock showed `atMs` or less. */
export interface ClockReading {
  readonly databaseMs: number;
  readonly atMs: number;
}

/** What is requested under one key, once for all callers of the same turn. */
interface Wanted<T> {
  readonly key: readonly KeyPart[];
  readonly answer: PromiseWithResolvers<T>;
}

/** A statement, and who waits for its rows. */
interface Question {
  readonly statement: Statement;
  /** What it throws is what `reject` is called with. */
  readonly answer: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Decoded {
  readonly body: string;
  readonly record: object;
}

/** Most records, or scopes, in one statement. */
const keysPerStatementMax = 500;
/** Packets for the lists of one turn. */
const listGroupsMax = 4;
/** Most JSON, in UTF-16 units, of records that are kept decoded. */
const decodedSizeMax = 16 * 1024 * 1024;

/** Reads what is committed. Single records and revisions that are asked for in one turn of the event loop share statements. */
export class Reader implements StoreView {
  readonly #postgres: Postgres;
  /** Records that were read lately, each with the text that it was decoded from, which is compared with every read. */
  readonly #decoded = new LruCache<Decoded>(decodedSizeMax);
  #gets = new Map<CollectionName, Map<string, Wanted<object | undefined>>>();
  #revisions = new Map<string, Wanted<number>>();
  #lists = new Map<string, Question & { readonly rows: Promise<readonly Row[]> }>();
  readonly #setAside: SetAside;
  #isScheduled = false;
  #clock: ClockReading | undefined;

  constructor(postgres: Postgres, log: Logger) {
    this.#postgres = postgres;
    this.#setAside = new SetAside(postgres, log);
  }

  /** The last reading; there is one as soon as a revision was read. */
  get clock(): ClockReading | undefined {
    return this.#clock;
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Promise<Records[Name] | undefined> {
    checkKey(collection, key);
    if (!key.every(isStorable)) return Promise.resolve(undefined);
    let gets = this.#gets.get(collection);
    if (!gets) {
      gets = new Map();
      this.#gets.set(collection, gets);
    }
    return this.#want(gets, keyText(key), key) as Promise<Records[Name] | undefined>;
  }

  async list<Name extends CollectionName>(collection: Name, query: ListQuery<Name> = {}): Promise<Records[Name][]> {
    routeOf(collection, query); // throws for an invalid query
    if (query.equals?.every(isStorable) === false) return [];
    const rows = await this.#listed(listStatement(collection, query));
    const records: object[] = [];
    for (const { body } of rows) {
      const record = decodeRecord(collection, body as string);
      if (typeof record === 'string') return this.#listReadable(collection, query);
      records.push(record);
    }
    return records as unknown[] as Records[Name][];
  }

  /** The list without the records that cannot be decoded, which are set aside. */
  async #listReadable<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Promise<Records[Name][]> {
    const rows = await this.#listed(listStatement(collection, query, keyFields(collection)));
    const records: object[] = [];
    const unreadable: Unreadable[] = [];
    for (const row of rows) {
      const key = keyFields(collection).map(field => row[field] as KeyPart);
      const body = row.body as string;
      const record = decodeRecord(collection, body, key);
      if (typeof record === 'string') unreadable.push({ key, body, reason: record });
      else records.push(record);
    }
    const isMoved = unreadable.length > 0 && (await this.#setAside.move(collection, unreadable));
    // What stands behind a limit moves up.
    return isMoved ? this.list(collection, query) : (records as unknown[] as Records[Name][]);
  }

  /** The revision of a scope; everything that is read after asking is at least as new. */
  revision(scope: string): Promise<number> {
    return this.#want(this.#revisions, scope, [scope]);
  }

  /** Caches what was written: where the same text is read, it is not parsed. @param writes with their {@link recordName}s */
  remember(writes: Iterable<{ readonly name: string; readonly change: Change }>): void {
    for (const { name, change } of writes) {
      if (change.kept) this.#decoded.set(name, change.kept, change.kept.body.length);
    }
  }

  readClock(databaseMs: number): void {
    this.#clock = { databaseMs, atMs: steadyNow(systemClock) };
  }

  #want<T>(wanted: Map<string, Wanted<T>>, name: string, key: readonly KeyPart[]): Promise<T> {
    const known = wanted.get(name);
    if (known) return known.answer.promise;
    const answer = Promise.withResolvers<T>();
    wanted.set(name, { key, answer });
    this.#schedule();
    return answer.promise;
  }

  /** The same list is read once, however many ask for it in one turn. */
  #listed(statement: Statement): Promise<readonly Row[]> {
    const name = [statement.name, ...(statement.values ?? [])].join('\0');
    const known = this.#lists.get(name);
    if (known) return known.rows;
    const { promise: rows, resolve: answer, reject } = Promise.withResolvers<readonly Row[]>();
    this.#lists.set(name, { statement, answer, reject, rows });
    this.#schedule();
    return rows;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#revisions.size > 0 || this.#gets.size > 0) this.#read();
      if (this.#lists.size > 0) this.#readLists();
    });
  }

  /** On several connections, because a list may be long. */
  #readLists(): void {
    const lists = [...this.#lists.values()];
    this.#lists = new Map();
    const groups = Map.groupBy(lists.keys(), at => at % listGroupsMax);
    for (const group of groups.values()) void this.#ask(group.map(at => lists[at] as Question));
  }

  #read(): void {
    const questions: Question[] = [];
    for (const wanted of portions(this.#revisions)) {
      questions.push({
        statement: revisionsStatement(wanted),
        answer: ([row]) => this.#answerRevisions(wanted, row),
        reject: error => rejectAll(wanted, error),
      });
    }
    this.#revisions = new Map();
    for (const [collection, gets] of this.#gets) {
      for (const wanted of portions(gets)) {
        questions.push({
          statement: getStatement(collection, wanted),
          answer: rows => this.#answerGets(collection, wanted, rows),
          reject: error => rejectAll(wanted, error),
        });
      }
    }
    this.#gets = new Map();
    void this.#ask(questions);
  }

  /** Never rejects, whatever the rows are like: the promises of the callers that wait reject instead. */
  async #ask(questions: readonly Question[]): Promise<void> {
    try {
      const results = await this.#postgres.queryTogether(questions.map(({ statement }) => statement));
      for (const [at, { answer, reject }] of questions.entries()) {
        try {
          answer(results[at] ?? []);
        } catch (error) {
          reject(failedError(this.#postgres.location, error));
        }
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  #answerRevisions(wanted: readonly Wanted<number>[], row: Row | undefined): void {
    const revisions = row?.revisions;
    if (!areNumbers(revisions, wanted.length) || typeof row?.clock !== 'number') {
      throw oddAnswer(this.#postgres.location, 'the revisions of scopes', 'rallypoint.scopes');
    }
    this.readClock(row.clock);
    for (const [at, { answer }] of wanted.entries()) answer.resolve(revisions[at] as number);
  }

  #answerGets(collection: CollectionName, wanted: readonly Wanted<object | undefined>[], rows: readonly Row[]): void {
    if (wanted.length === 1) {
      this.#answerGet(collection, wanted[0], rows[0]?.body);
      return;
    }
    const bodies = new Array<unknown>(wanted.length);
    for (const { n, body } of rows) bodies[(n as number) - 1] = body;
    for (const [at, one] of wanted.entries()) this.#answerGet(collection, one, bodies[at]);
  }

  #answerGet(collection: CollectionName, one: Wanted<object | undefined> | undefined, body: unknown): void {
    one?.answer.resolve(body === undefined ? undefined : this.#decode(collection, body as string, one.key));
  }

  #decode(collection: CollectionName, body: string, key: readonly KeyPart[]): object | Promise<undefined> {
    const name = recordName(collection, key);
    const kept = this.#decoded.get(name);
    if (kept?.body === body) return kept.record;
    const record = decodeRecord(collection, body, key);
    if (typeof record === 'string') return this.#withoutUnreadable(collection, { key, body, reason: record });
    this.#decoded.set(name, { body, record }, body.length);
    return record;
  }

  async #withoutUnreadable(collection: CollectionName, unreadable: Unreadable): Promise<undefined> {
    await this.#setAside.move(collection, [unreadable]);
  }
}

function rejectAll(wanted: readonly { readonly answer: { reject(error: unknown): void } }[], error: unknown): void {
  for (const { answer } of wanted) answer.reject(error);
}

function* portions<T>(wanted: ReadonlyMap<string, Wanted<T>>): Iterable<readonly Wanted<T>[]> {
  const all = [...wanted.values()];
  for (let at = 0; at < all.length; at += keysPerStatementMax) yield all.slice(at, at + keysPerStatementMax);
}

function revisionsStatement(wanted: readonly Pick<Wanted<never>, 'key'>[]): Statement {
  const names = wanted.map(({ key: [scope = ''] }) => scope);
  return { name: 'revisions', text: revisionsSql, values: [textArray(names)] };
}

const getSqls = byCollection(getSql);
const getManySqls = byCollection(getManySql);

function getStatement(collection: CollectionName, wanted: readonly Pick<Wanted<never>, 'key'>[]): Statement {
  const [first] = wanted;
  if (first && wanted.length === 1) {
    return { name: `get ${collection}`, text: getSqls[collection], values: first.key };
  }
  const values = keyFields(collection).map((_, part) => textArray(wanted.map(({ key }) => key[part] as KeyPart)));
  return { name: `get many ${collection}`, text: getManySqls[collection], values };
}

function byCollection(sqlOf: (name: CollectionName) => string): Readonly<Record<CollectionName, string>> {
  return Object.fromEntries(collectionNames.map(name => [name, sqlOf(name)])) as Record<CollectionName, string>;
}
