import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { forbiddenPaths, localPaths, publishedPaths, secrets, tarballMax } from './bounds.ts';
import { readManifest } from './manifest.ts';
import type { Outcome } from './outcome.ts';
import { packedManifest } from './packed-manifest.ts';
import { run } from './run.ts';

/** The package as it would be published, packed and unpacked again. */
export interface Tarball {
  readonly path: string;
  /** Where its content lies. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Packs what is built into `folder`, without running any script, and unpacks it in `scratch`. It is packed twice, because the package
 * has another package.json than the checkout, which stays as it is.
 */
export function packTarball(root: string, folder: string, scratch: string): Tarball {
  mkdirSync(folder, { recursive: true });
  const first = pack(root, scratch);
  // By its name alone: some programs of that name read "C:" as the name of a host.
  run(scratch, 'tar', '-xzf', first.filename);
  rmSync(join(scratch, first.filename));
  const unpacked = join(scratch, 'package');
  const manifest = join(unpacked, 'package.json');
  writeFileSync(manifest, packedManifest(readFileSync(manifest, 'utf8')));
  const packed = pack(unpacked, folder);
  const files = packed.files.map(({ path }) => path);
  return { path: join(folder, packed.filename), folder: unpacked, files };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function pack(root: string, folder: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [packed] = JSON.parse(run(root, 'npm', ...args)) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing.');
  return packed;
}

/** Nothing is in it that should not be, and all of it is within its bounds. */
export function checkTarball(root: string, { path, folder, files }: Tarball): Outcome {
  const sizes = files.map(file => statSync(join(folder, file)).size);
  const [packed, unpacked] = [statSync(path).size, sizes.reduce((sum, size) => sum + size, 0)];
  const unwanted = files.filter(
    file => forbiddenPaths.some(pattern => pattern.test(file)) || !publishedPaths.some(pattern => pattern.test(file)),
  );
  const texts = files.map(file => readFileSync(join(folder, file), 'latin1'));
  return {
    detail: `${files.length} files, ${inMegabytes(packed)} packed, ${inMegabytes(unpacked)} unpacked`,
    faults: [
      ...faultsOfBuild(root, folder),
      ...together(unwanted, names => `Not meant to be published: ${names}; leave it out by "files" in package.json.`),
      ...faultsOfMaps(files, texts),
      ...together(brokenLinks(files, texts), links => `Links in the package lead out of it: ${links}.`),
      ...filesByFinding(files, texts, text => localPathIn(root, text)).flatMap(([path, inFiles]) =>
        together(inFiles, names => `A path of a machine (${path}) is in ${names}.`),
      ),
      ...filesByFinding(files, texts, secretIn).flatMap(([kind, inFiles]) =>
        together(inFiles, names => `What looks like ${kind} is in ${names}.`),
      ),
      ...files.flatMap((file, index) => tooBig(file, sizes[index] ?? 0, tarballMax.file)),
      ...tooBig('The packed package', packed, tarballMax.packed),
      ...tooBig('The unpacked package', unpacked, tarballMax.unpacked),
      ...(files.length > tarballMax.files
        ? [`The package has ${files.length} files; the bound in scripts/release/bounds.ts is ${tarballMax.files}.`]
        : []),
    ],
  };
}

/** What is packed was built from what is checked out. */
function faultsOfBuild(root: string, folder: string): readonly string[] {
  const { version } = readManifest(root);
  const packed = run(folder, process.execPath, join('bin', 'rallypoint.js'), '--version').trim();
  if (packed === version) return [];
  return [`The packed command says version ${packed}, package.json says ${version}; run "npm run build".`];
}

/** The files in which the same was found, by what was found. */
function filesByFinding(
  files: readonly string[],
  texts: readonly string[],
  find: (text: string) => string | undefined,
): readonly (readonly [string, readonly string[]])[] {
  const found = files.map((file, index) => ({ file, finding: find(texts[index] ?? '') }));
  const { '': _, ...groups } = Object.groupBy(found, ({ finding = '' }) => finding);
  return Object.entries(groups).map(([finding, group = []]) => [finding, group.map(({ file }) => file)]);
}

function secretIn(text: string): string | undefined {
  return Object.keys(secrets).find(kind => secrets[kind]?.test(text));
}

/** A path of somebody's machine: of this checkout, of this user, or of anybody's home. */
function localPathIn(root: string, text: string): string | undefined {
  const own = [root, homedir()].find(
    path => path.length > 3 && (text.includes(`${path}/`) || text.includes(`${path}\\`)),
  );
  return own ?? localPaths.map(pattern => pattern.exec(text)?.[0]).find(Boolean);
}

/** A source map carries its sources, or the package does. */
function faultsOfMaps(files: readonly string[], texts: readonly string[]): readonly string[] {
  const published = new Set(files);
  const lacking = files.filter(
    (file, index) => /\.[cm]?[jt]s\.map$/.test(file) && !hasSources(file, texts[index] ?? '', published),
  );
  return together(lacking, names => `The sources of source maps are not in the package: ${names}.`);
}

function hasSources(file: string, text: string, published: ReadonlySet<string>): boolean {
  const { sources = [], sourcesContent } = JSON.parse(text) as { sources?: string[]; sourcesContent?: unknown[] };
  if (sourcesContent?.every(content => typeof content === 'string')) return true;
  const base = new URL(file, 'file:///');
  return sources.every(source => published.has(new URL(source, base).pathname.slice(1)));
}

/** The links of published pages to files that are not published with them. */
function brokenLinks(files: readonly string[], texts: readonly string[]): readonly string[] {
  const isThere = (path: string) => files.some(file => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
  return files.flatMap((file, index) => {
    if (!file.endsWith('.md')) return [];
    const links = (texts[index] ?? '').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g);
    return [...links].flatMap(([, link = '']) => {
      const path = new URL(link, new URL(file, 'file:///')).pathname.slice(1);
      return isThere(path) ? [] : [`${link} in ${file}`];
    });
  });
}

/** One sentence for a list, however long it is; none for an empty one. */
function together(names: readonly string[], sentence: (names: string) => string): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return [sentence(names.slice(0, 3).join(', ') + more)];
}

function tooBig(what: string, size: number, max: number): readonly string[] {
  if (size <= max) return [];
  return [`${what} has ${inMegabytes(size)}; the bound in scripts/release/bounds.ts is ${inMegabytes(max)}.`];
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
