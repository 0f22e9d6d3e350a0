import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { version } from '../../src/model/version.ts';

it('names the version of package.json', () => {
  expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
});
