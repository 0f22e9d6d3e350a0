import assert from 'node:assert/strict';
import { entryPoints, type Project, run } from '../project.ts';
import { type Bench, openInstalled, type Row } from './matrix.ts';

const compilers = ['5.9', '6', '7'];
const resolutions: Readonly<Record<string, Resolution>> = {
  nodenext: { module: 'nodenext', files: ['all.mts', 'all.cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', files: ['all.ts'] },
  // What version 5.9 does with CommonJS unless it is told otherwise; later ones know it no longer.
  node10: { module: 'commonjs', moduleResolution: 'node10', files: ['all.ts'], until: '5.9' },
};

interface Resolution {
  readonly module: string;
  readonly moduleResolution?: string;
  readonly files: readonly string[];
  readonly until?: string;
}

/** Projects by what is installed in them, and the entry points that can be imported there. */
const surroundings: Readonly<Record<string, Surroundings>> = {
  'with @types/node, rxjs and electron': {
    dependencies: { '@types/node': '26.6.6', rxjs: '7.8.2', electron: '45.4.1' },
    types: ['node'],
    without: [],
  },
  'without @types/node and electron': {
    dependencies: { rxjs: '7.8.2' },
    types: [],
    without: ['/electron', '/electron/main'],
  },
  // A peer that package managers install; by npm it is left out with this option alone.
  'without rxjs too': {
    dependencies: {},
    args: ['--legacy-peer-deps'],
    types: [],
    without: [
      'sdk',
      '/electron',
      '/electron/main',
      '/electron/renderer',
      '/react',
      '/backend',
      '/backend/fleet',
      '/testing',
    ],
  },
};

interface Surroundings {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly types: readonly string[];
  /** Endings of the entry points that need what is missing. */
  readonly without: readonly string[];
}

export const typeRows: readonly Row[] = Object.entries(surroundings).map(([title, given]) => ({
  group: 'types',
  name: `TypeScript ${compilers.join(', ')} with ${Object.keys(resolutions).join(', ')}, ${title}`,
  run: bench => check(bench, given),
}));

async function check(bench: Bench, { dependencies, args, types, without }: Surroundings): Promise<undefined> {
  const project = await openInstalled(bench, { dependencies: { '@rallypoint/sdk': '*', ...dependencies } }, args);
  const opened = entryPoints.filter(entry => !without.some(ending => entry.endsWith(ending)));
  const text = opened.map((entry, index) => `import * as e${index} from '${entry}';\nexport { e${index} };`).join('\n');
  for (const file of ['all.mts', 'all.cts', 'all.ts']) project.write(file, text);
  const failures: string[] = [];
  for (const version of compilers) {
    for (const [name, { files, until, ...resolution }] of Object.entries(resolutions)) {
      if (until !== undefined && version !== until) continue;
      const said = await compile(bench, project, version, files, { ...resolution, types });
      if (said !== '') failures.push(`TypeScript ${version}, ${name}:\n${said}`);
    }
  }
  project.remove();
  assert.deepEqual(failures, [], failures.join('\n'));
  return undefined;
}

async function compile(
  { tools }: Bench,
  project: Project,
  version: string,
  files: readonly string[],
  options: object,
): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', ...options };
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(process.execPath, [tools.file(`typescript-${version}/bin/tsc`), '-p', project.path], {
    cwd: project.path,
  });
  return stdout;
}
