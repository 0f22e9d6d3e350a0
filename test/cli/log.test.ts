import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';

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
});
