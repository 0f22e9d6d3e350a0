import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkUserEdit, trimUsername } from '../../../../src/model/rules/accounts/user.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { faults } from '../../../support/commands/issues.ts';

const { usernameLengthMin: min, usernameLengthMax: max } = limits;
const picture = (type: string, data = 'R0lGODlh') => `data:image/${type};base64,${data}`;

describe('a bot’s user', () => {
  it('is an object, and fields that it leaves out stay as they are', () => {
    expect(checkUserEdit({})).toEqual([]);
    expect(checkUserEdit({ username: null, avatar: null, banner: null, bio: 7 })).toEqual([]);
    for (const body of [null, [], 'x', 7]) expect(checkUserEdit(body)).toMatchObject([{ code: 'DICT_TYPE_CONVERT' }]);
  });

  it.each([min, max])('may have a name of %i characters', length => {
    expect(checkUserEdit({ username: 'a'.repeat(length) })).toEqual([]);
    expect(checkUserEdit({ username: '🎲'.repeat(length) })).toEqual([]);
  });

  it.each(['', 'a', ' a ', 'a'.repeat(max + 1), `${'a'.repeat(max)} b`, '🎲'.repeat(max + 1)])(
    'may not be called %j, which is too short or too long once it is trimmed',
    username => {
      const message = `Must be between ${min} and ${max} in length.`;
      expect(checkUserEdit({ username })).toEqual([{ path: ['username'], code: 'BASE_TYPE_BAD_LENGTH', message }]);
    },
  );

  it('has the length of what is left when blanks are gone', () => {
    expect(checkUserEdit({ username: ` ${'a'.repeat(max)}\t` })).toEqual([]);
    expect(trimUsername('  Star \n\t fall ')).toBe('Star fall');
  });

  it.each([
    ['at@home', '@'],
    ['number#1', '#'],
    ['a:b', ':'],
    ['a```b', '```'],
    ['My DisCord Bot', 'discord'],
  ])('may not be called %s', (username, part) => {
    const message = `Username cannot contain "${part}"`;
    expect(checkUserEdit({ username })).toEqual([{ path: ['username'], code: 'USERNAME_INVALID_CONTAINS', message }]);
  });

  it.each(['everyone', 'Here', ' HERE '])('may not be called %j', username => {
    expect(checkUserEdit({ username })).toMatchObject([{ path: ['username'], code: 'USERNAME_RESERVED' }]);
    expect(checkUserEdit({ username: `${username}-not` })).toEqual([]);
  });

  it.each([[7], [true], [{}], [['ada']]])('may not be called %j, which is no text', username => {
    expect(faults(checkUserEdit({ username }))).toEqual(['username STRING_TYPE_CONVERT']);
  });

  it.each(['png', 'jpeg', 'jpg', 'gif', 'webp'])('may have pictures of type %s', type => {
    expect(checkUserEdit({ avatar: picture(type), banner: picture(type, 'QUJD+/==') })).toEqual([]);
  });

  it.each([
    '',
    'https://pictures.example/me.png',
    picture('svg+xml'),
    picture('png', ''),
    picture('png', '===='),
    picture('png', 'a b'),
    picture('png', 'a-_b'),
    'data:text/plain;base64,QUJD',
    'data:image/png,QUJD',
  ])('may not have the picture %j', text => {
    expect(checkUserEdit({ avatar: text, banner: text })).toMatchObject([
      { path: ['avatar'], code: 'IMAGE_INVALID' },
      { path: ['banner'], code: 'IMAGE_INVALID' },
    ]);
  });

  it('may not have a picture that is no text', () => {
    expect(faults(checkUserEdit({ avatar: 7 }))).toEqual(['avatar STRING_TYPE_CONVERT']);
  });

  it('may have a picture of the largest body', () => {
    expect(checkUserEdit({ avatar: picture('png', 'A'.repeat(serviceLimits.requestBodyBytesMax)) })).toEqual([]);
    expect(checkUserEdit({ avatar: `${picture('png', 'A'.repeat(serviceLimits.requestBodyBytesMax))}!` })).toHaveLength(
      1,
    );
  });
});
