import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nativePlatforms } from './bounds.ts';
import type { Outcome } from './outcome.ts';
import type { Tarball } from './tarball.ts';

const algorithms = ['sha256', 'sha512'] as const;

/** The checksums of the tarball and of each native file in it, which `out` receives as SHA256SUMS and SHA512SUMS. */
export function checkSums(tarball: Tarball, out: string | undefined): Outcome & { readonly sums: readonly string[] } {
  const natives = tarball.files.filter(isNative);
  const paths = [tarball.path, ...natives.map(file => join(tarball.folder, file))];
  const names = [basename(tarball.path), ...natives];
  const lists = algorithms.map(algorithm => paths.map((path, index) => `${sumOf(algorithm, path)}  ${names[index]}`));
  if (out !== undefined) {
    // The form that "sha256sum --check" reads.
    for (const [index, algorithm] of algorithms.entries()) {
      writeFileSync(join(out, `${algorithm.toUpperCase()}SUMS`), `${lists[index]?.join('\n')}\n`);
    }
  }
  const [sha256 = [], sha512 = []] = lists;
  return {
    detail: `of the tarball and ${natives.length} native files`,
    faults: [],
    sums: [...sha256.map(line => `sha256 ${line}`), `sha512 ${sha512[0]}`],
  };
}

/** A publish has the forwarder and the addon of every platform; elsewhere what is missing is only named. */
export function checkNatives({ files }: Tarball, isPublish: boolean): Outcome {
  const missing = nativePlatforms.flatMap(platform => {
    const programs = ['rallypoint.node', `rallypoint-forwarder${platform.startsWith('win32') ? '.exe' : ''}`];
    return programs.map(file => `${platform}/${file}`).filter(file => !files.includes(`dist/native/${file}`));
  });
  const complete = nativePlatforms.filter(platform => !missing.some(file => file.startsWith(`${platform}/`)));
  const detail = complete.length > 0 ? complete.join(', ') : 'none';
  if (missing.length === 0) return { detail, faults: [] };
  const sentence = `dist/native lacks ${missing.join(', ')}; the jobs of the public CI build them.`;
  return isPublish ? { detail, faults: [sentence] } : { detail, faults: [], warnings: [sentence] };
}

function isNative(file: string): boolean {
  return /^dist\/native\/[\w-]+\//.test(file);
}

function sumOf(algorithm: string, path: string): string {
  return createHash(algorithm).update(readFileSync(path)).digest('hex');
}
