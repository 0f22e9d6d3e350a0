import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './manifest.ts';
import type { Outcome } from './outcome.ts';
import { compareVersions } from './semver.ts';

/** CHANGELOG.md in the form of Keep a Changelog 1.1.0. */
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

export interface Release {
  /** A version, or `Unreleased`. */
  readonly name: string;
  readonly date: string | undefined;
  readonly line: number;
  readonly sections: { readonly kind: string; readonly line: number; entries: number }[];
}

export interface Changelog {
  readonly releases: readonly Release[];
  readonly faults: readonly string[];
}

export function readChangelog(root: string): Changelog {
  const repository = (readManifest(root).homepage ?? '').replace(/#.*$/, '');
  return parseChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), repository);
}

export function checkChangelog(root: string): Outcome {
  const { releases, faults } = readChangelog(root);
  const subject = subjectOf(releases);
  const entries = subject ? entriesOf(subject) : 0;
  const empty =
    entries === 0 ? ['CHANGELOG.md has no entry under "## [Unreleased]" that says what this release changes.'] : [];
  return { detail: `${entries} entries under [${subject?.name ?? 'Unreleased'}]`, faults: [...faults, ...empty] };
}

/** The newest version with a date: the last one that was released. */
export function lastReleased(releases: readonly Release[]): Release | undefined {
  return releases.find(release => release.date !== undefined);
}

/** What the next publish would bring: what is unreleased, or if nothing is, the last release itself. */
export function subjectOf(releases: readonly Release[]): Release | undefined {
  const unreleased = releases.find(({ name }) => name === 'Unreleased');
  return unreleased && entriesOf(unreleased) > 0 ? unreleased : (lastReleased(releases) ?? unreleased);
}

function entriesOf(release: Release): number {
  return release.sections.reduce((sum, { entries }) => sum + entries, 0);
}

export function parseChangelog(text: string, repository: string): Changelog {
  const releases: Release[] = [];
  const faults: string[] = [];
  const lines = text.split(/\r?\n/);
  const fault = (index: number, what: string) => faults.push(`CHANGELOG.md:${index + 1}: ${what}`);
  if (lines[0] !== '# Changelog') fault(0, 'the first line must be "# Changelog".');
  for (const [index, line] of lines.entries()) {
    const release = releases.at(-1);
    if (line.startsWith('## ')) {
      const heading = /^## \[(?<name>Unreleased|\d+\.\d+\.\d+)\](?: - (?<date>\d{4}-\d\d-\d\d)(?: \[YANKED\])?)?$/.exec(
        line,
      );
      const { name, date } = heading?.groups ?? {};
      if (name === undefined || (name === 'Unreleased') !== (date === undefined)) {
        fault(index, `"${line}" must be "## [Unreleased]" or "## [1.2.3] - 2026-01-31".`);
      } else releases.push({ name, date, line: index, sections: [] });
    } else if (line.startsWith('### ')) {
      const kind = line.slice('### '.length);
      if (!kinds.includes(kind)) fault(index, `"${line}" must be one of ${kinds.join(', ')}.`);
      if (release?.sections.some(section => section.kind === kind)) fault(index, `"${line}" stands here twice.`);
      release?.sections.push({ kind, line: index, entries: 0 });
    } else if (/^[-*] /.test(line)) {
      const section = release?.sections.at(-1);
      if (section) section.entries += 1;
      else fault(index, 'an entry must stand under a heading such as "### Added".');
    }
  }
  return { releases, faults: [...faults, ...faultsOf(releases, lines, repository)] };
}

function faultsOf(releases: readonly Release[], lines: readonly string[], repository: string): string[] {
  const at = (index: number, what: string) => `CHANGELOG.md:${index + 1}: ${what}`;
  const faults = releases[0]?.name === 'Unreleased' ? [] : [at(0, 'the first release must be "## [Unreleased]".')];
  for (const [index, { name, date, line, sections }] of releases.entries()) {
    for (const section of sections) {
      if (section.entries === 0) faults.push(at(section.line, `"### ${section.kind}" has no entry; remove it.`));
    }
    const link = lines.find(text => text.startsWith(`[${name}]: `));
    if (!link?.slice(name.length + 4).startsWith(`${repository}/`)) {
      faults.push(at(line, `[${name}] needs a link definition "[${name}]: ${repository}/…".`));
    }
    if (date !== undefined && !isDate(date)) faults.push(at(line, `${date} is not a date.`));
    const older = releases[index + 1];
    if (older === undefined || name === 'Unreleased') continue;
    if (older.name === 'Unreleased' || compareVersions(name, older.name) <= 0 || (date ?? '') < (older.date ?? '')) {
      faults.push(at(older.line, `[${older.name}] must be older than [${name}] above it.`));
    }
  }
  return faults;
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The changelog after a release: what was unreleased stands under the version, above it is a new empty heading. */
export function moveUnreleased(text: string, version: string, date: string, repository: string): string {
  const links = `[Unreleased]: ${repository}/compare/v${version}...HEAD\n[${version}]: ${repository}/releases/tag/v${version}`;
  return text
    .replace(/^\[Unreleased\]: .*$/m, links)
    .replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`);
}
