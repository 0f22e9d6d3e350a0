// Runs the README's two commands the way a stranger's machine would: each time in a fresh clone of the last commit, with
// an empty npm cache, an empty home folder, and less on the machine than developers have. Plain JavaScript for any Node
// from 20 on, because it must run before anything is installed. For Linux.
//
//   node scripts/try-surroundings.mjs            all of them
//   node scripts/try-surroundings.mjs --list     their names
//   node scripts/try-surroundings.mjs no-compiler umask-077
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isRoot = process.getuid?.() === 0;
/** A user who owns nothing on this machine. */
const stranger = 65_534;

const compilers =
  /^(.*-)?(c\+\+|g\+\+|gcc|cc|cpp|clang|clang\+\+|ld|as|make|gmake|cmake|ninja|c89|c99)(-[\d.]+|-posix|-win32)*$/;
const desktopPrograms =
  /^(chromium|chrome|google-chrome|msedge|firefox|dbus-|gnome-keyring|xdg-|gio$|gapplication|desktop-file-|update-desktop-database|Xvfb|xvfb-run)/;
const platformPrograms = /^(wine|qemu-)/;
const noLibsecret = { PKG_CONFIG_LIBDIR: '/nonexistent' };
const start = ['start', '--', '--once'];
const test = ['test'];
const bare = { env: noLibsecret, hidden: [compilers, desktopPrograms, platformPrograms] };

/**
 * - `env`: variables beside the usual ones
 * - `hidden`: programs that are not on PATH
 * - `stubbed`: in their place are files that exit with 127, as distributions put them where a package is missing
 * - `before`: what npm is asked first
 * - `folder`: the name of the checkout
 * - `umask`: of everything that runs
 * - `node`: the version of the system's Node.js
 * - `parentMode`: of the folder that the checkout lies in
 * - `asStranger`: runs as another user, after this one's tests have run
 * - `commands`: what npm is asked; each must exit with 0
 */
const surroundings = {
  'no-libsecret': { env: noLibsecret, commands: [start] },
  'no-compiler': { hidden: [compilers], commands: [start] },
  'no-desktop': { hidden: [desktopPrograms], commands: [start] },
  'omit-optional': { before: ['ci', '--omit=optional'], commands: [start] },
  'ignore-scripts': { before: ['ci', '--ignore-scripts'], commands: [start] },
  'odd-path': { folder: 'mit Zwischenraum und ß', commands: [start] },
  'umask-077': { umask: 0o077, commands: [start] },
  'node-20': { node: '20', commands: [start] },
  // Types are checked against the built package: `npm ci` alone must have built it.
  'node-20-npm-ci': { node: '20', commands: [['ci'], ['run', 'types']] },
  'node-22.13': { node: '22.13', commands: [start] },
  'whole-test': { ...bare, stubbed: true, parentMode: 0o700, commands: [start, test] },
  'whole-test-as-another-user': { ...bare, asStranger: true, commands: [start, test] },
};

/** Programs of which a stub is there even where the machine has none of them. */
const stubs = ['chromium', 'xdg-open', 'dbus-run-session', 'cc', 'c++', 'make'];

const names = process.argv.slice(2);
const unknown = names.filter(name => !Object.hasOwn(surroundings, name));
if (process.platform !== 'linux') fail('this script needs Linux: it hides programs by a PATH of links.');
else if (names.includes('--list')) console.log(Object.keys(surroundings).join('\n'));
else if (unknown.length > 0) fail(`unknown surroundings: ${unknown.join(', ')}. --list prints the known ones.`);
else await tryAll(names.length === 0 ? Object.keys(surroundings) : names);

