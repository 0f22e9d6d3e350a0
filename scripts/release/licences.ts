import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedLicences } from './bounds.ts';
import type { Outcome } from './outcome.ts';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The licences of what a user installs with the package, and of what is bundled into it. */
export function checkLicences(root: string): Outcome {
  const installed = installedPackages(root);
  const notices = readNotices(root);
  const bundled = noticesOf(notices);
  const faults = [...installed, ...bundled].flatMap(({ name, version, licence }) => {
    if (licence === undefined) return [`${name} ${version} states no licence.`];
    if (isAllowed(licence)) return [];
    return [
      `${name} ${version} has the licence ${licence}, which is not on the allow list in scripts/release/bounds.ts.`,
    ];
  });
  const noticed = new Set(bundled.map(({ name }) => name));
  const unnoticed = bundledNames(root).filter(name => !noticed.has(name));
  return {
    detail: `${installed.length} installed, ${bundled.length} bundled`,
    faults: [
      ...new Set(faults),
      ...(notices === undefined ? ['dist/THIRD-PARTY-LICENSES.txt is missing; run "npm run build".'] : []),
      ...unnoticed.map(name => `${name} is bundled, but dist/THIRD-PARTY-LICENSES.txt does not name it.`),
    ],
  };
}

/** SPDX expressions of `OR` and `AND`: of alternatives one must be allowed, of parts each. */
export function isAllowed(expression: string): boolean {
  const bare = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (/\bOR\b/.test(bare)) return bare.split(/\bOR\b/).some(isAllowed);
  if (/\bAND\b/.test(bare)) return bare.split(/\bAND\b/).every(isAllowed);
  return allowedLicences.has(bare.trim());
}

/** What `npm install` of the package brings, for every platform, as the lockfile resolves it. */
function installedPackages(root: string): readonly Package[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = lock.packages as Readonly<Record<string, LockedPackage>>;
  const found = new Set<string>();
  const visit = (from: string) => {
    for (const name of namesNeededBy(packages[from] ?? {})) {
      const place = placeOf(name, from, packages);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      visit(place);
    }
  };
  visit('');
  return [...found].map(place => {
    const { version = '?', license } = packages[place] ?? {};
    return { name: nameOf(place), version, licence: statedLicence(root, place) ?? license };
  });
}

function namesNeededBy(locked: LockedPackage): readonly string[] {
  const peers = Object.keys(locked.peerDependencies ?? {});
  const needed = peers.filter(name => !locked.peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), ...needed];
}

/** As Node looks for a package: beside the one that needs it, then further up. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, unknown>>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (Object.hasOwn(packages, place)) return place;
    if (folder === '') return undefined;
  }
}

/** What the package itself says, where it is installed: the lockfile may be older than its licence. */
function statedLicence(root: string, place: string): string | undefined {
  const path = join(root, place, 'package.json');
  if (!existsSync(path)) return undefined;
  const { license } = JSON.parse(readFileSync(path, 'utf8')) as { license?: unknown };
  return typeof license === 'string' ? license : undefined;
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function readNotices(root: string): string | undefined {
  const path = join(root, 'dist', 'THIRD-PARTY-LICENSES.txt');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The packages that the build wrote a heading for: name, version and licence, over a line. */
function noticesOf(notices: string | undefined): readonly Package[] {
  const headings = (notices ?? '').matchAll(/^(?<name>\S+) (?<version>\d\S*) \((?<licence>.+)\)\n-{40,}$/gm);
  return [...headings].map(({ groups }) => {
    const { name = '', version = '', licence = 'undefined' } = groups ?? {};
    return { name, version, licence: licence === 'undefined' ? undefined : licence };
  });
}

/** The packages that the built files themselves name, in the comments that esbuild writes. */
function bundledNames(root: string): readonly string[] {
  const names = new Set<string>();
  for (const file of globSync('dist/{esm,cjs,service}/**/*.{js,cjs,mjs}', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name] of text.matchAll(/^\/\/ (?:\S*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm)) {
      if (name) names.add(name);
    }
  }
  return [...names];
}
