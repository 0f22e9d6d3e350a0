import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packTarball, type Tarball } from '../../scripts/pack.ts';

const root = resolve(import.meta.dirname, '../..');

/** In bytes. */
const sizeMax = { packed: 4_500_000, unpacked: 15_000_000, file: 1_500_000 };

/** Every path in the tarball matches one of these. */
const publishedPaths: readonly RegExp[] = [
  /^(package\.json|LICENSE|(README|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|SECURITY)\.md)$/,
  /^bin\/[\w-]+\.js$/,
  /^deploy\/(Dockerfile|[\w-]+\.(yaml|json|conf|service|env))$/,
  /^dist\/(esm|cjs|service|testing)\/([\w@.-]+\/)*[\w@.-]+\.(js|wasm)(\.map)?$/,
  /^dist\/service\/console\/[\w.-]+\.(html|css)$/,
  /^dist\/(cjs|types)\/package\.json$/,
  /^dist\/types\/([\w-]+\/)*[\w-]+\.d\.m?ts$/,
  /^dist\/native\/(SHA256SUMS|[\w-]+\/(rallypoint\.node|rallypoint-forwarder(\.exe)?))$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^docs\/([\w-]+\/)*[\w-]+\.(md|svg|png)$/,
  /^native\/(addon|forwarder|shared)\/([\w-]+\/)*[\w.-]+\.(cc|h|mm|def|map)$/,
  /^src\/cli\/template\/(README\.md|gitignore|(package|tsconfig|fixtures)\.json|(game|server|test)\/[\w.-]+\.(js|html))$/,
  /^native\/(README\.md|[\w-]+\.(mjs|d\.mts))$/,
];

/** Paths that no pattern above lets in by accident. */
const forbiddenPaths: readonly RegExp[] = [
  // The project that `rallypoint init` makes has a test.
  /^(?!src\/cli\/template\/test\/).*?(^|\/)(test|tests|__tests__|node_modules|build|samples|bench)\//,
  /^(?!src\/cli\/template\/test\/).*\.(test|spec)\./,
  /(^|\/)\.[^/]/,
  /\.(tgz|pem|key|p12|log|tsbuildinfo)$/,
];

/** Text that only a path of somebody's machine has. */
const localPaths: readonly RegExp[] = [
  /\/(home|Users)\/[\w.-]+\//,
  /\/root\/[\w.-]/,
  /[A-Z]:\\{1,2}Users\\/,
  // In quotation marks, as a bundler writes the file that it read.
  /["'](?:[A-Z]:)?[\\/][\w.\\/ -]*[\w.-][\\/](?:src|dist|node_modules)[\\/]/,
];

/** Text that only a secret has. */
const secrets: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\\\sn]+[A-Za-z0-9+/=]{40}/,
  'an npm token': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a GitHub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50,})\b/,
  'an AWS access key': /\bAKIA[0-9A-Z]{16}\b/,
  'a bot token': /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}\b/,
};

/** Permissive licences, by their SPDX names. */
const allowedLicences: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'Unlicense'],
]);

let scratch: string;
let tarball: Tarball;
let texts: ReadonlyMap<string, string>;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rallypoint-tarball-'));
  tarball = packTarball(root, join(scratch, 'packed'), scratch);
  texts = new Map(tarball.files.map(file => [file, readFileSync(join(tarball.folder, file), 'latin1')]));
}, 60_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The files for which `find` finds something, with what it is. */
function found(find: (text: string, file: string) => string | undefined): readonly string[] {
  return [...texts].flatMap(([file, text]) => {
    const finding = find(text, file);
    return finding === undefined ? [] : [`${finding} in ${file}`];
  });
}

it('the package has no file that is not meant to be published', () => {
  const unwanted = tarball.files.filter(
    file => forbiddenPaths.some(pattern => pattern.test(file)) || !publishedPaths.some(pattern => pattern.test(file)),
  );
  expect(unwanted).toEqual([]);
});

it('the package and each of its files are within their bounds', () => {
  const sizes = tarball.files.map(file => statSync(join(tarball.folder, file)).size);
  expect(statSync(tarball.path).size).toBeLessThanOrEqual(sizeMax.packed);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(sizeMax.unpacked);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(sizeMax.file);
});

it('the package has neither secrets nor paths of the machine that built it', () => {
  const own = [root, homedir()].filter(path => path.length > 3);
  expect(found(text => Object.keys(secrets).find(kind => secrets[kind]?.test(text)))).toEqual([]);
  expect(found(text => own.find(path => text.includes(`${path}/`) || text.includes(`${path}\\`)))).toEqual([]);
  expect(found(text => localPaths.map(pattern => pattern.exec(text)?.[0]).find(Boolean))).toEqual([]);
});

it('links of published pages lead to published files', () => {
  const isPublished = (path: string) =>
    tarball.files.some(file => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
  const broken = found((text, file) => {
    if (!file.endsWith('.md')) return undefined;
    const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
    return links.find(link => !isPublished(new URL(link, new URL(file, 'file:///')).pathname.slice(1)));
  });
  expect(broken).toEqual([]);
});

it('source maps carry their sources', () => {
  const without = [...texts].filter(([file, text]) => {
    if (!/\.[cm]?[jt]s\.map$/.test(file)) return false;
    const { sourcesContent } = JSON.parse(text) as { sourcesContent?: unknown[] };
    return !sourcesContent?.every(content => typeof content === 'string');
  });
  expect(without.map(([file]) => file)).toEqual([]);
});

it('the package says its version the same everywhere', () => {
  const { version } = JSON.parse(texts.get('package.json') ?? '');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  const command = join(tarball.folder, 'bin', 'rallypoint.js');
  expect(spawnSync(process.execPath, [command, '--version'], { encoding: 'utf8' }).stdout.trim()).toBe(version);
});

it('whatever is bundled or installed with the package has a permissive licence', () => {
  const notices = texts.get('dist/THIRD-PARTY-LICENSES.txt') ?? '';
  const bundled = [...notices.matchAll(/^(\S+) \d\S* \((.+)\)\n-{40,}$/gm)].map(([, name, licence]) => ({
    name,
    licence,
  }));
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'ws', 'pg', 'preact']));
  const { dependencies, optionalDependencies } = JSON.parse(texts.get('package.json') ?? '');
  const installed = Object.keys({ ...dependencies, ...optionalDependencies }).map(name => ({
    name,
    licence: JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).license as string,
  }));
  const isAllowed = (licence = 'none') =>
    licence
      .replace(/[()]/g, '')
      .split(/ (?:OR|AND) /)
      .every(one => allowedLicences.has(one));
  expect([...bundled, ...installed].filter(({ licence }) => !isAllowed(licence))).toEqual([]);
});
