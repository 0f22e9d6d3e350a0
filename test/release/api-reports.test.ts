import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compareApiReports } from '../../scripts/api.ts';

it('the reports in docs/api/ describe the types of the built package', () => {
  expect(compareApiReports(resolve(import.meta.dirname, '../..'))).toEqual([]);
}, 60_000);
