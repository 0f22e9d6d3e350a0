import { gzipSync } from 'node:zlib';
import { build, type Platform } from 'esbuild';
import { firstViewBytes } from './console.ts';
import { type BenchRow, row } from './row.ts';

/**
 * What an entry point adds to a bundle, with all it depends on and all that it loads later: every name is kept, as by
 * `import * as`, then minified and compressed.
 */
export async function run(): Promise<BenchRow[]> {
  const client = await gzipBytes('@rallypoint/sdk');
  const backend = await gzipBytes('@rallypoint/sdk/backend');
  const model = await gzipBytes('@rallypoint/sdk/model', 'browser');
  const against = (name: string, ours: number, peer: number, most: number) =>
    row(name, kibibytes, [{ ours, peer }], { sign: '≤', value: most });
  return [
    against('size of the client, against discord.js', client, await gzipBytes('discord.js'), 0.25),
    against('size of the backend module, against @discordjs/rest', backend, await gzipBytes('@discordjs/rest'), 0.95),
    against('size of the model in a browser, against the goal', model, 20 * 1024, 1),
    against("size of the console's first view, against the goal", firstViewBytes(), 150 * 1024, 1),
  ];
}

const root = new URL('..', import.meta.url).pathname;
const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
// Optional packages of the peers; none of them is installed.
const external = ['zlib-sync', 'bufferutil', 'utf-8-validate', 'mac-ca', '@discordjs/opus'];

async function gzipBytes(name: string, platform: Platform = 'node'): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `import * as all from '${name}'; globalThis.all = all;`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    platform,
    external,
    logLevel: 'error',
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}
if (import.meta.main) console.table(await run());
