// What the npm scripts call. Plain JavaScript for any Node from 20 on, because it runs before anything is installed:
// it installs what is missing, builds what is stale, and goes on under the Node that the repository brings along.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
const [task, ...rest] = process.argv.slice(2);

const tasks = {
  /** After `npm install` and `npm ci`: a checkout is ready to be used, with nothing else to call. */
  prepare() {
    if (!existsSync(join(root, 'node_modules', 'esbuild'))) return; // installed without what builds
    build();
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
    for (const step of ['types', 'lint', 'imports']) say(`${step} …`) || run('npm', ['run', '--silent', step]);
  },
  test() {
    install();
    build();
    tasks.check();
    node('node_modules/vitest/vitest.mjs', 'run', ...rest);
  },
  /** What can be tried more often is: many more seeds, a million lobbies. `npm run soak -- test/contract` for some of it. */
  soak() {
    install();
    build();
    env.RALLYPOINT_SOAK = '1';
    env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} --max-old-space-size=8192`;
    const isWhole = rest.length === 0;
    if (isWhole) say('All of it takes some ten minutes on two cores. What fails says how to replay it.');
    node('node_modules/vitest/vitest.mjs', 'run', ...(isWhole ? filesThatSoak() : rest));
  },
  bench() {
    install();
    build();
    node('bench/main.ts', ...rest);
  },
};

function install() {
  const lock = join(root, 'package-lock.json');
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  say('Installing what is missing (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
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
  spawn('node', ['scripts/build-native.ts']);
}

/** The tests that try more when they may take longer. */
function filesThatSoak() {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  return tests
    .map(name => join('test', name))
    .filter(
      path => path.endsWith('.test.ts') && /support\/(soak|tries)\.ts'/.test(readFileSync(join(root, path), 'utf8')),
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

function node(...args) {
  run('node', args);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function spawn(command, args) {
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit', shell: process.platform === 'win32' });
}

function run(command, args) {
  const ended = spawn(command, args);
  if (ended.error) say(`${command} could not be started: ${ended.error.message}`);
  if (ended.status !== 0) process.exit(ended.status ?? 1);
}

if (!Object.hasOwn(tasks, task ?? '')) {
  say(`Usage: node scripts/run.mjs ${Object.keys(tasks).join('|')}`);
  process.exit(2);
}
tasks[task]();
