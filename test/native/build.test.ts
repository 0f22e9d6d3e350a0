import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { missing, reason, root } from './built.ts';

const run = promisify(execFile);
const name = `${process.platform}-${process.arch}`;
const built = join(root, 'dist', 'native');

describe('the build without a compiler', () => {
  it('says in one line what is missing, and is no failure', async () => {
    const script = join(root, 'scripts', 'build-native.ts');
    const { stdout, stderr } = await run(process.execPath, [script], { env: { PATH: '/nonexistent' } });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^The native part is not built: c\+\+ is not installed\. .*native\/README\.md\.\n$/);
  });
});

describe.skipIf(missing !== undefined)(`what is built${reason}`, () => {
  it('is the same, byte by byte, when a user compiles the installed package, whatever its path', async () => {
    const { path, remove } = await temporaryFolder();
    const modules = join(path, 'größeres Spiel', 'node_modules');
    const installed = join(modules, '@rallypoint', 'sdk');
    for (const part of ['native', 'package.json']) {
      const isPublished = (file: string) => !/native\/(build|test)(\/|$)/.test(file.slice(root.length));
      cpSync(join(root, part), join(installed, part), { recursive: true, filter: isPublished });
    }
    for (const needed of ['node-addon-api', 'node-api-headers']) {
      cpSync(join(root, 'node_modules', needed), join(modules, needed), { recursive: true });
    }
    const { stdout, stderr } = await run(process.execPath, [join(installed, 'native', 'build.mjs')], { cwd: path });
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('Built rallypoint.node'), stderr: '' });
    const made = join(installed, 'dist', 'native', name);
    expect(readdirSync(made)).toEqual(readdirSync(join(built, name)));
    for (const file of readdirSync(made)) {
      expect(readFileSync(join(made, file)).equals(readFileSync(join(built, name, file))), file).toBe(true);
    }
    await remove();
  }, 120_000);

  it('is listed with its checksums', () => {
    const lines = readFileSync(join(built, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const systems = readdirSync(built, { withFileTypes: true }).filter(entry => entry.isDirectory());
    const files = systems.flatMap(({ name }) => readdirSync(join(built, name)).map(file => `${name}/${file}`));
    const digest = (file: string) =>
      createHash('sha256')
        .update(readFileSync(join(built, file)))
        .digest('hex');
    expect(lines).toEqual(files.sort().map(file => `${digest(file)}  ${file}`));
  });

  const systems = ['linux-x64', 'linux-arm64'].filter(system => existsSync(join(built, system)));
  it.each(systems)('needs no library but those of the C language, and a glibc of 2.17 at most: %s', async system => {
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
  });

  it('names no folder of the machine that built it', () => {
    const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(file => file.includes('rallypoint'));
    for (const file of files) expect(readFileSync(join(built, file)).includes(root), file).toBe(false);
  });
});
