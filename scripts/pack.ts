import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packedManifest } from './packed-manifest.ts';

/** The package as it would be published, packed and unpacked again. */
export interface Tarball {
  readonly path: string;
  /** Where its content lies. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Packs what is built into `folder`, without running any script, and unpacks it in `scratch`. It is packed twice, because the package
 * has another package.json than the checkout, which stays as it is.
 */
export function packTarball(root: string, folder: string, scratch: string): Tarball {
  mkdirSync(folder, { recursive: true });
  const first = pack(root, scratch);
  // By its name alone: some programs of that name read "C:" as the name of a host.
  run(scratch, 'tar', '-xzf', first.filename);
  rmSync(join(scratch, first.filename));
  const unpacked = join(scratch, 'package');
  const manifest = join(unpacked, 'package.json');
  writeFileSync(manifest, packedManifest(readFileSync(manifest, 'utf8')));
  const packed = pack(unpacked, folder);
  const files = packed.files.map(({ path }) => path);
  return { path: join(folder, packed.filename), folder: unpacked, files };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function pack(root: string, folder: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [packed] = JSON.parse(run(root, 'npm', ...args)) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing.');
  return packed;
}

function run(cwd: string, program: string, ...args: string[]): string {
  // The npm that called this, if one did: on Windows "npm" itself is a script for a shell.
  const npm = program === 'npm' ? process.env.npm_execpath : undefined;
  const isScript = npm?.endsWith('.js') === true;
  const shell = program === 'npm' && !isScript && process.platform === 'win32';
  const [command, given] = isScript ? [process.execPath, [npm, ...args]] : [program, args];
  const { error, status, stdout, stderr } = spawnSync(command, given, { cwd, encoding: 'utf8', shell });
  if (error) throw new Error(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}

/** `node scripts/pack.ts FOLDER`: the tarball that the public CI publishes. */
if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('Usage: node scripts/pack.ts FOLDER');
    process.exit(2);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'rallypoint-pack-'));
  try {
    console.log(packTarball(dirname(import.meta.dirname), resolve(folder), scratch).path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
