import { describe, expect, it } from 'vitest';
import { deviceResults } from '../../../../src/model/oauth.ts';
import { checkDeviceFinish, checkDeviceVerify } from '../../../../src/model/rules/accounts/device.ts';
import { faults } from '../../../support/commands/issues.ts';

/** As both bodies have it. */
const codes = [
  ['', ['user_code BASE_TYPE_REQUIRED']],
  ['A', []],
  ['A'.repeat(100), []],
  ['A'.repeat(101), ['user_code BASE_TYPE_BAD_LENGTH']],
  [null, ['user_code BASE_TYPE_REQUIRED']],
  [7, ['user_code STRING_TYPE_CONVERT']],
] as const;

describe('the body that looks up a device', () => {
  it.each(codes)('with the code %j has the issues %j', (user_code, issues) => {
    expect(faults(checkDeviceVerify({ user_code }))).toEqual(issues);
  });

  it('must be an object with a code', () => {
    expect(faults(checkDeviceVerify({}))).toEqual(['user_code BASE_TYPE_REQUIRED']);
    for (const body of [null, [], 'x']) expect(faults(checkDeviceVerify(body))).toEqual(['(body) DICT_TYPE_CONVERT']);
  });
});

describe('the body that answers a device', () => {
  it.each(codes)('with the code %j has the issues %j', (user_code, issues) => {
    expect(faults(checkDeviceFinish({ user_code, result: deviceResults[0] }))).toEqual(issues);
  });

  it.each(deviceResults)('may have the result %j', result => {
    expect(checkDeviceFinish({ user_code: 'A', result })).toEqual([]);
  });

  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    [null, 'BASE_TYPE_REQUIRED'],
    ['maybe', 'BASE_TYPE_CHOICES'],
    [1, 'BASE_TYPE_CHOICES'],
  ])('with the result %j is rejected with %s', (result, code) => {
    expect(faults(checkDeviceFinish({ user_code: 'A', result }))).toEqual([`result ${code}`]);
  });
});
