import type { Issue } from '../errors/issue.ts';
import { type Fields, isFields } from './field.ts';
import { Report } from './report.ts';

/** A body that must be an object. */
export function checkBody(value: unknown, checkFields: (report: Report, body: Fields) => void): Issue[] {
  const report = new Report();
  if (isFields(value)) checkFields(report, value);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}
