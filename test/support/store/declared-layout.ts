import { collectionNames, indexesOf, indexFields, keyFields } from '../../../src/service/store/keys.ts';
import { type CollectionName, numericFields } from '../../../src/service/store/records.ts';

/** The statements that make the tables and indexes which the collections declare today: where migrations must lead. */
export function declaredLayoutSql(): string {
  return collectionNames.flatMap(name => [tableSql(name), ...indexSql(name)]).join('\n');
}

function tableSql(name: CollectionName): string {
  const key = keyFields(name);
  const columns = [...key, ...indexFields(name)].map(
    field => `${field} ${numericFields.has(field) ? 'INTEGER' : 'TEXT'}`,
  );
  const parts = [...columns, 'body TEXT NOT NULL', `PRIMARY KEY (${key.join(', ')})`];
  return `CREATE TABLE ${name} (${parts.join(', ')}) STRICT, WITHOUT ROWID;`;
}

function indexSql(name: CollectionName): string[] {
  return Object.entries(indexesOf(name)).map(([index, fields]) => {
    const last = fields.at(-1) ?? '';
    // A key field is never null, and SQLite does not use an index that leaves out what cannot be.
    const condition = keyFields(name).includes(last) ? '' : ` WHERE ${last} IS NOT NULL`;
    return `CREATE INDEX ${name}_${index} ON ${name} (${fields.join(', ')})${condition};`;
  });
}
