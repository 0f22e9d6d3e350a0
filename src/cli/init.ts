import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { version } from '../model/version.ts';
import { makeFolder } from '../wire/make-folder.ts';
import { CommandFailure, optionText, readArguments, UsageError } from './command-line.ts';
import { errorMessage, fileTrouble } from './failure.ts';
import { initHelp } from './help.ts';
import { initOptions } from './init-options.ts';
import { printable } from './paint.ts';
import type { Terminal } from './terminal.ts';

/** Both are where they are in the repository and in the package, for the source as for the built file. */
const packageFolder = resolve(import.meta.dirname, '../..');
const template = join(packageFolder, 'src/cli/template');

/**
 * `rallypoint init`: makes a project with a game, its server, a service and a test. It never replaces a file.
 *
 * @throws UsageError, CommandFailure
 */
export async function initCommand(args: readonly string[], { stdout }: Terminal): Promise<void> {
  const { given, operands } = readArguments(args, initOptions);
  if (given.help) {
    stdout.write(initHelp());
    return;
  }
  const [folder = '.', another] = operands;
  if (another !== undefined) {
    throw new UsageError(`"rallypoint init" takes one DIR (got "${folder}" and "${another}").`);
  }
  const path = absolute(folder);
  const name = readName(optionText(given, 'name'), path);
  const files = projectFiles(name, sdkSpecifier(optionText(given, 'sdk'), path));
  await writeFiles(path, files);
  const written = [...files.keys()];
  if (given.json) {
    stdout.write(`${JSON.stringify({ folder: path, name, files: written }, null, 2)}\n`);
    return;
  }
  const near = relative(process.cwd(), path);
  const enter = near === '' ? '' : `cd ${shellWord(near.startsWith('..') ? path : near)} && `;
  stdout.write(
    [
      printable(`Made the game "${name}" in ${path}:`),
      ...written.map(file => `  ${file}`),
      '',
      'Next:',
      `  ${printable(enter)}npm install`,
      '  npm test',
      '',
      'README.md says how to start the service, the server and the game.',
      '',
    ].join('\n'),
  );
}

/** @throws CommandFailure when the current folder was deleted */
function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (error) {
    throw new CommandFailure(`The current folder cannot be used: ${errorMessage(error)}`);
  }
}

/** Of npm. */
const nameLengthMax = 214;

function readName(given: string | undefined, path: string): string {
  if (given === undefined)
    return (
      basename(path)
        .toLowerCase()
        .replace(/[^a-z0-9-]+/g, '-')
        .replace(/^-+/, '')
        .slice(0, nameLengthMax)
        .replace(/-+$/, '') || 'game'
    );
  if (given.length <= nameLengthMax && /^[a-z0-9][a-z0-9._-]*$/.test(given)) return given;
  throw new UsageError(
    `--name must be a name for package.json: up to ${nameLengthMax} lower-case letters, digits, ".", "_" and "-" (got "${printable(given)}").`,
  );
}

/** What package.json names: a path is given from the current folder, and named from that of the project. */
function sdkSpecifier(given: string | undefined, path: string): string {
  if (given === undefined) return `^${version}`;
  if (!/\.tgz$|[\\/]/.test(given)) return given;
  const tarball = absolute(given);
  if (lstatSync(tarball, { throwIfNoEntry: false }) === undefined)
    throw new CommandFailure(printable(`--sdk: there is no file ${tarball}.`));
  return `file:${relative(path, tarball).replaceAll(sep, '/')}`;
}

/** File → its text. */
function projectFiles(name: string, sdk: string): Map<string, string> {
  const files = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(template, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
  return new Map(
    files.map(file => {
      const text = readFileSync(join(template, file), 'utf8');
      if (file === 'package.json') return [file, manifest(text, name, sdk)];
      // npm publishes no file of that name.
      return [file === 'gitignore' ? '.gitignore' : file, text];
    }),
  );
}

/** The versions are those that this package is tested with. */
function manifest(text: string, name: string, sdk: string): string {
  // The installed package has `testedWith`, a checkout `devDependencies`: scripts/packed-manifest.ts.
  const { devDependencies = {}, testedWith = devDependencies } = JSON.parse(
    readFileSync(join(packageFolder, 'package.json'), 'utf8'),
  ) as Readonly<Record<'devDependencies' | 'testedWith', Readonly<Record<string, string>> | undefined>>;
  const tested = (...names: readonly string[]) => Object.fromEntries(names.map(one => [one, testedWith[one]]));
  const project = {
    ...JSON.parse(text),
    name,
    dependencies: { '@rallypoint/sdk': sdk, ...tested('rxjs') },
    devDependencies: tested('@types/node', 'electron', 'esbuild', 'typescript'),
  };
  return `${JSON.stringify(project, null, 2)}\n`;
}

/** Writes all of them, or none. @throws CommandFailure */
async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    const present = [...files.keys()].filter(file => lstatSync(join(folder, file), { throwIfNoEntry: false }));
    if (present.length > 0) {
      const message = `${folder} already has ${present.join(', ')}. Nothing was written; name a new folder: rallypoint init DIR`;
      throw new CommandFailure(printable(message));
    }
    for (const [file, text] of files) {
      await makeFolder(dirname(join(folder, file)), 0o777);
      writeFileSync(join(folder, file), text, { flag: 'wx' });
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(
      printable(`The project cannot be written to ${folder}: ${fileTrouble(join(folder, 'package.json'), error)}`),
    );
  }
}

/** A path as a shell reads it: quoted where it has to be, and never an option. */
function shellWord(path: string): string {
  const word = path.startsWith('-') ? `.${sep}${path}` : path;
  // Names on Windows have no quotes, and cmd reads single ones as part of the name.
  if (process.platform === 'win32') return /^[\w./\\:@-]+$/.test(word) ? word : `"${word}"`;
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
