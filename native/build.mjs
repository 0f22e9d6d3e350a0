// Builds the forwarder and the addon, by one call of a compiler for each. Plain JavaScript, because it is also started
// from an installed package, for a system that nothing was built for:
//
//     npm install --no-save node-addon-api node-api-headers
//     node node_modules/@rallypoint/sdk/native/build.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productsFor } from './targets.mjs';

const native = dirname(fileURLToPath(import.meta.url));
const root = dirname(native);
const { resolve } = createRequire(import.meta.url);

/** This machine, as a target. */
export const here = { platform: process.platform, arch: process.arch };

/** Where the files of a target belong. */
export function folderOf({ platform, arch }) {
  return join(root, 'dist', 'native', `${platform}-${arch}`);
}

/** Where the tests' build goes. */
export const sanitizedFolder = join(native, 'build', 'sanitized');

/**
 * What there is to build a target with.
 *
 * @returns `{ compiler, nodeApi }`, or `{ obstacle }`: what is missing, in half a sentence
 */
export function findTools({ platform, arch, compilers = [], debian }) {
  const isHere = platform === here.platform && arch === here.arch;
  const own = platform === 'win32' ? 'g++' : 'c++';
  const names = isHere ? [process.env.CXX || own, ...(process.env.CXX ? [] : compilers)] : compilers;
  const compiler = names.find(name => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (!compiler) return { obstacle: `${names[0]} is not installed${isHere || !debian ? '' : ` (Debian: ${debian})`}` };
  try {
    return { compiler, nodeApi: findNodeApi() };
  } catch {
    return { obstacle: 'node-addon-api and node-api-headers are not installed' };
  }
}

function findNodeApi() {
  const manifests = ['node-addon-api', 'node-api-headers'].map(name => resolve(`${name}/package.json`));
  const [addonApi, headers] = manifests.map(dirname);
  return { manifests, headers: [addonApi, join(headers, 'include')], definitions: join(headers, 'def') };
}

/**
 * Builds files into a folder, which is made if there is none. What the compiler says goes to stderr.
 *
 * @param products see `targets.mjs`
 * @param tools see {@link findTools}
 * @param options `isStrict`: warnings are errors
 * @returns whether the compiler made all of them; a file that it did not make stays as it was
 */
export function build(products, tools, folder, { isStrict = false } = {}) {
  mkdirSync(folder, { recursive: true });
  // In the same file system as the result, which is moved to its place in one step: written over, a file in use would
  // take its users down.
  const drafts = mkdtempSync(join(folder, 'draft-'));
  try {
    return products.every(product => {
      const draft = join(drafts, product.file);
      const isBuilt = compile(product, tools, draft, isStrict);
      if (isBuilt && !isSame(draft, join(folder, product.file))) renameSync(draft, join(folder, product.file));
      return isBuilt;
    });
  } finally {
    rmSync(drafts, { recursive: true, force: true });
  }
}

function compile({ sources, flags, libraries = [], nodeApi }, tools, draft, isStrict) {
  const { compiler } = tools;
  const { headers, definitions } = tools.nodeApi;
  const args = [
    ...flags,
    ...(isStrict ? ['-Werror'] : []),
    ...unnamed([...headers, root]),
    `-DRALLYPOINT_VERSION="${version()}"`,
    ...(nodeApi ? headers.flatMap(folder => ['-isystem', folder]) : []),
    ...['-o', draft, ...sources.flatMap(filesOf)],
    ...(nodeApi === 'library' ? [importLibrary(compiler, definitions, dirname(draft))] : []),
    ...libraries,
  ];
  return spawnSync(compiler, args, { cwd: native, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** So that the bytes are the same wherever a checkout or a package lies. */
function unnamed(folders) {
  return folders.flatMap((folder, index) =>
    [...new Set([folder, realpathSync(folder)])].map(path => `-ffile-prefix-map=${path}=${index}`),
  );
}

/**
 * On Windows a file says from which program it imports; whichever program has loaded the addon has Node-API's names. So
 * they are imported late, and `addon/windows_host.cc` says from where.
 */
function importLibrary(compiler, definitions, folder) {
  const names = readdirSync(definitions).flatMap(file =>
    readFileSync(join(definitions, file), 'utf8')
      .split('\n')
      .map(line => line.trim())
      .filter(line => /^(napi|node_api)_\w+$/.test(line)),
  );
  writeFileSync(join(folder, 'node.def'), ['NAME NODE.EXE', 'EXPORTS', ...new Set(names.sort()), ''].join('\n'));
  const dlltool = compiler.replace(/g\+\+(-posix)?(\.exe)?$/, 'dlltool');
  const args = ['--input-def', 'node.def', '--output-delaylib', 'node.a', '--temp-prefix', 'node'];
  const { status, error } = spawnSync(dlltool, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${dlltool} failed${error ? `: ${error.message}` : ''}`);
  return join(folder, 'node.a');
}

function filesOf(pattern) {
  const [folder, name] = [dirname(pattern), pattern.slice(pattern.lastIndexOf('/') + 1)];
  if (!name.includes('*')) return [pattern];
  const form = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return readdirSync(join(native, folder))
    .filter(file => form.test(file))
    .sort()
    .map(file => `${folder}/${file}`);
}

function isSame(draft, file) {
  return existsSync(file) && readFileSync(draft).equals(readFileSync(file));
}

function version() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Of everything that decides what is built, so that what has not changed need not be built again. */
export function fingerprint(products, { compiler, nodeApi }) {
  const hash = createHash('sha256');
  hash
    .update(spawnSync(compiler, ['--version']).stdout)
    .update(JSON.stringify(products))
    .update(version());
  const inputs = readdirSync(native, { recursive: true, encoding: 'utf8' }).filter(path =>
    /\.(cc|h|map|mjs|mm)$/.test(path),
  );
  for (const path of inputs.sort()) hash.update(path.split(sep).join('/')).update(readFileSync(join(native, path)));
  for (const manifest of nodeApi.manifests) hash.update(readFileSync(manifest));
  return hash.digest('hex');
}

/**
 * Lists the checksums of all that was built, as `sha256sum --check` reads them. Several systems' files may have been
 * built one after another, on machines of their own.
 */
export function writeChecksums() {
  const folder = join(root, 'dist', 'native');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && entry.name.startsWith('rallypoint'),
  );
  const lines = files.map(entry => {
    const path = join(entry.parentPath, entry.name);
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    return `${digest}  ${relative(folder, path).split(sep).join('/')}\n`;
  });
  const byPath = (a, b) => (a.slice(66) < b.slice(66) ? -1 : 1);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.sort(byPath).join(''));
}

function main() {
  const products = productsFor(here);
  if (products.length === 0) return fail(`Nothing was written for ${here.platform}.`);
  const tools = findTools(here);
  if (tools.obstacle) return fail(`Nothing can be built: ${tools.obstacle}. See native/README.md.`);
  if (!build(products, tools, folderOf(here))) return fail('It could not be built; what the compiler says is above.');
  writeChecksums();
  console.log(`Built ${products.map(({ file }) => file).join(' and ')} in ${folderOf(here)}.`);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
