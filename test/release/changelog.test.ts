import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { moveUnreleased } from '../../scripts/write-version.ts';

const changelog = readFileSync(resolve(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');

it('a release gets the entries under [Unreleased] of the changelog, its date and its link', () => {
  const released = moveUnreleased(changelog, '9.8.7', '2026-01-31');
  const repository = 'https://github.com/rallypoint-sdk/rallypoint';
  expect(released).toMatch(/^## \[Unreleased\]\n\n## \[9\.8\.7\] - 2026-01-31\n/m);
  expect(released).toContain(`\n[Unreleased]: ${repository}/compare/v9.8.7...HEAD\n`);
  expect(released).toContain(`\n[9.8.7]: ${repository}/releases/tag/v9.8.7\n`);
  expect(() => moveUnreleased(released, '9.8.8', '2026-02-01')).toThrow('no entry under "## [Unreleased]"');
});

it('the changelog has the sections of Keep a Changelog only', () => {
  const sections = [...changelog.matchAll(/^### (.*)$/gm)].map(([, section]) => section);
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(sections.filter(section => !known.includes(section ?? ''))).toEqual([]);
});
