import { describe, expect, it } from 'vitest';
import { roleConnectionLimits } from '../../../../src/model/limits/role-connection-limits.ts';
import { type RoleConnectionMetadata, roleConnectionTypes as types } from '../../../../src/model/role-connection.ts';
import {
  checkRoleConnection,
  checkRoleConnectionMetadata,
} from '../../../../src/model/rules/accounts/role-connection.ts';
import { faults } from '../../../support/commands/issues.ts';

const sound = { type: types.INTEGER_EQUAL, key: 'level', name: 'Level', description: 'How far' };
const withKeys = (count: number) => Array.from({ length: count }, (_, i) => ({ ...sound, key: `key_${i}` }));

describe('what guilds can ask of role connections', () => {
  it('is a list of at most five', () => {
    expect(checkRoleConnectionMetadata([])).toEqual([]);
    expect(checkRoleConnectionMetadata(withKeys(roleConnectionLimits.roleConnectionMetadataMax))).toEqual([]);
    const more = withKeys(roleConnectionLimits.roleConnectionMetadataMax + 1);
    expect(faults(checkRoleConnectionMetadata(more))).toEqual(['(body) BASE_TYPE_MAX_LENGTH']);
    for (const body of [null, {}, 'x', 7])
      expect(faults(checkRoleConnectionMetadata(body))).toEqual(['(body) LIST_TYPE_CONVERT']);
  });

  it('is made of objects that say type, key, name and description', () => {
    expect(faults(checkRoleConnectionMetadata([{}, null, 7]))).toEqual([
      '0.type BASE_TYPE_REQUIRED',
      '0.key BASE_TYPE_REQUIRED',
      '0.name BASE_TYPE_REQUIRED',
      '0.description BASE_TYPE_REQUIRED',
      '1 LIST_ITEM_VALUE_REQUIRED',
      '2 MODEL_TYPE_CONVERT',
    ]);
  });

  it.each([
    ['key', roleConnectionLimits.roleConnectionKeyLengthMax],
    ['name', roleConnectionLimits.roleConnectionNameLengthMax],
    ['description', roleConnectionLimits.roleConnectionDescriptionLengthMax],
  ])('has a %s of 1 to %i characters', (field, max) => {
    const of = (text: string) => faults(checkRoleConnectionMetadata([{ ...sound, [field]: text }]));
    expect(of('a')).toEqual([]);
    expect(of('a'.repeat(max))).toEqual([]);
    expect(of('a'.repeat(max + 1))).toEqual([`0.${field} BASE_TYPE_BAD_LENGTH`]);
    expect(of('')).toEqual([`0.${field} BASE_TYPE_REQUIRED`]);
    const translated = `${field}_localizations`;
    if (field === 'key') return;
    const inGerman = (de: unknown) => faults(checkRoleConnectionMetadata([{ ...sound, [translated]: { de } }]));
    expect(inGerman('a'.repeat(max))).toEqual([]);
    expect(inGerman(null)).toEqual([]);
    expect(inGerman('a'.repeat(max + 1))).toEqual([`0.${translated}.de BASE_TYPE_BAD_LENGTH`]);
    expect(inGerman('')).toEqual([`0.${translated}.de BASE_TYPE_BAD_LENGTH`]);
    const nowhere = [{ ...sound, [translated]: { xx: 'a' } }];
    expect(faults(checkRoleConnectionMetadata(nowhere))).toEqual([`0.${translated}.xx BASE_TYPE_CHOICES`]);
  });

  it.each(['Level', 'a b', 'a-b', 'ä', 'a.b', 'a\n'])('has no key like %j', key => {
    expect(faults(checkRoleConnectionMetadata([{ ...sound, key }]))).toEqual(['0.key STRING_TYPE_REGEX']);
  });

  it('has each key once', () => {
    expect(faults(checkRoleConnectionMetadata([sound, { ...sound, name: 'Other' }]))).toEqual([
      '1.key LIST_ITEM_DUPLICATE',
    ]);
  });

  it('has one of eight types', () => {
    const of = (type: unknown) => faults(checkRoleConnectionMetadata([{ ...sound, type }]));
    for (const type of Object.values(types)) expect(of(type)).toEqual([]);
    for (const type of [0, 9, -1]) expect(of(type)).toEqual(['0.type BASE_TYPE_CHOICES']);
    for (const type of ['1', 1.5, true]) expect(of(type)).toEqual(['0.type NUMBER_TYPE_COERCE']);
  });
});

