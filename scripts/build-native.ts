import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  build,
  type Found,
  findTools,
  fingerprint,
  folderOf,
  here,
  sanitizedFolder,
  writeChecksums,
} from '../native/build.mjs';
import { type Product, productsFor, sanitizedProducts, type Target, targets } from '../native/targets.mjs';

/**
 * Builds what is in native/, where it changed since, into dist/native/<platform>-<arch>/:
 *
 * - for this machine, and again for every other one that it was built for here; without a compiler it says so in one line and
 *   exits 0, because the SDK has other ways
 * - `--all`: for every system that this one has compilers for, and on Linux exits 1 when one of them is missing
 * - `--sanitized`: for the tests, under address, leak and undefined-behaviour sanitizers, into native/build/sanitized/
 *
 * Exits 1 when a compiler refuses.
 */
const isAll = process.argv.includes('--all');
const isSanitized = process.argv.includes('--sanitized');

if (isSanitized) {
  make(here, { products: sanitizedProducts, folder: sanitizedFolder, isStrict: true });
} else {
  // Those of macOS can be built there alone, and there nothing else can.
  const all = targets.filter(({ platform }) => (platform === 'darwin') === (here.platform === 'darwin'));
  const others = all.filter(target => !isSame(target, here) && (isAll || existsSync(stampOf(folderOf(target)))));
  for (const target of [here, ...others]) {
    make(target, { products: productsFor(target), folder: folderOf(target), isStrict: isAll });
  }
  if (existsSync(dirname(folderOf(here)))) writeChecksums();
}

interface Wanted {
  readonly products: readonly Product[];
  readonly folder: string;
  readonly isStrict: boolean;
}

function make(target: Target, { products, folder, isStrict }: Wanted): void {
  const name = `${target.platform}-${target.arch}`;
  const tools: Found = products.length > 0 ? findTools(target) : { obstacle: `nothing was written for ${name}` };
  if ('obstacle' in tools) {
    // What was built for another system by a compiler that has gone since, stays.
    if (!isAll && target !== here) return;
    if (isAll) process.exitCode = 1;
    const consequence = isAll ? '' : ' The SDK works without it, see native/README.md.';
    console.error(`The native part is not built${isAll ? ` for ${name}` : ''}: ${tools.obstacle}.${consequence}`);
    return;
  }
  const stamp = stampOf(folder);
  const now = fingerprint(products, tools);
  const isThere = products.every(({ file }) => existsSync(join(folder, file)));
  if (isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return;
  console.error(`Building the native part for ${name}${isSanitized ? ' under sanitizers' : ''} …`);
  if (build(products, tools, folder, { isStrict })) {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, now);
    return;
  }
  console.error('The native part could not be compiled; what the compiler says is above. The SDK works without it.');
  process.exitCode = 1;
}

function stampOf(folder: string): string {
  return join(dirname(sanitizedFolder), `${basename(folder)}.stamp`);
}

function isSame(one: Target, other: Target): boolean {
  return one.platform === other.platform && one.arch === other.arch;
}
