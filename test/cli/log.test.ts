import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../support/runs/parts.ts';

const [linux, posix] = [await needs('linux'), await needs('posix')];
const log = join(import.meta.dirname, '../../src/cli/log.ts');

/** What a process writes on stderr, line by line; it is run to its end. */
async function linesOf(level: string, program: string, from = log): Promise<Record<string, unknown>[]> {
  const source = `import { openLog } from ${JSON.stringify(from)}; const log = openLog('${level}'); ${program}`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source]);
  const { stderr } = await run.catch((failed: { stderr: string }) => failed);
  return stderr
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

describe('the log of the command', () => {
  it('writes one object a line, in order, with the error that a line is about', async () => {
    const lines = await linesOf(
      'info',
      "log.info({ n: 1 }, 'first'); log.warn({ n: 2 }, 'second'); setTimeout(() => log.error({ err: new Error('why') }, 'third'), 200);",
    );
    expect(lines).toMatchObject([
      { level: 30, n: 1, msg: 'first' },
      { level: 40, n: 2, msg: 'second' },
      { level: 50, err: { message: 'why' }, msg: 'third' },
    ]);
  });

  it('logs the cause of an error under any field name, also before the library is loaded', async () => {
    const error = "new TypeError('why', { cause: Object.assign(new Error('disk full'), { code: 'ENOSPC' }) })";
    const report = {
      class: 'TypeError',
      message: 'why',
      stack: expect.stringContaining('at '),
      cause: { class: 'Error', code: 'ENOSPC', message: 'disk full' },
    };
    for (const end of ['', 'process.exit(1);']) {
      const lines = await linesOf('info', `log.error({ route: 'x', error: ${error} }, 'failed'); ${end}`);
      expect(lines).toMatchObject([{ route: 'x', error: report, msg: 'failed' }]);
    }
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['fatal', []],
    ['silent', []],
  ])('at %s writes %j', async (level, heard) => {
    const program = "for (const name of ['debug', 'info', 'warn', 'error']) log[name]({}, name);";
    expect((await linesOf(level, program)).map(({ msg }) => msg)).toEqual(heard);
  });

  it('works bundled, with its library in a chunk of its own', async () => {
    const outdir = mkdtempSync(join(tmpdir(), 'rallypoint-log-'));
    onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
    const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    const platform = { bundle: true, platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' } } as const;
    await build({ ...platform, entryPoints: [log], outdir, splitting: true, banner: { js } });
    const lines = await linesOf('info', "log.info({ n: 1 }, 'first');", join(outdir, 'log.mjs'));
    expect(lines).toMatchObject([{ level: 30, n: 1, msg: 'first' }]);
  });

  it('loses nothing when the process ends immediately', async () => {
    for (const end of ['process.exit(1)', "throw new Error('at once')"]) {
      expect(await linesOf('info', `log.info({ n: 1 }, 'last words'); ${end};`)).toMatchObject([
        { level: 'info', n: 1, msg: 'last words' },
      ]);
    }
  });

  it('goes on in plain lines while its library cannot be loaded, as when too many files are open', async () => {
    const hooks = `import { registerHooks } from 'node:module'; let isMissing = true;
      registerHooks({ resolve(name, context, next) {
        if (name === 'pino' && isMissing) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
        return next(name, context);
      } });`;
    const program = `log.warn({ n: 1 }, 'first'); await new Promise(setImmediate); await new Promise(setImmediate);
      log.warn({ n: 2 }, 'second'); await new Promise(setImmediate); await new Promise(setImmediate);
      isMissing = false; log.warn({ n: 3 }, 'third');`;
    expect(await linesOf('info', `${hooks} ${program}`)).toMatchObject([
      { level: 'warn', n: 1, msg: 'first' },
      { level: 'warn', n: 2, msg: 'second' },
      { level: 40, n: 3, msg: 'third' },
    ]);
  });

  it.skipIf(posix.missing)(`does not hold up a process whose log nobody reads${posix.note}`, async () => {
    const source = `import { openLog } from ${JSON.stringify(log)}; const log = openLog('info');
      for (let n = 0; n < 5_000; n++) {
        log.info({ line: String(n).padEnd(1000) }, 'line');
        if (n < 500) await new Promise(setImmediate);
      }
      console.log(process.stderr.writableLength);
      process.exit();`;
    const args = ['--input-type=module', '--eval', source];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const kept = Number(await text(child.stdout));
    expect(kept).toBeGreaterThan(900_000);
    expect(kept).toBeLessThanOrEqual(1024 * 1024);
    child.stderr.resume();
  });

  it.skipIf(linux.missing)(`does not end a process whose disk is full${linux.note}`, async () => {
    const source = `import { openLog } from ${JSON.stringify(log)}; const log = openLog('info');
      log.info({}, 'lost');
      for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
      const held = process.memoryUsage().heapUsed;
      for (let n = 0; n < 20_000; n++) log.info({ line: String(n).padEnd(1000) }, 'lost');
      globalThis.gc();
      console.log(Math.round((process.memoryUsage().heapUsed - held) / 1024 / 1024) < 5);`;
    const file = join(mkdtempSync(join(tmpdir(), 'rallypoint-log-')), 'program.mjs');
    onTestFinished(() => rmSync(join(file, '..'), { recursive: true, force: true }));
    writeFileSync(file, source);
    const command = `exec "$0" --expose-gc "$1" 2> /dev/full`;
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, file]);
    expect(stdout.trim()).toBe('true');
  });
});
