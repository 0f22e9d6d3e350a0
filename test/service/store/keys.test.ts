import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectionNames, compareText, keyOf, keyText, keyTextOf, routeOf } from '../../../src/service/store/keys.ts';
import { collections, numericFields } from '../../../src/service/store/records.ts';
import { lobbyMemberRecord } from '../../support/store/records.ts';

describe('the order of text', () => {
  it('is that of its UTF-8 bytes, as SQLite and PostgreSQL have it', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it.each([
    ['', '', 0],
    ['a', 'aa', -1],
    ['b', 'aa', 1],
    ['\ud7ff', '\ue000', -1],
    ['\uffff', '\u{10000}', -1],
    ['\u{10000}', '\u{10ffff}', -1],
  ])('puts %j beside %j as %d', (a, b, order) => {
    expect(Math.sign(compareText(a, b))).toBe(order);
    expect(Math.sign(compareText(b, a)) + order).toBe(0);
  });
});

describe('a key text', () => {
  it('differs for different keys, however their parts are cut', () => {
    expect(keyText(['ab', 'c'])).not.toBe(keyText(['a', 'bc']));
    expect(keyText(['', 'a'])).not.toBe(keyText(['a', '']));
  });

  it('is the same from a key and from its record', () => {
    const record = lobbyMemberRecord({ lobby_id: '1', user_id: '2' });
    expect(keyOf('lobby_members', record)).toEqual(['1', '2']);
    expect(keyTextOf('lobby_members', record)).toBe(keyText(['1', '2']));
  });
});

describe('the collections', () => {
  it('have keys and indexes of distinct fields, with names that SQL takes as they are', () => {
    for (const name of collectionNames) {
      const { key, indexes } = collections[name];
      for (const fields of [key, ...Object.values<readonly string[]>(indexes)]) {
        expect(fields.length).toBeGreaterThan(0);
        expect(new Set(fields).size).toBe(fields.length);
        for (const field of [name, ...fields]) expect(field).toMatch(/^[a-z_]+$/);
      }
    }
    expect([...numericFields]).toEqual(expect.arrayContaining(['expires_at_ms']));
  });

  it('are ordered by an index and then by the rest of the key', () => {
    expect(routeOf('lobby_members', { index: 'byUser' })).toEqual({
      fields: ['application_id', 'user_id'],
      order: ['application_id', 'user_id', 'lobby_id'],
    });
  });
});
