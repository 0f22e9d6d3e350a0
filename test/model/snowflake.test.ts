import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareSnowflakes,
  isSnowflake,
  parseSnowflake,
  readSnowflake,
  snowflakeEpochMs,
  snowflakeMax,
  snowflakeTimeMs,
} from '../../src/model/snowflake.ts';

const anyId = fc.bigInt({ min: 0n, max: snowflakeMax });

describe('a snowflake', () => {
  it.each(['0', '1', '175928847299117063', String(snowflakeMax - 1n), String(snowflakeMax)])('can be %s', text => {
    expect(isSnowflake(text)).toBe(true);
    expect(parseSnowflake(text)).toBe(text);
    expect(readSnowflake(text)).toBe(text);
  });

  it.each([
    String(snowflakeMax + 1n),
    '18446744073709551615',
    '',
    '00',
    '01',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x1',
    'me',
    '@me',
    '１',
    '9'.repeat(10_000),
  ])('cannot be %j', text => {
    expect(isSnowflake(text)).toBe(false);
    expect(readSnowflake(text)).toBe(undefined);
    expect(() => parseSnowflake(text)).toThrow(expect.objectContaining({ code: 'invalid_snowflake' }));
  });

  it('is shown as it was given where it is rejected', () => {
    const messageOf = (value: unknown) => {
      try {
        return parseSnowflake(value as string, 'applicationId');
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf('me')).toBe('applicationId must be an id below 2^63, as text (got "me").');
    expect(messageOf(1)).toBe('applicationId must be an id below 2^63, as text (got 1).');
    expect(messageOf(undefined)).toBe('applicationId must be an id below 2^63, as text (got undefined).');
  });

  it('is read from a number that loses no digit, from no other', () => {
    expect(readSnowflake(0)).toBe('0');
    expect(readSnowflake(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
    for (const value of [Number.MAX_SAFE_INTEGER + 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(readSnowflake(value)).toBe(undefined);
    }
    for (const value of [null, undefined, {}, [], true, 5n]) expect(readSnowflake(value)).toBe(undefined);
  });

  it('is parsed from a bigint within its bounds', () => {
    expect(parseSnowflake(snowflakeMax)).toBe('9223372036854775807');
    expect(() => parseSnowflake(snowflakeMax + 1n)).toThrow();
    expect(() => parseSnowflake(-1n, 'lobby id')).toThrow('lobby id');
  });

  it('carries the time it was made at', () => {
    expect(snowflakeTimeMs('175928847299117063')).toBe(Date.parse('2016-04-30T11:18:25.796Z'));
    expect(snowflakeTimeMs('0')).toBe(snowflakeEpochMs);
    expect(snowflakeTimeMs('4194303')).toBe(snowflakeEpochMs);
    expect(snowflakeTimeMs('4194304')).toBe(snowflakeEpochMs + 1);
  });

  it('is any number up to the largest, as decimal text', () => {
    fc.assert(fc.property(anyId, id => isSnowflake(id.toString()) && parseSnowflake(id) === id.toString()));
  });

  it('is ordered as its number is', () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        const order = a < b ? -1 : a > b ? 1 : 0;
        expect(Math.sign(compareSnowflakes(a.toString(), b.toString()))).toBe(order);
      }),
    );
  });
});
