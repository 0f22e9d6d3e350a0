import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Example, exportsByName, findExamples, namesDeclaredIn } from '../support/examples.ts';

const root = join(import.meta.dirname, '../..');
const exported = exportsByName();

/** What examples take for granted, so that they can be short. */
const context: Readonly<Record<string, string>> = {
  backend: 'import("@rallypoint/sdk/backend").Backend',
  botToken: 'string',
  client: 'import("@rallypoint/sdk").Client',
  credentials: 'import("@rallypoint/sdk").Credentials',
  keychain: 'import("@rallypoint/sdk").Keychain',
  service: 'import("@rallypoint/sdk/service").Service',
  accessToken: 'string',
  channelId: 'string',
  command: 'import("@rallypoint/sdk/model").Command',
  commandId: 'string',
  commands: 'any[]',
  createServer: 'typeof import("node:http").createServer',
  readFile: 'typeof import("node:fs/promises").readFile',
  // Of a game or its server: whatever these are there.
  ...Object.fromEntries(
    ['app', 'fixtures', 'guild', 'ipcMain', 'member', 'party', 'rally', 'render', 'slowThing'].map(name => [
      name,
      'any',
    ]),
  ),
};

describe('examples', () => {
  // The last one shows that faults are found.
  const wrong: Example = {
    from: 'wrong.ts',
    code: 'new Client({ noSuchOption: 1 });',
    isJsx: false,
    declaredBefore: [],
  };
  const examples = [...findExamples(), wrong];

  it('of README, guides and docstrings compile', async () => {
    expect(examples.length).toBeGreaterThan(15);
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-examples-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings()));
    examples.forEach((example, i) => {
      writeFileSync(join(folder, `example-${i}.${example.isJsx ? 'tsx' : 'ts'}`), moduleOf(example));
    });
    const output = await compile(folder);
    const faults = output.replace(/example-(\d+)\.tsx?/g, (_, i) => examples[Number(i)]?.from ?? '');
    expect(faults).toMatch(/^wrong\.ts\(1,14\): error TS2353: [^\n]+\n$/);
  }, 60_000);
});

/** The example with what it needs from around it: imports of what it uses without importing, and its context. */
function moduleOf({ code, declaredBefore }: Example): string {
  const own = new Set(namesDeclaredIn(code));
  const plain = code.replace(/'(?:[^'\\\n]|\\.)*'|\/\/.*$/gm, '');
  const used = new Set([...plain.matchAll(/(?<![.\w$])[A-Za-z_$][\w$]*/g)].map(([name]) => name));
  const missing = [...used].filter(name => !own.has(name));
  const head = missing.flatMap(name => {
    if (declaredBefore.includes(name)) return [`declare const ${name}: any;`];
    if (exported.has(name)) return [`import { ${name} } from '${exported.get(name)}';`];
    return context[name] === undefined ? [] : [`declare const ${name}: ${context[name]};`];
  });
  // Files that a guide has the reader write are not here; what is imported from them may be anything.
  const alone = code.replace(
    /^import (?:type )?(?:\{([^}]*)\}|(?:\* as )?(\w+)) from '\.[^']*';?$/gm,
    (_, listed?: string, whole?: string) =>
      (listed ?? whole ?? '')
        .split(',')
        .map(name => `declare const ${name.trim()}: any;`)
        .join(' '),
  );
  return `${alone}\n${head.join('\n')}\nexport {};\n`;
}

/** Against the sources, so that nothing must be built. */
function settings(): object {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = Object.entries<{ import?: { types?: string } }>(manifest.exports).flatMap(
    ([path, { import: entry }]) => {
      if (entry?.types === undefined) return [];
      const source = entry.types.replace('./dist/types/', 'src/').replace(/\.d\.mts$/, '.ts');
      return [[manifest.name + path.slice(1), [join(root, source)]]];
    },
  );
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      jsx: 'react-jsx',
      noImplicitAny: false,
      verbatimModuleSyntax: false,
      paths: Object.fromEntries(paths),
    },
    include: ['*.ts', '*.tsx', join(root, 'src/**/*.d.ts')],
  };
}

/** @returns what the compiler complains about */
async function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '--noEmit', '--pretty', 'false', '-p', '.'], { cwd: folder });
  return run.then(
    () => '',
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
}
