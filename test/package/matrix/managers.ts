import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, entryPoints, manifest, openProject, type Project, root, run } from '../project.ts';
import { toldByGame } from '../story.ts';
import { type Bench, expectGood, expectQuiet, openInstalled, play, type Row } from './matrix.ts';

type Say = (...args: readonly string[]) => Promise<Ended>;

interface Manager {
  /** Settings in the project, by file. */
  readonly settings: (bench: Bench, usual: Usual) => Readonly<Record<string, string>>;
  readonly command: (bench: Bench, project: Project) => Say;
  readonly add: readonly string[];
  /** How it runs a program of a package, and Node where packages are found its way. */
  readonly exec: readonly string[];
  readonly node?: readonly string[];
  readonly allowed?: readonly RegExp[];
}

/** Settings of the machine that every package manager needs, from npm's. */
interface Usual {
  readonly registry: string;
  readonly cafile: string;
}

const quiet = ['--no-audit', '--no-fund'];
const scoped = ({ registry }: Bench, usual: Usual) => ({
  '.npmrc': `registry=${usual.registry}\n@rallypoint:registry=${registry}/\n`,
});
const byScript =
  (script: string) =>
  ({ tools, world }: Bench, project: Project): Say =>
  (...args) =>
    // In the project: Plug’n’Play runs packages from there, and does not find them through a symbolic link.
    tools.run(script, args, {
      cwd: project.path,
      env: { ...world.env, YARN_CACHE_FOLDER: join(project.path, '.yarn', 'cache') },
    });
const berry = (nodeLinker: string) => (bench: Bench, usual: Usual) => ({
  'yarn.lock': '',
  '.yarnrc.yml': [
    `npmScopes: { rallypoint: { npmRegistryServer: "${bench.registry}" } }`,
    `npmRegistryServer: "${usual.registry.replace(/\/$/, '')}"`,
    ...(usual.cafile === '' ? [] : [`httpsCaFilePath: "${usual.cafile}"`]),
    'unsafeHttpWhitelist: ["127.0.0.1"]',
    'enableTelemetry: false',
    'enableGlobalCache: false',
    `nodeLinker: ${nodeLinker}`,
  ].join('\n'),
});

const managers: Readonly<Record<string, Manager>> = {
  npm: {
    settings: scoped,
    command:
      ({ world }, project) =>
      (...args) =>
        run('npm', args, { cwd: project.path, env: world.env }),
    add: ['install', ...quiet],
    exec: ['exec', '--offline', '--'],
    // A setting of the machine that this npm does not know is not ours to mend.
    allowed: [/Unknown user config/],
  },
  pnpm: {
    settings: scoped,
    command:
      ({ tools, world }, project) =>
      (...args) =>
        run(tools.file('.bin/pnpm'), [...args, `--config.store-dir=${join(tools.folder, 'pnpm')}`], {
          cwd: project.path,
          env: world.env,
        }),
    add: ['add'],
    exec: ['exec'],
  },
  'yarn 1': {
    settings: scoped,
    command: byScript('yarn/bin/yarn.js'),
    add: ['add', '--non-interactive'],
    exec: ['--silent', 'run'],
    allowed: [
      // Of itself, under a Node that is newer than it.
      /DEP\d+|DeprecationWarning|trace-deprecation/,
      // What it lists as installed.
      /^[├└]─ /,
      // Of every package whose own repository has workspaces.
      /Workspaces can only be enabled in private projects/,
    ],
  },
  'yarn 4, node_modules': {
    settings: berry('node-modules'),
    command: byScript('@yarnpkg/cli-dist/bin/yarn.js'),
    add: ['add'],
    exec: ['run'],
  },
  'yarn 4, Plug’n’Play': {
    settings: berry('pnp'),
    command: byScript('@yarnpkg/cli-dist/bin/yarn.js'),
    add: ['add'],
    exec: ['run'],
    node: ['node'],
    // It warns of every package of ES modules.
    allowed: [/ESM support for PnP|Done with warnings/],
  },
};

export const managerRows: readonly Row[] = [
  ...Object.entries(managers).map(([name, manager]) => ({
    group: 'install',
    name: `${name}: quiet install; ES modules, CommonJS and the command run`,
    run: (bench: Bench) => installBy(bench, manager),
  })),
  {
    group: 'install',
    name: 'npm --omit=optional --ignore-scripts: runs, and says which keychain libraries are missing',
    async run(bench) {
      const args = ['--omit=optional', '--ignore-scripts'];
      const project = await openInstalled(bench, { dependencies: { '@rallypoint/sdk': '*' } }, args);
      const { addon, keychain } = toldByGame(await play(bench, join(project.path, 'game.js')));
      assert.equal(addon, 'The native addon is loaded.');
      assert.match(keychain, /^keychain_missing: keytar cannot be loaded: it is not installed/);
      const skipped = await reachKeytar(bench, project);
      project.remove();
      return skipped;
    },
  },
];

async function installBy(bench: Bench, { settings, command, add, exec, node, allowed }: Manager): Promise<undefined> {
  const project = openProject({ type: 'module' });
  for (const [file, text] of Object.entries(settings(bench, await usualSettings()))) project.write(file, text);
  const say = command(bench, project);
  expectQuiet(await say(...add, '@rallypoint/sdk', 'rxjs', 'react'), allowed);
  const required = entryPoints.filter(entry => !entry.endsWith('/electron')).map(entry => `require('${entry}');`);
  project.write('required.cjs', `${required.join('\n')}\nconsole.log('required');`);
  const runNode = (file: string) => (node ? say(...node, file) : play(bench, join(project.path, file)));
  const { addon, forwarder, keychain } = toldByGame(await runNode('game.js'));
  assert.equal(addon, 'The native addon is loaded.');
  assert.match(forwarder, /^The forwarder is /);
  // @napi-rs/keyring came along and was asked; the test has no keychain for it.
  assert.match(keychain, /^keychain_no_bus: /);
  assert.deepEqual(await runNode('required.cjs'), { code: 0, stdout: 'required\n', stderr: '' });
  const { stdout } = expectGood(await say(...exec, 'rallypoint', '--version'));
  assert.equal(stdout.trim(), manifest.version);
  project.remove();
  return undefined;
}

/** keytar, where this checkout has it built, is found beside the package. @returns why that could not be tried */
async function reachKeytar(bench: Bench, project: Project): Promise<string | undefined> {
  const keytar = join(root, 'node_modules', 'keytar');
  if (!existsSync(join(keytar, 'build', 'Release', 'keytar.node'))) return 'keytar is not built here (libsecret-1-dev)';
  cpSync(keytar, join(project.path, 'node_modules', 'keytar'), { recursive: true });
  const { keychain } = toldByGame(await play(bench, join(project.path, 'game.js')));
  assert.match(keychain, /^keychain_no_bus: /);
  return undefined;
}

async function usualSettings(): Promise<Usual> {
  const get = async (name: string) => {
    const value = (await run('npm', ['config', 'get', name], { cwd: root })).stdout.trim();
    return value === 'null' || value === 'undefined' ? '' : value;
  };
  return { registry: await get('registry'), cafile: await get('cafile') };
}
