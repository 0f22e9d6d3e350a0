import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const files = [
  ...['package.json', 'package-lock.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'CODE_OF_CONDUCT.md'],
  ...['CONTRIBUTING.md', 'SECURITY.md'],
  ...['.github', 'api', 'bin', 'deploy', 'dist', 'docs', 'scripts', 'src/model/version.ts', 'tools'],
  // Without what was compiled there.
  ...[
    'native/addon',
    'native/forwarder',
    'native/shared',
    'native/README.md',
    'native/build.mjs',
    'native/targets.mjs',
  ],
];

/** A copy of this checkout, built, in which faults can be planted. */
export class CopiedCheckout {
  readonly folder = mkdtempSync(join(tmpdir(), 'rallypoint-release-test-'));
  readonly #planted = new Map<string, string | undefined>();

  constructor() {
    for (const file of files) {
      const filter = (path: string) => !path.includes('node_modules');
      cpSync(join(root, file), join(this.folder, file), { recursive: true, filter });
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'junction');
    writeFileSync(join(this.folder, '.gitignore'), 'node_modules\ndist\n');
  }

  /** Puts a file into another state, until {@link restore}. */
  plant(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (!this.#planted.has(file)) this.#planted.set(file, before);
    const after = change(before ?? '');
    if (after === before) throw new Error(`${file} has nothing to change.`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  }

  restore(): void {
    for (const [file, text] of this.#planted) {
      if (text === undefined) rmSync(join(this.folder, file), { force: true });
      else writeFileSync(join(this.folder, file), text);
    }
    this.#planted.clear();
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Runs the release script as npm would. `reasons` are the sentences that it gives against a release. */
  release(...args: string[]): { status: number | null; stdout: string; stderr: string; reasons: readonly string[] } {
    const { status, stdout, stderr } = this.#run(process.execPath, 'scripts/release.ts', ...args);
    const reasons = [...stderr.matchAll(/^Not ready: (.*)$/gm)].map(([, reason = '']) => reason);
    return { status, stdout, stderr, reasons };
  }

  git(...args: string[]): string {
    const { status, stdout, stderr } = this.#run('git', ...args);
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  #run(program: string, ...args: string[]) {
    const names = ['GIT_AUTHOR', 'GIT_COMMITTER'].flatMap(who => [
      [`${who}_NAME`, 'Ada'],
      [`${who}_EMAIL`, 'ada@example.com'],
    ]);
    const unsigned = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'commit.gpgsign', GIT_CONFIG_VALUE_0: 'false' };
    const { GITHUB_REPOSITORY: _, ...inherited } = process.env;
    const env = { ...inherited, ...Object.fromEntries(names), ...unsigned };
    return spawnSync(program, args, { cwd: this.folder, encoding: 'utf8', env });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
