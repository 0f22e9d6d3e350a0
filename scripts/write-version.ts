import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The changelog after a release: what was unreleased stands under the version, above it is a new empty heading. */
export function moveUnreleased(text: string, version: string, date: string): string {
  const repository = /^\[Unreleased\]: (.*)\/(?:compare|commits)\//m.exec(text)?.[1];
  if (repository === undefined) throw new Error('CHANGELOG.md needs a link definition "[Unreleased]: …/compare/…".');
  const [, entries = ''] = /^## \[Unreleased\]$([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(text) ?? [];
  if (!/^- /m.test(entries)) throw new Error('CHANGELOG.md has no entry under "## [Unreleased]".');
  const links = `[Unreleased]: ${repository}/compare/v${version}...HEAD\n[${version}]: ${repository}/releases/tag/v${version}`;
  return text
    .replace(/^\[Unreleased\]: .*$/m, links)
    .replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`);
}

/** `npm version` calls it between writing package.json and the commit: the version stands in two more files. */
if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const root = dirname(import.meta.dirname);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')));
  edit('CHANGELOG.md', text => moveUnreleased(text, version, new Date().toISOString().slice(0, 10)));
  edit('src/model/version.ts', text => text.replace(/(export const version = ')[^']*/, `$1${version}`));
}
