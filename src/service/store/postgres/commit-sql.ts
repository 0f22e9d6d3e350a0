import { collectionNames, indexFields, isNumeric, keyFields } from '../keys.ts';
import type { CollectionName } from '../records.ts';

/** Most columns of a table of records, its body aside. */
export const columnsMax = Math.max(...collectionNames.map(name => keyFields(name).length + indexFields(name).length));

const columnParameters = Array.from({ length: columnsMax }, (_, at) => `column_${at + 1}`);

/** The writes as rows: a table with `-` before its name is one to delete from. */
const writes = `unnest(write_tables, write_units, write_bodies, ${columnParameters.join(', ')})
        AS w(target, unit, body, ${columnParameters.join(', ')})`;

function writeSql(name: CollectionName): string {
  const key = keyFields(name);
  const columns = [...key, ...indexFields(name)];
  const value = (field: string) => `w.column_${columns.indexOf(field) + 1}${isNumeric(field) ? '::bigint' : ''}`;
  const updates = [...indexFields(name), 'body'].map(field => `${field} = excluded.${field}`);
  return `
    IF target_name = '${name}' THEN
      INSERT INTO rallypoint.${name} (${columns.join(', ')}, body)
        SELECT ${columns.map(value).join(', ')}, w.body FROM ${writes}
        WHERE w.target = '${name}' AND w.unit <> ALL (failed_units)
        ORDER BY ${key.map(value).join(', ')}
        ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${updates.join(', ')};
    ELSIF target_name = '-${name}' THEN
      DELETE FROM rallypoint.${name} AS t USING ${writes}
        WHERE w.target = '-${name}' AND w.unit <> ALL (failed_units)
        AND ${key.map(field => `t.${field} = ${value(field)}`).join(' AND ')};
    END IF;`;
}

/** SQLSTATE of a batch that came too late. */
export const tooLateState = 'RP001';

/** Advisory lock of the whole store: every commit shares it, a load has it alone. */
export const wholeStoreLock = 0x52_41_4c_5a;

/** The advisory lock of a scope, and of a batch; `names` are apart from `ids` by the seed. */
const scopeKey = (name: string) => `hashtextextended(${name}, 0)`;
const batchKey = (id: string) => `hashtextextended(${id}::text, 1)`;

/**
 * The functions that write.
 *
 * A unit is what is committed as a whole or not at all: it has scopes with the revisions that it relies on, and those that they
 * get. Each statement in a function sees what was committed when it began, so the revisions are read after the locks were taken.
 */
export const commitSql = `
  CREATE FUNCTION rallypoint.commit_batch(
    batch_id uuid, deadline_ms double precision,
    scope_units int[], scope_names text[], scope_expected bigint[], scope_next bigint[],
    write_tables text[], write_units int[], write_bodies text[],
    ${columnParameters.map(parameter => `${parameter} text[]`).join(', ')},
    event_units int[], event_topics text[], event_payloads text[],
    OUT failed_units int[], OUT revisions bigint[], OUT clock_ms double precision
  ) LANGUAGE plpgsql AS $$
  DECLARE
    own_position bigint;
    target_name text;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${wholeStoreLock});
    PERFORM pg_advisory_xact_lock(${batchKey('batch_id')});
    PERFORM pg_advisory_xact_lock(key) FROM (
      SELECT DISTINCT ${scopeKey('name')} AS key FROM unnest(scope_names) AS name ORDER BY key OFFSET 0
    ) AS locks;

    SELECT coalesce(array_agg(DISTINCT a.unit) FILTER (WHERE coalesce(s.revision, b.revision) <> a.expected), '{}'),
        array_agg(coalesce(s.revision, b.revision) ORDER BY a.ordinality)
      INTO failed_units, revisions
      FROM unnest(scope_units, scope_names, scope_expected) WITH ORDINALITY AS a(unit, name, expected)
      CROSS JOIN (SELECT revision FROM rallypoint.scopes WHERE name = '') AS b
      LEFT JOIN rallypoint.scopes AS s ON s.name = a.name;
    clock_ms := extract(epoch FROM clock_timestamp()) * 1000;
    IF scope_units <@ failed_units THEN
      RETURN;
    END IF;

    INSERT INTO rallypoint.commits VALUES (batch_id, failed_units, clock_timestamp());
    INSERT INTO rallypoint.scopes (name, revision, touched_at)
      SELECT a.name, a.next, clock_timestamp() FROM unnest(scope_units, scope_names, scope_expected, scope_next) AS a(unit, name, expected, next)
      WHERE a.next <> a.expected AND a.unit <> ALL (failed_units)
      ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, touched_at = excluded.touched_at;
    IF cardinality(event_units) > 0 THEN
      own_position := pg_current_xact_id()::text::bigint;
      INSERT INTO rallypoint.events (position, number, topic, payload, bytes, at)
        SELECT own_position, e.ordinality - 1, e.topic, e.payload, octet_length(e.payload), clock_timestamp()
        FROM unnest(event_units, event_topics, event_payloads) WITH ORDINALITY AS e(unit, topic, payload)
        WHERE e.unit <> ALL (failed_units);
    END IF;
    FOREACH target_name IN ARRAY ARRAY(SELECT DISTINCT name FROM unnest(write_tables) AS name ORDER BY name) LOOP
      ${collectionNames.map(writeSql).join('\n')}
    END LOOP;

    clock_ms := extract(epoch FROM clock_timestamp()) * 1000;
    IF clock_ms >= deadline_ms THEN
      RAISE EXCEPTION 'the batch came too late' USING ERRCODE = '${tooLateState}';
    END IF;
  END $$;

  -- What became of a batch: its failed units; null if it was not committed, and then it never will be.
  CREATE FUNCTION rallypoint.resolve_batch(batch_id uuid) RETURNS int[] LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${batchKey('batch_id')});
    INSERT INTO rallypoint.commits VALUES (batch_id, NULL, clock_timestamp()) ON CONFLICT DO NOTHING;
    RETURN (SELECT failed_units FROM rallypoint.commits WHERE id = batch_id);
  END $$;

  -- Deletes scopes that were not touched for long, of the next ones by name. Returns the last name looked at; null at the end.
  CREATE FUNCTION rallypoint.clean_scopes(after text, looked_at int, untouched interval) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    last_name text;
    names text[];
    highest bigint;
  BEGIN
    SELECT max(name), array_agg(name) FILTER (WHERE touched_at < now() - untouched) INTO last_name, names
      FROM (SELECT name, touched_at FROM rallypoint.scopes WHERE name > after ORDER BY name LIMIT looked_at) AS next;
    names := ARRAY(SELECT name FROM unnest(names) AS name WHERE pg_try_advisory_xact_lock(${scopeKey('name')}));
    WITH deleted AS (
      DELETE FROM rallypoint.scopes WHERE name = ANY (names) AND touched_at < now() - untouched RETURNING revision
    ) SELECT max(revision) INTO highest FROM deleted;
    UPDATE rallypoint.scopes SET revision = highest WHERE name = '' AND revision < highest;
    RETURN last_name;
  END $$;
`;

const parameterTypes = [
  ...['uuid', 'double precision', 'int[]', 'text[]', 'bigint[]', 'bigint[]', 'text[]', 'int[]', 'text[]'],
  ...columnParameters.map(() => 'text[]'),
  ...['int[]', 'text[]', 'text[]'],
];

/** The call of `commit_batch`, with its parameters in their order. */
export const commitBatchSql = `SELECT * FROM rallypoint.commit_batch(${parameterTypes
  .map((type, at) => `$${at + 1}::${type}`)
  .join(', ')})`;