describe('a role connection', () => {
  const records: RoleConnectionMetadata[] = Object.values(types).map(type => ({
    ...{ type, key: `of_${type}`, name: 'Name', description: 'Description' },
    ...{ name_localizations: null, description_localizations: null },
  }));
  const of = (body: unknown) => faults(checkRoleConnection(body, records));
  const withValue = (type: number, value: unknown) => of({ metadata: { [`of_${type}`]: value } });

  it('may leave out everything', () => {
    expect(of({})).toEqual([]);
    expect(of({ platform_name: null, platform_username: null, metadata: null })).toEqual([]);
    expect(of([])).toEqual(['(body) DICT_TYPE_CONVERT']);
    expect(of({ metadata: [] })).toEqual(['metadata DICT_TYPE_CONVERT']);
  });

  it.each([
    ['platform_name', roleConnectionLimits.platformNameLengthMax],
    ['platform_username', roleConnectionLimits.platformUsernameLengthMax],
  ])('has a %s of at most %i characters', (field, max) => {
    expect(of({ [field]: '🎲'.repeat(max) })).toEqual([]);
    expect(of({ [field]: '🎲'.repeat(max + 1) })).toEqual([`${field} BASE_TYPE_MAX_LENGTH`]);
    expect(of({ [field]: 7 })).toEqual([`${field} STRING_TYPE_CONVERT`]);
  });

  it.each([1, 2, 3, 4])('has whole numbers for type %i', type => {
    for (const value of ['0', '-7', '1483', 7, -7, 0]) expect(withValue(type, value)).toEqual([]);
    for (const value of ['', 'x', '1.5', 1.5, 1e21, '0x10']) {
      expect(withValue(type, value)).toEqual([`metadata.of_${type} NUMBER_TYPE_COERCE`]);
    }
  });

  it.each([5, 6])('has times for type %i', type => {
    const times = ['2003-12-20', '2003-12-20T10:00:00Z', '2021-02-12T18:25:07.972000+00:00', '2021-02-12T18:25'];
    for (const value of times) expect(withValue(type, value)).toEqual([]);
    for (const value of ['', 'today', '20.12.2003', '2003-13-20', '2003-12-20T25:00:00Z', 1_000]) {
      expect(withValue(type, value)).toEqual([`metadata.of_${type} DATE_TIME_TYPE_PARSE`]);
    }
  });

  it.each([
    ['2003-12-20 10:00', true],
    ['2003-12-20T10:00:00', true],
    ['2003-12-20T10:00:00.123456789Z', true],
    ['2003-12-20T10:00:00.1234567890Z', false],
    ['2003-12-20T10:00:00.Z', false],
    ['2003-12-20T10:00+0130', true],
    ['2003-12-20T10:00+01:30', true],
    ['2003-12-20T10:00+1:30', false],
    ['2003-12-20T10', false],
    ['2003-12-20T1:00', false],
    ['2003-12-20T10:0', false],
    ['2003-12-20T10:00:0', false],
    ['12003-12-20', false],
    ['203-12-20', false],
    ['2003-1-20', false],
    ['2003-12-2', false],
    ['2003-12-20x', false],
    ['x2003-12-20', false],
  ])('takes %j for a time: %j', (value, isTime) => {
    expect(withValue(5, value)).toEqual(isTime ? [] : ['metadata.of_5 DATE_TIME_TYPE_PARSE']);
  });

  it.each([7, 8])('has 0 or 1 for type %i', type => {
    for (const value of ['0', '1', 0, 1]) expect(withValue(type, value)).toEqual([]);
    for (const value of ['', '2', 'yes', -1])
      expect(withValue(type, value)).toEqual([`metadata.of_${type} BASE_TYPE_CHOICES`]);
    expect(withValue(type, true)).toEqual([`metadata.of_${type} STRING_TYPE_CONVERT`]);
  });

  it('has texts of at most 100 characters where the key has no metadata', () => {
    const max = roleConnectionLimits.roleConnectionValueLengthMax;
    expect(of({ metadata: { guild_rank: 'x'.repeat(max), level: 7, of_1_: '' } })).toEqual([]);
    expect(of({ metadata: { guild_rank: 'x'.repeat(max + 1) } })).toEqual(['metadata.guild_rank BASE_TYPE_MAX_LENGTH']);
    expect(of({ metadata: { guild_rank: null } })).toEqual(['metadata.guild_rank STRING_TYPE_CONVERT']);
  });

  it('has keys like those of the metadata', () => {
    const long = 'a'.repeat(roleConnectionLimits.roleConnectionKeyLengthMax);
    expect(of({ metadata: { [long]: '' } })).toEqual([]);
    for (const key of [`${long}a`, '', 'Level', 'a-b', 'constructor!']) {
      expect(of({ metadata: { [key]: '' } })).toEqual([`metadata.${key} STRING_TYPE_REGEX`]);
    }
  });

  it('has at most as many values as there can be keys', () => {
    const values = (count: number) => Object.fromEntries(withKeys(count).map(({ key }) => [key, '1']));
    expect(of({ metadata: values(roleConnectionLimits.roleConnectionMetadataMax) })).toEqual([]);
    expect(of({ metadata: values(roleConnectionLimits.roleConnectionMetadataMax + 1) })).toEqual([
      'metadata BASE_TYPE_MAX_LENGTH',
    ]);
  });
});
