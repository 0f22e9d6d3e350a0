import { describe, expect, it } from 'vitest';
import { lastReleased, moveUnreleased, parseChangelog, subjectOf } from '../../scripts/release/changelog.ts';

const repository = 'https://example.com/owner/name';
const good = `# Changelog

[Unreleased]: ${repository}/compare/v1.2.0...HEAD
[1.2.0]: ${repository}/releases/tag/v1.2.0
[1.1.0]: ${repository}/releases/tag/v1.1.0

## [Unreleased]

### Added

- One thing
  over two lines.
- Another.

## [1.2.0] - 2026-02-28

### Fixed

- Something.

## [1.1.0] - 2026-02-28 [YANKED]

### Removed

- Something else.
`;

function faultsOf(text: string): readonly string[] {
  return parseChangelog(text, repository).faults;
}

describe('a changelog', () => {
  it('in the form of Keep a Changelog has no fault, and its entries are counted', () => {
    const { releases, faults } = parseChangelog(good, repository);
    expect(faults).toEqual([]);
    expect(releases.map(({ name, date, sections }) => [name, date, sections.map(({ entries }) => entries)])).toEqual([
      ['Unreleased', undefined, [2]],
      ['1.2.0', '2026-02-28', [1]],
      ['1.1.0', '2026-02-28', [1]],
    ]);
  });

  it.each([
    ['another title', '# Changelog', '# Changes', 'CHANGELOG.md:1: the first line must be "# Changelog".'],
    ['a release without a date', '[1.2.0] - 2026-02-28', '[1.2.0]', 'CHANGELOG.md:15: "## [1.2.0]" must be'],
    [
      'a day that is none',
      '[1.2.0] - 2026-02-28',
      '[1.2.0] - 2026-02-30',
      'CHANGELOG.md:15: 2026-02-30 is not a date.',
    ],
    [
      'a release older than the one below it',
      '1.1.0] - 2026-02-28',
      '1.1.0] - 2026-03-01',
      'CHANGELOG.md:21: [1.1.0] must',
    ],
    ['an unknown section', '### Fixed', '### Bugs', 'CHANGELOG.md:17: "### Bugs" must be one of Added,'],
    ['a section without an entry', '- Something.', '', 'CHANGELOG.md:17: "### Fixed" has no entry; remove it.'],
    ['an entry under no section', '### Fixed\n', '', 'CHANGELOG.md:18: an entry must stand under a heading'],
    [
      'a release without a link',
      '[1.1.0]: https',
      '[1.1.1]: https',
      'CHANGELOG.md:21: [1.1.0] needs a link definition',
    ],
    ['nothing for what is unreleased', '## [Unreleased]', '## [2.0.0] - 2026-03-01', 'must be "## [Unreleased]"'],
  ])('with %s is told where', (_, before, after, fault) => {
    expect(faultsOf(good.replace(before, after))).toContainEqual(expect.stringContaining(fault));
  });

  it('describes what is unreleased, or when nothing is, the last release', () => {
    const { releases } = parseChangelog(good, repository);
    expect(subjectOf(releases)?.name).toBe('Unreleased');
    expect(lastReleased(releases)?.name).toBe('1.2.0');
    const moved = moveUnreleased(good, '1.3.0', '2026-03-01', repository);
    const after = parseChangelog(moved, repository);
    expect(after.faults).toEqual([]);
    expect(subjectOf(after.releases)).toMatchObject({ name: '1.3.0', date: '2026-03-01' });
    expect(moved).toContain(
      `[Unreleased]: ${repository}/compare/v1.3.0...HEAD\n[1.3.0]: ${repository}/releases/tag/v1.3.0\n`,
    );
  });
});
