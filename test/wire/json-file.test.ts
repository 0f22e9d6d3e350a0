import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonFile } from '../../src/wire/json-file.ts';

const faultOf = (text: string) => {
  const reading = readJsonFile(text);
  return 'fault' in reading ? reading.fault : undefined;
};

describe('readJsonFile', () => {
  it('reads what JSON.parse reads, with or without a byte order mark', () => {
    expect(readJsonFile('{"a": [1, null]}')).toEqual({ value: { a: [1, null] } });
    expect(readJsonFile('\uFEFF{"a": [1, null]}')).toEqual({ value: { a: [1, null] } });
  });

  it.each([
    ['{\n  "a": 1,\n  // why\n  "b": 2\n}', 'line 3, column 3: comments are not allowed in JSON'],
    ['/* why */ {}', 'line 1, column 1: comments are not allowed in JSON'],
    ['{"a": 1} # why', 'line 1, column 10: comments are not allowed in JSON'],
    ['{\r\n  "a": 1,\r\n}', 'line 3, column 1: a comma before "}" is not allowed in JSON'],
    ['[1,\n]', 'line 2, column 1: a comma before "]" is not allowed in JSON'],
    ["{'a': 1}", "line 1, column 2: text must stand in double quotation marks, not in '"],
    ['{a: 1}', 'line 1, column 2: the name of a field is expected, in double quotation marks'],
    ['{"a" 1}', 'line 1, column 6: a ":" is expected after the name of the field'],
    ['{"a": 1 "b": 2}', 'line 1, column 9: a "," or the closing bracket is expected'],
    ['{"a": 1]', 'line 1, column 8: a "," or the closing bracket is expected'],
    ['[01]', 'line 1, column 3: a "," or the closing bracket is expected'],
    ['[1] [2]', 'line 1, column 5: the file must end after the first value'],
    ['{"a": "b\n"}', /^line 1, column 7: the text that begins here is not closed/],
    ['["\\x"]', /^line 1, column 2: the text that begins here/],
    ['{\n "a": [1,\n 2', 'line 3, column 3: the "[" of line 2, column 7 is not closed'],
    ['  ', 'line 1, column 3: the file is empty'],
    ['', 'line 1, column 1: the file is empty'],
    ['undefined', /^line 1, column 1: a value is expected/],
    ['\uFFFD\uFFFD{\u0000}\u0000', 'it is not in UTF-8; save it in that encoding'],
  ])('says where %j is wrong', (text, fault) => {
    if (typeof fault === 'string') expect(faultOf(text)).toBe(fault);
    else expect(faultOf(text)).toMatch(fault);
  });

  it('never repeats the text, which may hold a token', () => {
    for (const text of ['{"token": hunter2}', '{"token": "hunter2"', '{hunter2: 1}', '"hunter2" "hunter2"']) {
      expect(faultOf(text)).toMatch(/^line 1, column /);
      expect(faultOf(text)).not.toContain('hunter2');
    }
  });

  it('takes a text that is nested deeply or is long', () => {
    expect(faultOf('['.repeat(200_000))).toContain('column 200000 is not closed');
    expect(faultOf(`"${'\\n'.repeat(500_000)}`)).toContain('not closed');
  });

  it('names a place in every text that JSON.parse rejects', () => {
    const signs = ['', ',', '"', '}', '[', ':', '0', '/', '\\', '\n', 'x'];
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.constantFrom(...signs), (value, at, sign) => {
        const text = JSON.stringify(value, null, 1);
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + sign + text.slice(place + 1);
        const [, line, column] = /^line (\d+), column (\d+): /.exec(faultOf(changed) ?? '') ?? [];
        if (faultOf(changed) === undefined) expect(JSON.parse(changed)).toBeDefined();
        else expect((changed.split('\n')[Number(line) - 1] ?? '').length).toBeGreaterThanOrEqual(Number(column) - 1);
      }),
    );
  });
});
