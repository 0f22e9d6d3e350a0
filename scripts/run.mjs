// What the npm scripts call. Plain JavaScript for any Node from 20 on, because it runs before anything is installed:
// it installs what is missing, builds what is stale, and goes on under the Node that the repository brings along.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewEnough, oldestNode } from '../bin/oldest-node.js';
import { findRuntime } from '../bin/runtime.js';
import { missingPackages, nameAt } from './missing-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockfile = join(root, 'package-lock.json');
/** What install() left behind: the lockfile's digest, and what npm could not install from it. */
const installedStamp = join(root, 'node_modules', '.rallypoint-installed');
const bin = join(root, 'node_modules', '.bin');
// npm puts the repository's own Node.js first on PATH, so under npm this script runs on that one, whatever npm runs on.
const systemNode =
  process.env.RALLYPOINT_NODE === 'system' ? (process.env.npm_node_execpath ?? process.execPath) : undefined;
const path = [...(systemNode ? [dirname(systemNode)] : []), bin, process.env.PATH ?? ''];
const env = { ...process.env, PATH: path.join(delimiter) };
const [task, ...rest] = process.argv.slice(2);

/**
 * What says how the service behaves from outside, and the properties of its features; the store and the bus have suites of their own,
 * and `test/cluster` has several nodes. Left out is what has a data folder, a gateway put together for one process, or looks at the
 * embedded engine itself; and for its time the rest of the features, of HTTP and of telemetry, which no engine changes.
 */
const sharedSuites = [
  'test/contract',
  'test/clients',
  'test/service/features/oauth',
  ...[
    ...['accounts/routes', 'commands/routes', 'commands/command-', 'commands/guild-commands', 'guilds/routes'],
    ...['interactions/routes', 'interactions/interaction-files', 'interactions/webhooks'],
    ...['lobbies/routes', 'lobbies/player-lobbies'],
  ].map(path => `test/service/features/${path}`),
  'test/backend/fleet/fleet.property',
  ...[
    ...['control/console', 'control/service', 'control/world', 'gateway/protocol', 'http/limiter', 'http/blocklist'],
    ...['backlog', 'etf/connection'].map(name => `gateway/connection/${name}`),
    ...['guilds', 'identify-budget', 'requests', 'resume', 'voice'].map(name => `gateway/sessions/${name}`),
    ...['commands/commands', 'commands/command-scopes', 'lobbies/events', 'social/messages'].map(
      name => `features/${name}.property`,
    ),
  ].map(path => `test/service/${path}`),
];

