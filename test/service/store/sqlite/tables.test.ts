import { describe, expect, it } from 'vitest';
import { collectionNames, indexesOf, keyFields, routeOf } from '../../../../src/service/store/keys.ts';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { listSql } from '../../../../src/service/store/sqlite/tables.ts';

const database = openDatabase(inMemory);

/** Every way to list a collection: index, number of fields that must be equal, whether the next one is bounded. */
const forms = collectionNames.flatMap(name =>
  [undefined, ...Object.keys(indexesOf(name))].flatMap(index => {
    const fields = index === undefined ? keyFields(name) : (indexesOf(name)[index] ?? []);
    return [...fields.keys(), fields.length].flatMap(equals =>
      [false, true]
        .filter(bounded => !bounded || equals < fields.length)
        .map(bounded => ({ name, index, equals, bounded })),
    );
  }),
);

describe('every form of list', () => {
  it.each(forms)('$name by $index with $equals equal, bounded $bounded, reads in order without sorting', form => {
    const { name, index, equals, bounded } = form;
    const route = routeOf(name, index === undefined ? {} : { index });
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${listSql(name, route, equals, bounded)}`).all();
    const plan = steps.map(step => String(step.detail)).join('; ');
    expect(plan).not.toContain('TEMP B-TREE');
    const path = index === undefined ? 'PRIMARY KEY' : `INDEX ${name}_${index}`;
    // Only a list of everything may go through everything.
    if (equals > 0 || bounded) expect(plan).toMatch(new RegExp(`^SEARCH ${name} USING ${path}`));
    else if (index !== undefined) expect(plan).toContain(path);
  });
});
