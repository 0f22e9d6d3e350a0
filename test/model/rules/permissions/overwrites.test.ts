import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { allChannelsId, everyoneId } from '../../../../src/model/overwrite.ts';
import { checkOverwrites } from '../../../../src/model/rules/permissions/overwrites.ts';

const max = limits.commandPermissionsMax;
const entry = { id: '6', type: 1, permission: true };
const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ ...entry, id: String(i) }));
const found = (value: unknown) => checkOverwrites(value).map(({ path, code }) => `${path.join('.')} ${code}`);

describe('the body that replaces overwrites', () => {
  it.each([0, 1, max - 1, max])('may have %i entries', count => {
    expect(found({ permissions: entries(count) })).toEqual([]);
  });

  it(`may not have ${max + 1} entries`, () => {
    expect(checkOverwrites({ permissions: entries(max + 1) })).toEqual([
      { path: ['permissions'], code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${max} or fewer in length.` },
    ]);
  });

  it.each([
    [undefined, ' DICT_TYPE_CONVERT'],
    [[entry], ' DICT_TYPE_CONVERT'],
    [{}, 'permissions BASE_TYPE_REQUIRED'],
    [{ permissions: null }, 'permissions BASE_TYPE_REQUIRED'],
    [{ permissions: { 0: entry } }, 'permissions LIST_TYPE_CONVERT'],
    [{ permissions: [null] }, 'permissions.0 LIST_ITEM_VALUE_REQUIRED'],
    [{ permissions: ['6'] }, 'permissions.0 MODEL_TYPE_CONVERT'],
    [{ permissions: [{ ...entry, id: undefined }] }, 'permissions.0.id BASE_TYPE_REQUIRED'],
    [{ permissions: [{ ...entry, id: 'x' }] }, 'permissions.0.id NUMBER_TYPE_COERCE'],
    [{ permissions: [{ ...entry, id: '9223372036854775808' }] }, 'permissions.0.id NUMBER_TYPE_MAX'],
    [{ permissions: [{ ...entry, type: undefined }] }, 'permissions.0.type BASE_TYPE_REQUIRED'],
    [{ permissions: [{ ...entry, type: '1' }] }, 'permissions.0.type NUMBER_TYPE_COERCE'],
    [{ permissions: [{ ...entry, type: { toString: 1 } }] }, 'permissions.0.type NUMBER_TYPE_COERCE'],
    [{ permissions: [{ ...entry, type: 0 }] }, 'permissions.0.type BASE_TYPE_CHOICES'],
    [{ permissions: [{ ...entry, type: 4 }] }, 'permissions.0.type BASE_TYPE_CHOICES'],
    [{ permissions: [{ ...entry, permission: undefined }] }, 'permissions.0.permission BASE_TYPE_REQUIRED'],
    [{ permissions: [{ ...entry, permission: 1 }] }, 'permissions.0.permission BOOLEAN_TYPE_CONVERT'],
    [{ permissions: [entry, { ...entry, permission: false }] }, 'permissions.1.id LIST_ITEM_DUPLICATE'],
    [{ permissions: [entry, { ...entry, id: 6 }] }, 'permissions.1.id LIST_ITEM_DUPLICATE'],
  ])('is refused: %j', (body, issue) => {
    expect(found(body)).toEqual([issue]);
  });

  it('may name one id under several types, and ids as whole numbers', () => {
    expect(found({ permissions: [1, 2, 3].map(type => ({ ...entry, id: 6, type })) })).toEqual([]);
  });

  it('gets every issue together', () => {
    expect(found({ permissions: [{}, { ...entry, id: -1, permission: 'yes' }] })).toEqual([
      'permissions.0.id BASE_TYPE_REQUIRED',
      'permissions.0.type BASE_TYPE_REQUIRED',
      'permissions.0.permission BASE_TYPE_REQUIRED',
      'permissions.1.id NUMBER_TYPE_COERCE',
      'permissions.1.permission BOOLEAN_TYPE_CONVERT',
    ]);
  });
});

describe('the constants', () => {
  it('are the guild for everyone and the number before it for all channels, also past 2^53', () => {
    expect(everyoneId('1054951789318909972')).toBe('1054951789318909972');
    expect(allChannelsId('1054951789318909972')).toBe('1054951789318909971');
    expect(allChannelsId('1000')).toBe('999');
  });
});