const tasks = {
  /** npm calls this at the end of `npm install` and `npm ci`, so that a checkout is ready to use. */
  prepare() {
    if (env.RALLYPOINT_INSTALLING === '1') return; // install() below builds next, where its output can be read
    const missing = missingPackages(root);
    if (missing.length === 0) build();
    else say(`Not built yet, because ${describe(missing)}. "npm start" and "npm test" install the rest.`);
  },
  build() {
    install();
    node('scripts/build.ts');
    buildNative();
  },
  start() {
    install();
    build();
    node('samples/quickstart/main.ts', ...rest);
  },
  /** The service, a game's server and the game itself, in Electron or what stands in for it: samples/electron-lobby. */
  sample() {
    install();
    build();
    node('samples/electron-lobby/run.ts', ...rest);
  },
  check() {
    install();
    for (const step of ['types', 'lint', 'imports']) say(`${step} …`) || npm(['run', '--silent', step]);
  },
  test() {
    install();
    build();
    tasks.check();
    vitest([], rest);
  },
  /** The package as its users install it: test/package/matrix. */
  'test:package'() {
    install();
    build();
    node('test/package/matrix/main.ts', ...rest);
  },
  /** The suites of the interface, its properties and other people's clients, with services on PostgreSQL and Redis. */
  'test:engines'() {
    install();
    build();
    env.RALLYPOINT_TEST_ENGINES = 'shared';
    const files = rest.length > 0 ? rest : sharedSuites;
    vitest(['--project', 'together'], files);
  },
  /**
   * What can be tried more often is: many more seeds, a million lobbies. `npm run soak -- test/contract` for some of it; with
   * `--seed N` what is random is what it was when N was told.
   */
  soak() {
    install();
    build();
    env.RALLYPOINT_SOAK = '1';
    const seedAt = rest.indexOf('--seed');
    if (seedAt >= 0) env.RALLYPOINT_SEED = rest.splice(seedAt, 2)[1] ?? '';
    env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} --max-old-space-size=8192`;
    const isWhole = rest.length === 0;
    if (isWhole) say('All of it takes some twenty minutes on two cores. What fails says how to replay it.');
    vitest([], isWhole ? filesThatSoak() : rest);
  },
  /** Writes the reports of all public types, in docs/api/. */
  api() {
    install();
    build();
    node('scripts/api.ts', ...rest);
  },
  bench() {
    install();
    build();
    node('bench/main.ts', ...rest);
  },
};

function install() {
  const reason = whyInstall();
  if (reason === undefined) return;
  // npm would empty the folder that it leads to, which is another checkout's.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    say(`Not installed, because node_modules is a link: ${reason}.`);
    return;
  }
  say(`Installing (npm ci): ${reason} …`);
  // Whatever npm's settings or NODE_ENV leave out otherwise.
  const everything = ['--include=dev', '--include=optional', '--include=peer'];
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  npm(['ci', ...everything, ...quietly], { RALLYPOINT_INSTALLING: '1' });
  writeFileSync(installedStamp, JSON.stringify({ lock: lockDigest(), missing: missingPackages(root) }));
}

/** Undefined when everything is installed. What npm could not install once from the same lockfile is not tried again. */
function whyInstall() {
  const npmRecord = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(npmRecord)) return 'nothing is installed yet';
  const last = existsSync(installedStamp) ? JSON.parse(readFileSync(installedStamp, 'utf8')) : undefined;
  const isCurrent = last?.lock === lockDigest();
  if (!isCurrent && statSync(npmRecord).mtimeMs < statSync(lockfile).mtimeMs) return 'package-lock.json has changed';
  const missing = missingPackages(root).filter(path => !isCurrent || !last.missing.includes(path));
  return missing.length === 0 ? undefined : describe(missing);
}

function lockDigest() {
  return createHash('sha256').update(readFileSync(lockfile)).digest('hex');
}

function describe(missing) {
  const [first, ...others] = missing.map(nameAt);
  return others.length === 0 ? `${first} is missing` : `${first} and ${others.length} more packages are missing`;
}

function build() {
  if (!existsSync(join(root, 'dist', 'stamp')) || newest('src', 'scripts', 'package.json') > mtime('dist/stamp')) {
    say('Building …');
    node('scripts/build.ts');
  }
  buildNative();
}

/** Decides by itself what is stale, and says why it could not build; the SDK works without. */
function buildNative() {
  spawn(runtime(), ['scripts/build-native.ts']);
}

/** The tests that try more when they may take longer. */
function filesThatSoak() {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  return tests
    .map(name => join('test', name))
    .filter(
      path =>
        path.endsWith('.test.ts') && /support\/runs\/(soak|tries)\.ts'/.test(readFileSync(join(root, path), 'utf8')),
    );
}

function newest(...paths) {
  return Math.max(...paths.map(path => (statSync(join(root, path)).isDirectory() ? newestIn(path) : mtime(path))));
}

function newestIn(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return Math.max(mtime(folder), ...entries.map(entry => newest(join(folder, entry.name))));
}

function mtime(path) {
  return statSync(join(root, path)).mtimeMs;
}

/**
 * Runs a script under the Node.js that the repository brings along, or under the one that runs this where npm has none for
 * the platform or RALLYPOINT_NODE is `system`.
 */
function node(...args) {
  run(runtime(), args);
}

/** With more failed files than this the fault is not the machine's. */
const secondRunMax = 5;

/**
 * Runs tests. With RALLYPOINT_TEST_RETRIES the files that failed run a second time, in new processes: a test that is tried
 * again within its file cannot succeed once a program that the file started has crashed.
 */
function vitest(options, files) {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-tests-'));
  const list = join(folder, 'failed.json');
  const runFiles = paths =>
    spawn(runtime(), ['node_modules/vitest/vitest.mjs', 'run', ...options, ...paths], {
      env: { ...env, RALLYPOINT_FAILED_FILES: list },
    }).status ?? 1;
  let status = runFiles(files);
  const failed = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const isTriedAgain =
    Number(env.RALLYPOINT_TEST_RETRIES ?? 0) > 0 && failed.length > 0 && failed.length <= secondRunMax;
  if (status !== 0 && isTriedAgain) {
    say(`Running a second time, in new processes: ${failed.join(', ')} …`);
    status = runFiles(failed);
    if (status === 0) say(`Passed only in a second run: ${failed.join(', ')}`);
  }
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) process.exit(status);
}

function runtime() {
  const own = systemNode === undefined ? findRuntime(root) : undefined;
  if (own !== undefined) return own;
  const node = systemNode ?? process.execPath;
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (isNewEnough(version)) return node;
  say(`Node.js ${oldestNode} or newer is needed, and this is ${version}. Install a newer one and try again.`);
  process.exit(1);
}

/** Calls the npm that called this script; `npm` itself is a shell script on Windows, which needs a shell. */
function npm(args, environment = {}) {
  const { npm_execpath: program } = process.env;
  const own = { env: { ...env, ...environment } };
  if (program !== undefined && /\.c?js$/.test(program)) run(process.execPath, [program, ...args], own);
  else run('npm', args, { ...own, shell: process.platform === 'win32' });
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function spawn(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit', ...options });
}

function run(command, args, options) {
  const ended = spawn(command, args, options);
  if (ended.error) say(`${command} could not be started: ${ended.error.message}`);
  if (ended.status !== 0) process.exit(ended.status ?? 1);
}

if (!Object.hasOwn(tasks, task ?? '')) {
  say(`Usage: node scripts/run.mjs ${Object.keys(tasks).join('|')}`);
  process.exit(2);
}
tasks[task]();
