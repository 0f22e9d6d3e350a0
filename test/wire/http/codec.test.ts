import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asRecord, encodeForm, parseJson } from '../../../src/wire/http/codec.ts';

describe('parseJson', () => {
  it('gives back what JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('answers undefined for text that is not JSON, and never throws', () => {
    for (const text of ['', '{', "{'a':1}", 'undefined', '\u0000', '[1,]', 'nul'])
      expect(parseJson(text)).toBeUndefined();
    fc.assert(fc.property(fc.string(), text => void parseJson(text)));
  });
});

describe('asRecord', () => {
  it('takes dictionaries only', () => {
    expect(asRecord({ a: 1 })).toEqual({ a: 1 });
    for (const value of [null, undefined, [], 'text', 1, true]) expect(asRecord(value)).toBeUndefined();
  });
});

describe('encodeForm', () => {
  it('escapes what separates fields', () => {
    expect(encodeForm({ a: 'b&c=d e', ä: '+' })).toBe('a=b%26c%3Dd+e&%C3%A4=%2B');
  });
});
