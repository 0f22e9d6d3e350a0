import { describe, expect, it } from 'vitest';
import { collectionNames, indexesOf, keyFields } from '../../../../src/service/store/keys.ts';
import { type CollectionName, numericFields } from '../../../../src/service/store/records.ts';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { listSql } from '../../../../src/service/store/sqlite/tables.ts';

const database = await openDatabase(inMemory);

const anyValue = (field: string) => (numericFields.has(field) ? 1 : 'a');

/** Every way to list a collection: index, fields that must be equal, whether the next one is bounded, direction. */
const forms = collectionNames.flatMap(name =>
  [undefined, ...Object.keys(indexesOf(name))].flatMap(index => {
    const fields = index === undefined ? keyFields(name) : (indexesOf(name)[index] ?? []);
    return [...fields.keys(), fields.length].flatMap(equals =>
      [undefined, ...fields.slice(equals, equals + 1).map(anyValue)].flatMap(upTo =>
        [false, true].map(descending => ({
          name,
          index,
          equals: fields.slice(0, equals).map(anyValue),
          upTo,
          descending,
        })),
      ),
    );
  }),
);

/** The index, and those that find the same records when this many of its fields are given, if these are all of them. */
function likeIndexes(name: CollectionName, index: string, equals: number): string {
  const fields = indexesOf(name)[index] ?? [];
  const others = Object.entries(indexesOf(name))
    .filter(([, other]) => equals === fields.length && [...other].sort().join() === [...fields].sort().join())
    .map(([other]) => other);
  return [...new Set([index, ...others])].join('|');
}

describe('every form of list', () => {
  it.each(forms)('$name by $index like $equals, up to $upTo, descending $descending, reads without sorting', form => {
    const { name, index, equals, upTo, descending } = form;
    const query = { equals, descending, ...(index !== undefined && { index }), ...(upTo !== undefined && { upTo }) };
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${listSql(name, query)}`).all();
    const plan = steps.map(step => String(step.detail)).join('; ');
    expect(plan).not.toContain('TEMP B-TREE');
    const path = index === undefined ? 'PRIMARY KEY' : `INDEX ${name}_(${likeIndexes(name, index, equals.length)})`;
    // Only a list of everything may go through everything.
    if (equals.length > 0 || upTo !== undefined) expect(plan).toMatch(new RegExp(`^SEARCH ${name} USING ${path}`));
    else if (index !== undefined) expect(plan).toMatch(new RegExp(path));
  });
});