async function tryAll(chosen) {
  const results = [];
  // The story leaves one core free; the tests take both.
  const isWhole = name => surroundings[name].commands.includes(test);
  const [whole, short] = [chosen.filter(isWhole), chosen.filter(name => !isWhole(name))];
  const workers = [short.values()].flatMap(queue => [queue, queue]);
  for (const queues of [workers, [whole.values()]]) {
    await Promise.all(
      queues.map(async queue => {
        for (const name of queue) results.push(await tryOne(name));
      }),
    );
  }
  console.log(`\n${'surroundings'.padEnd(28)} ${'result'.padEnd(8)} seconds`);
  for (const { name, problem, seconds } of results) {
    const result = problem === undefined ? 'passed' : 'FAILED';
    console.log(`${name.padEnd(28)} ${result.padEnd(8)} ${String(seconds).padStart(7)}  ${problem ?? ''}`);
  }
  if (results.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

async function tryOne(name) {
  const started = performance.now();
  const wanted = surroundings[name];
  console.log(`${name} …`);
  const place = mkdtempSync(join(tmpdir(), 'rallypoint-surroundings-'));
  try {
    const problem = wanted.asStranger && !isRoot ? 'only root can run it as another user' : await run(wanted, place);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${name}: ${problem ?? 'passed'} (${seconds} s)`);
    return { name, problem, seconds };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Undefined when everything passed, otherwise what did not; its output has been printed then. */
async function run(wanted, place) {
  chmodSync(place, wanted.parentMode ?? 0o755);
  const checkout = join(place, wanted.folder ?? 'rallypoint');
  const home = join(place, 'home');
  for (const folder of [home, join(place, 'npm-cache')]) mkdirSync(folder);
  const clone = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', root, checkout], { encoding: 'utf8' });
  if (clone.status !== 0) return `git clone failed: ${clone.stderr}`;
  const path = await searchPath(wanted, place);
  if (path === undefined) return `Node.js ${wanted.node} could not be installed`;
  if (wanted.asStranger) giveTo(stranger, place);
  const owner = wanted.asStranger ? { uid: stranger, gid: stranger } : {};
  const env = { ...environment(), HOME: home, npm_config_cache: join(place, 'npm-cache'), PATH: path, ...wanted.env };
  for (const command of [...(wanted.before ? [wanted.before] : []), ...wanted.commands]) {
    const { status, output } = await npm(command, { cwd: checkout, env, ...owner }, wanted.umask);
    if (status === 0) continue;
    console.log(output.split('\n').slice(-120).join('\n'));
    return `npm ${command.join(' ')} ended with ${status}`;
  }
  return undefined;
}

/** Everything but what belongs to a person's session, and what npm told the script that called this one. */
function environment() {
  const personal =
    /^(npm_(?!config_(registry|cafile|nodedir)$)|XDG_|DBUS_|DISPLAY$|WAYLAND_|RALLYPOINT_(?!TEST_RETRIES$)|NODE_(?!EXTRA_CA_CERTS$)|INIT_CWD$|CHROMIUM$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !personal.test(name)));
}

/** A PATH without the hidden programs, and with the wanted Node.js first; undefined when npm cannot install that one. */
async function searchPath({ hidden = [], stubbed = false, node }, place) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'));
  const shown = hidden.length === 0 ? folders : [linksTo(folders, hidden, join(place, 'bin'), stubbed)];
  if (node === undefined) return shown.join(delimiter);
  const name = `node-linux-${process.arch}`;
  const args = ['install', '--no-audit', '--no-save', '--prefix', join(place, 'node'), `${name}@${node}`];
  const { status, output } = await npm(args, { cwd: place, env: environment() });
  if (status !== 0) console.log(output);
  return status === 0 ? [join(place, 'node/node_modules', name, 'bin'), ...shown].join(delimiter) : undefined;
}

function linksTo(folders, hidden, into, stubbed) {
  mkdirSync(into);
  const programs = new Map(
    folders.toReversed().flatMap(folder => entriesOf(folder).map(name => [name, resolve(folder, name)])),
  );
  for (const [name, path] of programs) {
    if (!hidden.some(pattern => pattern.test(name))) symlinkSync(path, join(into, name));
    else if (stubbed) writeStub(join(into, name));
  }
  if (stubbed) for (const name of stubs) writeStub(join(into, name));
  return into;
}

/** In place of a link, not in the file that it leads to. */
function writeStub(path) {
  rmSync(path, { force: true });
  writeFileSync(path, '#!/bin/sh\nexit 127\n', { mode: 0o755 });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function giveTo(user, path) {
  const { error } = spawnSync('chown', ['--recursive', `${user}:${user}`, path]);
  if (error) throw error;
  chownSync(path, user, user);
  if (statSync(path).uid !== user) throw new Error(`${path} could not be given to user ${user}`);
}

/** Runs npm to its end, 25 minutes at most, and collects what it prints. */
function npm(args, options, umask) {
  const command =
    umask === undefined ? ['npm', ...args] : ['sh', '-c', `umask ${umask.toString(8)} && exec npm "$@"`, 'sh', ...args];
  const child = spawn(command[0], command.slice(1), {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 1_500_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output = `${output}${text}`.slice(-400_000);
    });
  }
  return new Promise(done => {
    child.on('error', error => done({ status: error.message, output }));
    child.on('close', (code, signal) => done({ status: code ?? signal, output }));
  });
}

function fail(message) {
  console.error(`try-surroundings: ${message}`);
  process.exitCode = 2;
}
