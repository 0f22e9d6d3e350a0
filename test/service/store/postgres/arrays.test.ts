import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { jsonArray, textArray } from '../../../../src/service/store/postgres/arrays.ts';

const textArrayOid = 1009;
const parse = pg.types.getTypeParser(textArrayOid as never);
const line = fc.string({ unit: 'binary' }).filter(value => !value.includes('\0'));
const text = fc.oneof(
  line,
  fc.array(fc.oneof(line, fc.json()), { maxLength: 3 }).map(lines => lines.join('\n')),
);

it('an array of texts is read as it was written, whatever they hold', () => {
  fc.assert(
    fc.property(fc.array(fc.option(text)), values => {
      expect(parse(textArray(values))).toEqual(values);
    }),
  );
});

it('an array of JSON texts is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.jsonValue({ stringUnit: 'binary' }))), values => {
      const bodies = values.map(value => (value === null ? null : JSON.stringify(value)));
      expect(parse(jsonArray(bodies))).toEqual(bodies);
    }),
  );
});
