import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Builds what is in native/ for this machine, when it changed since, and copies it to dist/native/<platform>-<arch>/.
 * With `--sanitized` builds the forwarder and the tests of the addon's sources under address, leak and
 * undefined-behaviour sanitizers, into native/build/Debug/.
 *
 * Without a compiler it says so in one line and exits 0: the SDK has other ways. Exits 1 when the compiler refuses.
 */
const root = dirname(import.meta.dirname);
const native = join(root, 'native');
const sanitized = process.argv.includes('--sanitized');
const configuration = sanitized ? 'Debug' : 'Release';
const output = join(native, 'build', configuration);
const exe = process.platform === 'win32' ? '.exe' : '';
const targets = [...(sanitized ? ['native-test'] : []), 'rallypoint', 'rallypoint-forwarder'];
const products = [...(sanitized ? ['native-test'] : []), 'rallypoint.node', `rallypoint-forwarder${exe}`];
const gyp = join(root, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');

const obstacle = findObstacle();
if (obstacle !== undefined) {
  console.error(`The native part is not built: ${obstacle}. The SDK works without it, see native/README.md.`);
} else if (isStale() && !compile()) {
  console.error('The native part could not be compiled; what the compiler says is above. The SDK works without it.');
  process.exitCode = 1;
} else if (!sanitized) {
  publish();
}

function findObstacle(): string | undefined {
  if (!existsSync(gyp)) return 'node-gyp is not installed';
  // On Windows node-gyp itself knows best where Visual Studio is.
  if (process.platform === 'win32')
    return gypFails(['configure', '--loglevel=silent']) ? 'no Visual Studio' : undefined;
  const missing = [process.env.CXX ?? 'c++', 'make', process.env.PYTHON ?? 'python3'].find(
    program => !isInstalled(program),
  );
  return missing === undefined ? undefined : `${missing} is not installed`;
}

function isInstalled(program: string): boolean {
  const folders = program.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some(folder => isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function compile(): boolean {
  console.error(`Building the native part${sanitized ? ' under sanitizers' : ''} …`);
  // Tests are described to every configuration, because all share one description.
  const failed =
    gypFails(['configure', '--', '-Dtests=1']) || gypFails(['build', ...(sanitized ? ['--debug'] : []), ...targets]);
  if (!failed) writeFileSync(stamp(), fingerprint());
  return !failed;
}

function gypFails(args: readonly string[]): boolean {
  const [command, ...rest] = args;
  const given = [gyp, command ?? '', '--silent', '--directory', native, ...nodeHeaders(), ...rest];
  return spawnSync(process.execPath, given, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0;
}

/** Headers that are here already, so that none are downloaded: npm's own setting, or those beside this Node. */
function nodeHeaders(): readonly string[] {
  const beside = dirname(dirname(process.execPath));
  const folder =
    process.env.npm_config_nodedir ?? (existsSync(join(beside, 'include/node/node_api.h')) ? beside : undefined);
  return folder === undefined ? [] : ['--nodedir', folder];
}

function isStale(): boolean {
  const built = products.every(file => existsSync(join(output, file)));
  return !built || !existsSync(stamp()) || readFileSync(stamp(), 'utf8') !== fingerprint();
}

function stamp(): string {
  return join(output, 'stamp');
}

/** Of all that decides what is built. */
function fingerprint(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.env.CXX ?? ''}`);
  const inputs = globSync('native/**/*.{gyp,h,cc,mm}', { cwd: root, exclude: name => name === 'build' });
  const manifests = ['package.json', 'node_modules/node-addon-api/package.json', 'scripts/build-native.ts'];
  for (const file of [...inputs.sort(), ...manifests]) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function publish(): void {
  const folder = join(root, 'dist', 'native', `${process.platform}-${process.arch}`);
  mkdirSync(folder, { recursive: true });
  for (const file of products) {
    const [from, to] = [join(output, file), join(folder, file)];
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue;
    // In one step, because what is replaced may be in use: written over, it would take its users down.
    copyFileSync(from, `${to}.new`);
    renameSync(`${to}.new`, to);
  }
}
