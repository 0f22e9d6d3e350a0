import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastReleased, readChangelog } from './changelog.ts';
import { readManifest } from './manifest.ts';
import type { Outcome } from './outcome.ts';
import { isVersion } from './semver.ts';

/** Where the version stands in the source. */
export const versionModule = 'src/model/version.ts';
const versionConstant = /(export const version = ')([^']*)(')/;

/** Every place that names the version names the same one; with `tag`, the release commit of that tag is checked out. */
export function checkVersions(root: string, tag: string | undefined): Outcome {
  const { version } = readManifest(root);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const released = lastReleased(readChangelog(root).releases)?.name;
  const places: readonly (readonly [string, string | undefined])[] = [
    [versionModule, versionConstant.exec(readFileSync(join(root, versionModule), 'utf8'))?.[2]],
    ['package-lock.json', lock.version],
    ['package-lock.json (packages)', lock.packages?.['']?.version],
    ...(released === undefined ? [] : [['The newest release in CHANGELOG.md', released] as const]),
  ];
  const faults = places
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place} says version ${found ?? 'none'}, package.json says ${version}.`);
  if (!isVersion(version)) faults.push(`package.json says version ${version}, which is not of the form 1.2.3.`);
  return {
    detail: tag ?? version,
    faults: [...faults, ...(tag === undefined ? [] : faultsOfTag(tag, version, released))],
  };
}

function faultsOfTag(tag: string, version: string, released: string | undefined): readonly string[] {
  if (tag !== `v${version}`)
    return [`The tag is ${tag}, but package.json says version ${version}: expected v${version}.`];
  if (released === version) return [];
  return [`CHANGELOG.md has no heading "## [${version}] - date" for the tag ${tag}.`];
}

/** The text of the version module with another version. */
export function withVersion(text: string, version: string): string {
  return text.replace(versionConstant, `$1${version}$3`);
}
