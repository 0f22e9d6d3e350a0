import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveUnreleased, readChangelog } from './changelog.ts';
import { compareLines } from './compare-lines.ts';
import { readManifest } from './manifest.ts';
import { run } from './run.ts';
import { type Bump, bump, compareVersions, isVersion } from './semver.ts';
import { versionModule, withVersion } from './versions.ts';

/** The version that an argument asks for. @throws Error when it cannot be released */
export function versionAsked(root: string, asked: string): string {
  const { version } = readManifest(root);
  const { releases } = readChangelog(root);
  const next = ['major', 'minor', 'patch'].includes(asked) ? bump(version, asked as Bump) : asked;
  if (!isVersion(next)) throw new Error(`"${asked}" is no version; name major, minor, patch or one of the form 1.2.3.`);
  const released = releases.find(({ date }) => date !== undefined)?.name;
  if (released !== undefined && compareVersions(next, released) <= 0) {
    throw new Error(`${next} is not newer than ${released}, the last release in CHANGELOG.md.`);
  }
  if (compareVersions(next, version) < 0) throw new Error(`${next} is older than ${version} in package.json.`);
  const unreleased = releases.find(({ name }) => name === 'Unreleased');
  if (!unreleased?.sections.length) throw new Error('CHANGELOG.md has no entry under "## [Unreleased]".');
  if (run(root, 'git', 'tag', '--list', `v${next}`).trim() !== '') throw new Error(`The tag v${next} exists already.`);
  if (released !== undefined && isPatch(released, next)) rejectRemovals(root, `v${released}`);
  return next;
}

function isPatch(from: string, to: string): boolean {
  return from.slice(0, from.lastIndexOf('.')) === to.slice(0, to.lastIndexOf('.'));
}

/** @throws Error when a report in `api/` lost lines since `tag`: what is public is removed by a minor release at least */
function rejectRemovals(root: string, tag: string): void {
  const reports = run(root, 'git', 'ls-tree', '--name-only', tag, 'api/').split('\n').filter(Boolean);
  for (const file of reports) {
    const now = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
    const { removed } = compareLines(run(root, 'git', 'show', `${tag}:${file}`), now);
    if (removed.length > 0) {
      throw new Error(
        `${file} lost ${removed.length} lines since ${tag} (first: "${removed[0]?.trim()}"), so this is no patch; ` +
          'release a minor version.',
      );
    }
  }
}

/** Writes the version everywhere, gives the changelog its heading, commits and tags. Pushes and publishes nothing. */
export function prepareRelease(root: string, version: string, date: string): void {
  const repository = (readManifest(root).homepage ?? '').replace(/#.*$/, '');
  edit(root, 'package.json', text => text.replace(/^( {2}"version": ")[^"]*/m, `$1${version}`));
  // Its first two: of the lockfile itself and of the package in it.
  let left = 2;
  edit(root, 'package-lock.json', text =>
    text.replace(/("version": ")[^"]*/g, (whole, start) => (left-- > 0 ? `${start}${version}` : whole)),
  );
  edit(root, versionModule, text => withVersion(text, version));
  edit(root, 'CHANGELOG.md', text => moveUnreleased(text, version, date, repository));
  run(root, 'git', 'commit', '--all', '--message', `release: ${version}`);
  run(root, 'git', 'tag', '--annotate', `v${version}`, '--message', `v${version}`);
}

function edit(root: string, file: string, change: (text: string) => string): void {
  const path = join(root, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
