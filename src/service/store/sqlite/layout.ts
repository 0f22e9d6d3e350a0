import { collectionNames, indexesOf, indexFields, keyFields } from '../keys.ts';
import { numericFields } from '../records.ts';

/** The statements that make the tables and indexes which the collections declare today. */
export function layoutSql(): string {
  return collectionNames
    .flatMap(name => {
      const columns = [...keyFields(name), ...indexFields(name)].map(
        field => `${field} ${numericFields.has(field) ? 'INTEGER' : 'TEXT'}`,
      );
      const table = `CREATE TABLE ${name} (${columns.join(', ')}, body TEXT NOT NULL, PRIMARY KEY (${keyFields(name).join(', ')})) STRICT, WITHOUT ROWID;`;
      const indexes = Object.entries(indexesOf(name)).map(
        ([index, fields]) =>
          `CREATE INDEX ${name}_${index} ON ${name} (${fields.join(', ')}) WHERE ${fields.at(-1)} IS NOT NULL;`,
      );
      return [table, ...indexes];
    })
    .join('\n');
}
