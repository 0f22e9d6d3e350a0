import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

function isNative(file: string): boolean {
  return /^dist\/native\/[\w-]+\//.test(file);
}

function sumOf(algorithm: string, path: string): string {
  return createHash(algorithm).update(readFileSync(path)).digest('hex');
}
