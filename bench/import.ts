import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type BenchRow, milliseconds, type Round, row } from './row.ts';

/**
 * What it costs a game to import the client: time in a fresh process, and bytes when it is bundled, against the clients of
 * two others.
 */
export async function run(): Promise<BenchRow[]> {
  return [
    ...(await against('discord.js', { import: 0.25, size: 0.2 })),
    // One file of HTTP calls and a socket, without state, streams or credentials. Bounds of our own, not to drift away from it.
    ...(await against('@heroiclabs/nakama-js', { import: 10, size: 3.5 })),
  ];
}

async function against(peer: string, most: { readonly import: number; readonly size: number }): Promise<BenchRow[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round++) {
    rounds.push({ ours: await importMs('@rallypoint/sdk'), peer: await importMs(peer) });
  }
  const sizes = { ours: await gzipBytes('@rallypoint/sdk'), peer: await gzipBytes(peer) };
  return [
    row(`import of the client door, against ${peer}`, milliseconds, rounds, { sign: '≤', value: most.import }),
    row(`gzip size of the client door, against ${peer}`, kibibytes, [sizes], { sign: '≤', value: most.size }),
  ];
}

const roundCount = 11;
const root = new URL('..', import.meta.url).pathname;
const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`;

async function importMs(name: string): Promise<number> {
  const program = `const started = performance.now();
    await import('${name}');
    console.log(performance.now() - started);
    process.exit();`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return Number(stdout);
}

/** What is loaded at once: parts that are loaded at first use, and native ones that are optional, are left out. */
async function gzipBytes(name: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from '${name}';`, resolveDir: root },
    ...{ bundle: true, splitting: true, minify: true, metafile: true, write: false, logLevel: 'silent' },
    ...{ platform: 'node', format: 'esm', outdir: 'out' },
    external: [
      'zlib-sync',
      'bufferutil',
      'utf-8-validate',
      'mac-ca',
      '@discordjs/opus',
      'keytar',
      '@napi-rs/keyring',
      'electron',
    ],
  });
  const outputs = new Map(Object.entries(metafile.outputs));
  const entry = [...outputs].find(([, { entryPoint }]) => entryPoint === '<stdin>')?.[0] ?? '';
  const loaded = new Set([entry]);
  for (const output of loaded) {
    for (const { path, kind } of outputs.get(output)?.imports ?? []) {
      if (kind !== 'dynamic-import' && outputs.has(path)) loaded.add(path);
    }
  }
  const bytes = [...loaded].map(
    path => outputFiles.find(file => file.path.endsWith(path))?.contents ?? new Uint8Array(),
  );
  return gzipSync(Buffer.concat(bytes)).length;
}

if (import.meta.main) console.table(await run());
