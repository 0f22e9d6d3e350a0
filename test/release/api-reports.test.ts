import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compareApiReports } from '../../scripts/release/api-reports.ts';
import { compareLines } from '../../scripts/release/compare-lines.ts';

it('the reports in api/ describe the types of the built package', () => {
  expect(compareApiReports(resolve(import.meta.dirname, '../..'))).toEqual([]);
}, 60_000);

it('a line that moved is neither added nor removed, one that came twice is added once', () => {
  expect(compareLines('a\nb\nc', 'c\na\nb\nb')).toEqual({ added: ['b'], removed: [] });
  expect(compareLines('a\nb', 'a')).toEqual({ added: [], removed: ['b'] });
});
