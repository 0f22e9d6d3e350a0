import { describe, expect, it } from 'vitest';
import { checkDirectMessage } from '../../../../src/model/rules/social/message.ts';
import { checkApplicationProfile } from '../../../../src/model/rules/social/profile.ts';
import { faults } from '../../../support/commands/issues.ts';

describe('the type of an invite in a direct message', () => {
  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    [null, 'BASE_TYPE_REQUIRED'],
    ['1', 'NUMBER_TYPE_COERCE'],
    [9, 'BASE_TYPE_CHOICES'],
  ])('that is %j is reported as %s', (type, code) => {
    expect(faults(checkDirectMessage({ activity: { type } }))).toEqual([`activity.type ${code}`]);
  });
});

describe('a field of a profile', () => {
  const check = (field: object) => faults(checkApplicationProfile({ data: { dynamic: [{ name: 'Rank', ...field }] } }));

  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    [null, 'BASE_TYPE_REQUIRED'],
    ['1', 'NUMBER_TYPE_COERCE'],
    [4, 'BASE_TYPE_CHOICES'],
  ])('with the type %j is reported as %s', (type, code) => {
    expect(check({ type, value: 'Gold' })).toEqual([`data.dynamic.0.type ${code}`]);
  });

  it.each([1, 2, 3])('of type %i needs a value', type => {
    expect(check({ type })).toEqual(['data.dynamic.0.value BASE_TYPE_REQUIRED']);
    expect(check({ type, value: null })).toEqual(['data.dynamic.0.value BASE_TYPE_REQUIRED']);
  });
});
