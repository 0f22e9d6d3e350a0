import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import doors from './doors.json' with { type: 'json' };

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'rallypoint-package-'));

// What the package depends on is taken from this checkout, so that nothing is asked of a registry.
const own = ['ws', 'openid-client', 'jose', 'oauth4webapi', 'rxjs', 'tslib', '@types/node', 'undici-types'];
const specifiers = Object.keys(doors).map(door => join('@rallypoint/sdk', door).replaceAll('\\', '/'));

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project], {
    cwd: root,
  });
  const dependencies = Object.fromEntries(own.map(name => [name, `file:${join(root, 'node_modules', name)}`]));
  const manifest = {
    name: 'empty',
    private: true,
    dependencies: { '@rallypoint/sdk': `file:${stdout.trim()}`, ...dependencies },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', '--offline', '--omit=optional', '--install-links=false', ...quietly], { cwd: project });
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packed package, installed into an empty project', () => {
  it('shows exactly the listed names at every door, to import', async () => {
    for (const specifier of specifiers) {
      expect(await names(`Object.keys(await import('${specifier}'))`, specifier)).toEqual(listed(specifier));
    }
  });

  it('shows the same names to require', async () => {
    for (const specifier of specifiers) {
      expect(await names(`Object.keys(require('${specifier}'))`, specifier, 'cjs')).toEqual(listed(specifier));
    }
  });

  it.each(['.', './electron', './backend'])(
    'loads nothing of the service, of each other, or of heavy parts for %s',
    async door => {
      const specifier = join('@rallypoint/sdk', door);
      for (const extension of ['mjs', 'cjs'] as const) {
        const loaded = await loadedFiles(specifier, extension);
        expect(loaded.length).toBeGreaterThan(0);
        expect(
          loaded.filter(file =>
            /fastify|node_modules\/(ws|openid-client|keytar|electron)\/|dist\/service|undici/.test(file),
          ),
        ).toEqual([]);
      }
    },
  );

  it('has types that a strict project accepts, in both module systems and without skipLibCheck', async () => {
    const lines = specifiers.map(
      (specifier, index) => `import * as door${index} from '${specifier}';\nexport { door${index} };`,
    );
    writeFileSync(join(project, 'esm.mts'), lines.join('\n'));
    writeFileSync(join(project, 'common.cts'), lines.join('\n'));
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      types: ['node'],
      skipLibCheck: false,
      // Whoever opens ./electron has its types.
      paths: { electron: [join(root, 'node_modules/electron/electron.d.ts')] },
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['esm.mts', 'common.cts'] }),
    );
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project], { cwd: project }).catch(
      error => error,
    );
    expect(stdout).toBe('');
  });

  it('brings the command', async () => {
    const { stdout } = await run(join(project, 'node_modules/.bin/rallypoint'), ['--version'], { cwd: project });
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  });

  it('carries the licences of what is bundled, and no source map to sources it lacks', () => {
    const dist = join(project, 'node_modules/@rallypoint/sdk/dist');
    expect(readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toContain('fastify');
    expect(readdirSync(dist)).toContain('esm');
  });
});

function listed(specifier: string): string[] {
  const door = `.${specifier.slice('@rallypoint/sdk'.length)}` as keyof typeof doors;
  return [...doors[door]].sort();
}

async function names(expression: string, specifier: string, extension = 'mjs'): Promise<string[]> {
  const file = join(project, `names-${specifier.replaceAll('/', '-')}.${extension}`);
  writeFileSync(file, `console.log(JSON.stringify(${expression}))`);
  const { stdout } = await run(process.execPath, [file], { cwd: project });
  return (JSON.parse(stdout) as string[]).filter(name => name !== '__esModule' && name !== 'default').sort();
}

/** Every file that Node loads for an import of the door. */
async function loadedFiles(specifier: string, extension: 'mjs' | 'cjs'): Promise<string[]> {
  const trace = join(project, 'trace.mjs');
  mkdirSync(project, { recursive: true });
  writeFileSync(
    trace,
    `import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) { if (url.startsWith('file:')) console.log(url); return next(url, context); } });`,
  );
  const file = join(project, `load.${extension}`);
  writeFileSync(file, extension === 'mjs' ? `import '${specifier}';` : `require('${specifier}');`);
  const { stdout } = await run(process.execPath, ['--import', trace, file], { cwd: project });
  return stdout.split('\n').filter(line => line.includes('@rallypoint'));
}
