import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';
import { nativeSystems, needs } from '../support/runs/parts.ts';
import { compiled, root } from './built.ts';

const run = promisify(execFile);
const name = `${process.platform}-${process.arch}`;
const built = join(root, 'dist', 'native');
const all = await needs('linux', 'all-native-files');
const musl = await needs('linux', 'musl');

describe('the build without a compiler', () => {
  it('reports in one line what is missing, and does not fail', async () => {
    const script = join(root, 'scripts', 'build-native.ts');
    const { stdout, stderr } = await run(process.execPath, [script], { env: { PATH: '/nonexistent' } });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^The native part is not built: c\+\+ is not installed\. .*native\/README\.md\.\n$/);
  });
});

/** Puts what the package has of native/ into a folder, and what is needed to build it beside it. */
function copyAs(folder: string, modules: string): void {
  const isPublished = (file: string) => !/native\/(build|test)(\/|$)/.test(file.slice(root.length));
  for (const part of ['native', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: isPublished });
  }
  for (const needed of ['node-addon-api', 'node-api-headers']) {
    cpSync(join(root, 'node_modules', needed), join(modules, needed), { recursive: true });
  }
}

/** File → checksum, of what is built below a folder. */
function digestsIn(folder: string, systems: readonly string[] = readSystems(folder)): Readonly<Record<string, string>> {
  const files = systems.flatMap(system => readdirSync(join(folder, system)).map(file => `${system}/${file}`));
  const digest = (file: string) => createHash('sha256').update(readFileSync(join(folder, file)));
  return Object.fromEntries(files.map(file => [file, digest(file).digest('hex')]));
}

function readSystems(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
}

describe.skipIf(compiled.missing)(`what is built${compiled.note}`, () => {
  it('is the same, byte by byte, when a user compiles the installed package, whatever its path', async () => {
    const { path, remove } = await temporaryFolder();
    const modules = join(path, 'größeres Spiel', 'node_modules');
    const installed = join(modules, '@rallypoint', 'sdk');
    copyAs(installed, modules);
    const { stdout, stderr } = await run(process.execPath, [join(installed, 'native', 'build.mjs')], { cwd: path });
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('Built rallypoint.node'), stderr: '' });
    expect(digestsIn(join(installed, 'dist', 'native'))).toEqual(digestsIn(built, [name]));
    await remove();
  }, 120_000);

  it.skipIf(all.missing)(
    `is the same for every system, in a checkout anywhere${all.note}`,
    async () => {
      const { path, remove } = await temporaryFolder();
      const checkout = join(path, 'größere Werkstatt');
      copyAs(checkout, join(checkout, 'node_modules'));
      const script = join(checkout, 'scripts', 'build-native.ts');
      cpSync(join(root, 'scripts', 'build-native.ts'), script);
      await run(process.execPath, [script, '--all'], { cwd: path });
      expect(digestsIn(join(checkout, 'dist', 'native'))).toEqual(digestsIn(built, nativeSystems));
      await remove();
    },
    180_000,
  );

  it('is listed with its checksums', () => {
    const lines = readFileSync(join(built, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const digests = Object.entries(digestsIn(built)).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(lines).toEqual(digests.map(([file, digest]) => `${digest}  ${file}`));
  });

  it.each(nativeSystems.filter(system => system.startsWith('linux') && existsSync(join(built, system))))(
    'needs no library but those of the C language, and a glibc of 2.17 at most: %s',
    async system => {
      const addon = join(built, system, 'rallypoint.node');
      const { stdout: needed } = await run('objdump', ['-p', addon]);
      const libraries = [...needed.matchAll(/^ +NEEDED +(.*)$/gm)].map(([, library]) => library);
      // The second is of arm64: the guard of the stack is there.
      expect(['libc.so.6', 'ld-linux-aarch64.so.1']).toEqual(expect.arrayContaining(libraries));
      const { stdout: names } = await run('objdump', ['-T', addon]);
      const versions = [...names.matchAll(/\(?GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
      expect(Math.max(...versions)).toBeLessThanOrEqual(17);
      const { stdout: forwarder } = await run('objdump', ['-p', join(built, system, 'rallypoint-forwarder')]);
      expect(forwarder).not.toContain('NEEDED');
      expect(forwarder).not.toContain('INTERP');
    },
  );

  it.skipIf(musl.missing)(`finds everything it needs in musl, but for what Node has${musl.note}`, async () => {
    const addon = join(built, 'linux-x64', 'rallypoint.node');
    const { stderr } = await run('/lib/ld-musl-x86_64.so.1', ['--list', addon]).catch(error => error);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(line).toMatch(/: napi_\w+: symbol not found$/);
  });

  it('names no folder of the machine that built it', () => {
    const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(file => file.includes('rallypoint'));
    for (const file of files) expect(readFileSync(join(built, file)).includes(root), file).toBe(false);
  });
});
