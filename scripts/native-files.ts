import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The list of checksums beside native files, in the form of `sha256sum`. */
const list = 'SHA256SUMS';
/** What a publish has native files for. */
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'];

/**
 * Takes over what other machines built: each folder in `from` holds native files with their list. They are compared with
 * it, copied to `to`, made executable, and listed together. @returns their paths
 *
 * @throws Error when a file is not what was built, or one of a platform is missing
 */
export function takeNativeFiles(from: string, to: string): readonly string[] {
  const taken = new Map<string, string>();
  for (const part of readdirSync(from).sort()) {
    if (!existsSync(join(from, part, list))) throw new Error(`${part} has no ${list}.`);
    for (const [file, sum] of readSums(join(from, part))) {
      const source = join(from, part, file);
      if (!existsSync(source)) throw new Error(`${part} lacks ${file}, which its ${list} names.`);
      const sumNow = createHash('sha256').update(readFileSync(source)).digest('hex');
      if (sumNow !== sum) throw new Error(`${part}/${file} does not have the checksum that its ${list} names.`);
      if (taken.has(file)) throw new Error(`${file} was built twice.`);
      mkdirSync(dirname(join(to, file)), { recursive: true });
      copyFileSync(source, join(to, file));
      // What carries files between machines forgets which of them are programs.
      chmodSync(join(to, file), 0o755);
      taken.set(file, sum);
    }
  }
  const missing = platforms.flatMap(filesOf).filter(file => !taken.has(file));
  if (missing.length > 0) throw new Error(`No machine built ${missing.join(', ')}.`);
  writeFileSync(join(to, list), [...taken].map(([file, sum]) => `${sum}  ${file}\n`).join(''));
  return [...taken.keys()];
}

function filesOf(platform: string): readonly string[] {
  const forwarder = `rallypoint-forwarder${platform.startsWith('win32') ? '.exe' : ''}`;
  return [`${platform}/rallypoint.node`, `${platform}/${forwarder}`];
}

function readSums(folder: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(folder, list), 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map(line => [line.slice(66), line.slice(0, 64)]));
}

/**
 * `node scripts/native-files.ts FOLDER` puts them into dist/native/. The public CI calls it before it packs, so that what is published is
 * what those machines built and tested.
 */
if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const [from] = process.argv.slice(2);
  if (from === undefined) {
    console.error('Usage: node scripts/native-files.ts FOLDER');
    process.exit(2);
  }
  for (const file of takeNativeFiles(from, join(dirname(import.meta.dirname), 'dist', 'native'))) console.log(file);
}
