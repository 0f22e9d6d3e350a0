import type { KeyPart } from '../contract.ts';
import { collectionNames, fieldOf, indexesOf, indexFields, isNumeric, keyFields } from '../keys.ts';
import type { CollectionName } from '../records.ts';
import { commitSql } from './commit-sql.ts';
import { presenceSql } from './presence-sql.ts';
import { setAsideSql } from './set-aside.ts';

/** One step from a layout to the next. */
export interface Migration {
  readonly version: number;
  /** Nodes that only know the layout before it can work with it, while it is applied and afterwards. */
  readonly isCompatible?: boolean;
  readonly sql: string;
}

const columns = new Map(collectionNames.map(name => [name, [...keyFields(name), ...indexFields(name)]]));

/** Fields of a collection that are columns of its table, the key's first. */
export function columnsOf(name: CollectionName): readonly string[] {
  return columns.get(name) ?? [];
}

/** What the column of the field holds. */
export function columnValue(record: object, field: string): KeyPart | null {
  return (fieldOf(record, field) as KeyPart | null | undefined) ?? null;
}

/** Text is ordered by code point. */
function columnSql(field: string): string {
  return isNumeric(field) ? `${field} bigint` : `${field} text COLLATE "C"`;
}

/** The tables of the collections, and their indexes: a list reads its index in order, without sorting. */
function collectionSql(name: CollectionName): string {
  const key = keyFields(name);
  const definitions = columnsOf(name).map(field => `${columnSql(field)}${key.includes(field) ? ' NOT NULL' : ''}`);
  const indexes = Object.entries(indexesOf(name)).map(([index, fields]) => {
    const nullable = fields.filter(field => !key.includes(field)).map(field => `${field} IS NOT NULL`);
    const order = [...fields, ...key.filter(field => !fields.includes(field))];
    const condition = nullable.length === 0 ? '' : ` WHERE ${nullable.join(' AND ')}`;
    return `CREATE INDEX ${name}_${index.toLowerCase()} ON rallypoint.${name} (${order.join(', ')})${condition};`;
  });
  return [
    `CREATE TABLE rallypoint.${name} (${definitions.join(', ')}, body text NOT NULL, PRIMARY KEY (${key.join(', ')}));`,
    ...indexes,
  ].join('\n');
}

/** What is there once, beside the collections. */
const serviceSql = `
  -- How often each scope was committed; the row '' stands for all that have none.
  CREATE TABLE rallypoint.scopes (
    name text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, touched_at timestamptz NOT NULL
  ) WITH (fillfactor = 70);
  INSERT INTO rallypoint.scopes VALUES ('', 0, now());

  -- Batches that were committed, and which of their units were not; or batches that never will be (failed_units is null).
  CREATE TABLE rallypoint.commits (id uuid PRIMARY KEY, failed_units int[], at timestamptz NOT NULL);
  CREATE INDEX commits_at ON rallypoint.commits (at);

  CREATE TABLE rallypoint.events (
    position bigint, number int, topic text COLLATE "C" NOT NULL, payload text NOT NULL, bytes int NOT NULL,
    at timestamptz NOT NULL, PRIMARY KEY (position, number)
  );
  CREATE INDEX events_topic ON rallypoint.events (topic, position, number);

  -- Every event with this position or a lower one is gone.
  CREATE TABLE rallypoint.events_deleted (is_row boolean PRIMARY KEY DEFAULT true CHECK (is_row), up_to bigint NOT NULL);
  INSERT INTO rallypoint.events_deleted (up_to) VALUES (0);

  CREATE TABLE rallypoint.nodes (
    id text COLLATE "C" PRIMARY KEY, worker smallint NOT NULL UNIQUE, address text, started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL, departed_at timestamptz, position bigint NOT NULL
  );

  CREATE TABLE rallypoint.connections (
    topic text COLLATE "C", session text COLLATE "C", node text COLLATE "C" NOT NULL, PRIMARY KEY (topic, session)
  );
  CREATE INDEX connections_node ON rallypoint.connections (node);

  -- Files of messages.
  CREATE TABLE rallypoint.files (
    id text COLLATE "C" PRIMARY KEY, name text NOT NULL, type text NOT NULL, content bytea NOT NULL, bytes int NOT NULL,
    at timestamptz NOT NULL
  );
  CREATE INDEX files_at ON rallypoint.files (at, bytes);
`;

/** Files have an owner, and are not compressed, so that a piece of one is read without what is before it. */
const fileOwnersSql = `
  ALTER TABLE rallypoint.files ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
  ALTER TABLE rallypoint.files ALTER COLUMN content SET STORAGE EXTERNAL;
`;

/**
 * The way from an empty database to the newest layout. Layout 1 follows `collections` until the first version is released that has
 * it; from then on a change of them is a migration of its own. docs/scaling.md tells which changes are compatible.
 */
export const migrations: readonly Migration[] = [
  { version: 1, sql: [...collectionNames.map(collectionSql), serviceSql, commitSql, presenceSql].join('\n') },
  { version: 2, sql: setAsideSql, isCompatible: true },
  { version: 3, sql: fileOwnersSql, isCompatible: true },
];
