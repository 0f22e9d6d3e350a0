#!/usr/bin/env node
// The rallypoint command. Plain JavaScript for old versions of Node.js: it goes on under one that is new enough.
import * as module from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isNewEnough, oldestNode } from './oldest-node.js';

// An import would read all that the file system has to offer, and load what nobody asked for.
const { existsSync, statSync } = module.createRequire(import.meta.url)('node:fs');
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist', 'service', 'cli.js');

if (!existsSync(program)) fail('it is not built yet; run "npm run build" first.');
else if (isNewEnough(process.version)) {
  // What was compiled once need not be compiled at every start.
  const cache = compileCacheFolder();
  if (cache !== undefined) module.enableCompileCache(cache);
  await import(pathToFileURL(program).href);
} else await continueUnderNewer();

// By default Node.js keeps what it compiled in a folder below the one for temporary files, whose name everybody knows: another
// user of the machine could be the first to make it, and have us run what is put there.
function compileCacheFolder() {
  const { HOME: home, XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: chosen, LOCALAPPDATA: local } = process.env;
  if (chosen) return chosen;
  if (process.platform === 'win32') return local && join(local, 'rallypoint', 'compiled');
  const folder = cache || (home && join(home, '.cache'));
  return folder && isAbsolute(folder) && isOurs(existsSync(folder) ? folder : home)
    ? join(folder, 'rallypoint', 'compiled')
    : undefined;
}

// Not so with sudo: whoever owns the home would decide what another user runs.
function isOurs(path) {
  try {
    return statSync(path).uid === process.geteuid();
  } catch {
    return false;
  }
}

// What only an old Node.js needs is loaded only there.
async function continueUnderNewer() {
  const [{ spawn }, { findRuntime, runtimePackage }] = await Promise.all([
    import('node:child_process'),
    import('./runtime.js'),
  ]);
  const runtime = findRuntime(root);
  if (!runtime) {
    const install = runtimePackage ? `, or run "npm install ${runtimePackage}" in your project` : '';
    fail(
      `it needs Node.js ${oldestNode} or newer, and this is ${process.version}. Install it from https://nodejs.org${install}.`,
    );
    return;
  }
  const child = spawn(runtime, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends Ctrl+C to both.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', error => fail(`${runtime} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends this process by the same signal, so that whoever waits sees how it ended.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  console.error(`rallypoint: ${message}`);
  process.exitCode = 1;
}
