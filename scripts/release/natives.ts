import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { nativePlatforms } from './bounds.ts';
import type { Outcome } from './outcome.ts';

/** The list of checksums beside native files, in the form of `sha256sum`. */
const list = 'SHA256SUMS';

/**
 * The forwarder and the addon of every platform are in `folder`, as they were built. A publish needs all of them;
 * elsewhere what is missing is only named.
 */
export function checkNatives(folder: string, isPublish: boolean): Outcome {
  const missing = nativePlatforms.flatMap(platform =>
    productsFor(platform).filter(file => !existsSync(join(folder, file))),
  );
  const complete = nativePlatforms.filter(platform => !missing.some(file => file.startsWith(`${platform}/`)));
  const detail = complete.length > 0 ? complete.join(', ') : 'none';
  const faults = nativePlatforms.flatMap(platform => faultsOf(folder, platform));
  if (missing.length === 0) return { detail, faults };
  const sentence = `dist/native lacks ${missing.join(', ')}; the jobs of the public CI build them.`;
  return isPublish ? { detail, faults: [...faults, sentence] } : { detail, faults, warnings: [sentence] };
}

function productsFor(platform: string): readonly string[] {
  return [
    `${platform}/rallypoint.node`,
    `${platform}/rallypoint-forwarder${platform.startsWith('win32') ? '.exe' : ''}`,
  ];
}

function faultsOf(folder: string, platform: string): readonly string[] {
  const sums = readSums(folder);
  return productsFor(platform)
    .filter(file => existsSync(join(folder, file)))
    .flatMap(file => {
      const isProgram = file.endsWith('/rallypoint-forwarder') && process.platform !== 'win32';
      const mayRun = !isProgram || (statSync(join(folder, file)).mode & 0o100) !== 0;
      return [
        ...(mayRun ? [] : [`dist/native/${file} is not executable in the package.`]),
        ...(sums === undefined || sums.get(file) === sumOf(join(folder, file))
          ? []
          : [`dist/native/${file} does not have the checksum that dist/native/${list} lists.`]),
      ];
    });
}

/**
 * Takes over what other machines built: each folder in `from` holds native files with their list. They are compared with
 * it, copied to `to`, made executable, and listed together. @returns their paths
 *
 * @throws Error when a file is not what was built
 */
export function takeNatives(from: string, to: string): readonly string[] {
  const taken = new Map<string, string>();
  for (const part of readdirSync(from).sort()) {
    const sums = readSums(join(from, part));
    if (sums === undefined) throw new Error(`${part} has no ${list}.`);
    for (const [file, sum] of sums) {
      const source = join(from, part, file);
      if (!existsSync(source)) throw new Error(`${part} lacks ${file}, which its ${list} names.`);
      if (sumOf(source) !== sum) throw new Error(`${part}/${file} does not have the checksum that its ${list} names.`);
      if (taken.has(file)) throw new Error(`${file} was built twice.`);
      mkdirSync(dirname(join(to, file)), { recursive: true });
      copyFileSync(source, join(to, file));
      // What carries files between machines forgets which of them are programs.
      chmodSync(join(to, file), 0o755);
      taken.set(file, sum);
    }
  }
  writeFileSync(join(to, list), [...taken].map(([file, sum]) => `${sum}  ${file}\n`).join(''));
  return [...taken.keys()];
}

function readSums(folder: string): ReadonlyMap<string, string> | undefined {
  const path = join(folder, list);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map(line => [line.slice(66), line.slice(0, 64)]));
}

function sumOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
