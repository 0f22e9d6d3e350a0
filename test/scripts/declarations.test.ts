import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { shownDeclarations } from '../../scripts/declarations.ts';
import { temporaryFolder } from '../support/runs/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
afterEach(() => folder?.remove());

async function shown(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return Object.fromEntries(shownDeclarations(folder.path, ['index.d.ts']));
}

describe('the declarations of an entry point', () => {
  it('are those it shows and what they are made of, with their comments', async () => {
    const index = `/** The entry point. */\nexport { type A, make as build } from './parts.ts';\n`;
    const parts = [
      `import { type B, Unused } from './other.ts';`,
      `/**`,
      ` * What is shown.`,
      ` */`,
      `export interface A {`,
      `    readonly b: B;`,
      `}`,
      `export declare class Inner {`,
      `    constructor(unused: Unused);`,
      `}`,
      `export declare function make(a: A): void;`,
      `export declare function make(kind: Kind): void;`,
      `type Kind = `,
      `/** The first. */`,
      `'first'`,
      `/** The second. */`,
      ` | 'second';`,
      `export {};`,
      ``,
    ].join('\n');
    const other = `export type B = import('./late.ts').Late;\nexport declare class Unused {\n}\n`;
    const late = `export interface Late {\n}\nexport interface Unseen {\n}\n`;
    const files = { 'index.d.ts': index, 'parts.d.ts': parts, 'other.d.ts': other, 'late.d.ts': late };
    expect(await shown(files)).toEqual({
      'index.d.ts': index.replace('.ts', '.js'),
      'parts.d.ts': parts
        .replace(`{ type B, Unused } from './other.ts'`, `{ type B } from './other.js'`)
        .replace(/export declare class Inner \{[^}]*\}\n/, ''),
      'other.d.ts': `export type B = import('./late.js').Late;\n`,
      'late.d.ts': `export interface Late {\n}\n`,
    });
  });

  it('cannot be read where the compiler writes what is not known here', async () => {
    await expect(shown({ 'index.d.ts': `export default class {\n}\n` })).rejects.toThrow(/cannot be read/);
  });
});

describe('the declarations that are published', () => {
  it('need neither the declarations of Node nor those of browsers', async () => {
    folder = await temporaryFolder();
    const modules = join(folder.path, 'node_modules');
    const own = join(modules, '@rallypoint', 'sdk');
    mkdirSync(own, { recursive: true });
    cpSync(join(root, 'package.json'), join(own, 'package.json'));
    cpSync(join(root, 'dist', 'types'), join(own, 'dist', 'types'), { recursive: true });
    for (const name of ['rxjs', 'tslib'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
    const names = ['', '/model', '/backend', '/backend/fleet', '/service'];
    const text = names.map((name, at) => `export * as part${at} from '@rallypoint/sdk${name}';\n`).join('');
    for (const file of ['esm.mts', 'common.cts']) writeFileSync(join(folder.path, file), text);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'node16', target: 'es2023', lib: ['es2023'], types: [] },
      skipLibCheck: false,
    };
    // The declarations of rxjs need this one.
    writeFileSync(join(folder.path, 'timers.d.ts'), 'declare function setTimeout(): number;\n');
    writeFileSync(
      join(folder.path, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['timers.d.ts', 'esm.mts', 'common.cts'] }),
    );
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder.path]).catch(error => error);
    expect(stdout).toBe('');
  });
});
