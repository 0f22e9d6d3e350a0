import { describe, expect, it } from 'vitest';
import {
  isCredential,
  requireChoice,
  requireCredential,
  requireNumber,
  requireType,
} from '../../src/wire/arguments.ts';

const failure = (call: () => void): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return 'nothing thrown';
};

describe('an argument', () => {
  it.each([
    ['object', {}, []],
    ['boolean', true, false],
    ['function', () => {}, class {}],
    ['string', '', 'x'],
  ] as const)('of the type %s is accepted', (type, ...values) => {
    for (const value of values) expect(failure(() => requireType('it', value, type))).toBe('nothing thrown');
  });

  it.each([
    ['object', null, 'it must be an object (got null).'],
    ['object', undefined, 'it must be an object (got undefined).'],
    ['object', 'x', 'it must be an object (got "x").'],
    ['object', Symbol('x'), 'it must be an object (got symbol).'],
    ['function', {}, 'it must be a function (got object).'],
    ['string', 5n, 'it must be a string (got bigint).'],
  ] as const)('that should be a %s and is %s is rejected', (type, value, message) => {
    expect(failure(() => requireType('it', value, type))).toMatchObject({ code: 'invalid_argument', message });
  });

  it('that should be a number is one, of at least its bound, or undefined', () => {
    for (const value of [0, -1, Number.POSITIVE_INFINITY, undefined]) {
      expect(failure(() => requireNumber('it', value))).toBe('nothing thrown');
    }
    expect(failure(() => requireNumber('it', 1, 1))).toBe('nothing thrown');
    expect(failure(() => requireNumber('it', 0.9, 1))).toMatchObject({
      code: 'invalid_argument',
      message: 'it must be a number of at least 1 (got 0.9).',
    });
    expect(failure(() => requireNumber('it', Number.NaN))).toMatchObject({
      message: 'it must be a number (got NaN).',
    });
    for (const value of [null, '1', {}]) {
      expect(failure(() => requireNumber('it', value as number))).toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('with a list of choices is one of them, or undefined', () => {
    expect(failure(() => requireChoice('it', 'b', ['a', 'b']))).toBe('nothing thrown');
    expect(failure(() => requireChoice('it', undefined, ['a', 'b']))).toBe('nothing thrown');
    for (const value of ['c', null, 5, Object.create(null)]) {
      expect(failure(() => requireChoice('it', value as 'c', ['a', 'b']))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/^it must be a or b \(got .*\)\.$/),
      });
    }
  });
});

describe('a credential', () => {
  it('is printable ASCII without spaces', () => {
    expect(isCredential('!~')).toBe(true);
    expect(failure(() => requireCredential('it', 'abc', 'Bearer'))).toBe('nothing thrown');
  });

  it.each(['', ' ', 'a b', 'a\nb', 'tök', '€', '\x7F', undefined, null, 5])(
    '%j is rejected, and the error does not repeat it',
    value => {
      expect(isCredential(value)).toBe(false);
      expect(failure(() => requireCredential('it', value, 'Bot'))).toMatchObject({
        code: 'invalid_credential',
        message: 'it must be printable ASCII without spaces, and without "Bot " in front.',
      });
    },
  );
});
