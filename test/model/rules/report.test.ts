import { describe, expect, it } from 'vitest';
import { issuesMax, Report } from '../../../src/model/rules/report.ts';
import { faults } from '../../support/commands/issues.ts';

describe('a report', () => {
  it('names the current position of the check, and a step below it', () => {
    const report = new Report();
    report.here('DICT_TYPE_CONVERT');
    report.enter('options');
    report.enter(0);
    report.moveTo(2);
    report.at('name', 'STRING_TYPE_REGEX');
    report.leave();
    report.at(7, 'LIST_ITEM_DUPLICATE');
    report.leave();
    report.here('MODEL_TYPE_CONVERT');
    expect(faults(report.issues)).toEqual([
      '(body) DICT_TYPE_CONVERT',
      'options.2.name STRING_TYPE_REGEX',
      'options.7 LIST_ITEM_DUPLICATE',
      '(body) MODEL_TYPE_CONVERT',
    ]);
  });

  it('fills the details of a fault into its message', () => {
    const report = new Report();
    report.at('name', 'BASE_TYPE_BAD_LENGTH', 1, 32);
    expect(report.issues[0]?.message).toBe('Must be between 1 and 32 in length.');
  });

  it(`takes ${issuesMax} issues and no more`, () => {
    const report = new Report();
    for (let i = 0; i <= issuesMax; i++) report.at(i, 'BASE_TYPE_REQUIRED');
    expect(report.issues).toHaveLength(issuesMax);
  });
});
