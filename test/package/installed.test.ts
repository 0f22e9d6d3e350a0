import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import listed from './entry-points.json' with { type: 'json' };
import {
  copyPackage,
  entryPoints,
  installOffline,
  manifest,
  neededPackages,
  openProject,
  type Project,
  pack,
  root,
  run,
} from './project.ts';

const project = openProject();
let tarball: string;
let installed: string;

beforeAll(async () => {
  tarball = await pack(project.path);
  installed = await installOffline(project, tarball, neededPackages);
}, 120_000);
afterAll(() => project.remove());

describe('the packed package', () => {
  it('has the listed entry points, and no others', () => {
    expect(entryPoints).toEqual(Object.keys(listed).map(entry => `@rallypoint/sdk${entry.slice(1)}`));
  });

  it.each(entryPoints)('shows exactly the listed names of %s, to import and to require', async entryPoint => {
    const names = listed[`.${entryPoint.slice('@rallypoint/sdk'.length)}` as keyof typeof listed];
    const imported = project.write('names.mjs', `console.log(Object.keys(await import('${entryPoint}')).join())`);
    const required = project.write('names.cjs', `console.log(Object.keys(require('${entryPoint}')).join())`);
    for (const file of [imported, required]) {
      const { stdout, stderr } = await run(process.execPath, [file], { cwd: project.path });
      const shown = stdout
        .trim()
        .split(',')
        .filter(name => name !== '__esModule' && name !== 'default');
      expect({ shown: shown.sort(), stderr }).toEqual({ shown: [...names].sort(), stderr: '' });
    }
  });

  it('recognizes what its other copy made, imported and required: each class of each entry point', async () => {
    const program = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      let classes = 0;
      for (const entryPoint of ${JSON.stringify(entryPoints)}) {
        const [imported, required] = [await import(entryPoint), require(entryPoint)];
        for (const [name, made] of Object.entries(imported)) {
          if (typeof made !== 'function' || !String(made).startsWith('class')) continue;
          classes++;
          const isKnown = Object.create(made.prototype) instanceof required[name] && Object.create(required[name].prototype) instanceof made;
          if (!isKnown) console.log(entryPoint, name);
        }
      }
      const { AuthorizationArgs } = await import('@rallypoint/sdk');
      const { AuthorizationArgs: Required } = require('@rallypoint/sdk');
      const args = new Required(new AuthorizationArgs().setClientId('7').setState('s').setScopes('openid'));
      console.log(classes > 30, args.clientId, args.state, args.scopes);`;
    const { stdout, stderr } = await run(process.execPath, [project.write('copies.mjs', program)], {
      cwd: project.path,
    });
    expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: 'true 7 s openid', stderr: '' });
  });

  it('shows little of its code when nobody catches an error', async () => {
    const wrong = `import { startService } from '@rallypoint/sdk/service'; await startService({ port: -1 });`;
    const { stderr } = await run(process.execPath, [project.write('wrong.mjs', wrong)], { cwd: project.path });
    expect(stderr).toContain('port must be a whole number from 0 to 65535 (got -1).');
    // Node.js quotes the line that threw.
    expect(stderr.length).toBeLessThan(2_000);
  });

  const never: Readonly<Record<string, RegExp>> = {
    '@rallypoint/sdk': /fastify|\/service|\/backend|node_modules\/(ws|openid-client|undici|keytar|@napi-rs|electron)\//,
    '@rallypoint/sdk/electron':
      /fastify|\/service|\/backend|node_modules\/(ws|openid-client|undici|keytar|@napi-rs|electron)\//,
    '@rallypoint/sdk/electron/preload': /dist\/(esm|cjs)\/(?!electron-preload\.js$)/,
    '@rallypoint/sdk/electron/renderer':
      /fastify|\/service|\/backend|\/dist\/(esm|cjs)\/index\.js$|node_modules\/(?!@rallypoint\/sdk\/|rxjs\/)/,
    '@rallypoint/sdk/react': /\/dist\/(esm|cjs)\/index\.js$|node_modules\/(?!@rallypoint\/sdk\/|react\/)/,
    '@rallypoint/sdk/backend': /fastify|\/service|node_modules\/(ws|openid-client|keytar|@napi-rs|electron)\//,
    '@rallypoint/sdk/backend/fleet':
      /fastify|\/service|node_modules\/(ws|openid-client|undici|keytar|@napi-rs|electron)\//,
    '@rallypoint/sdk/service': /node_modules\/(ws|openid-client|rxjs|keytar|@napi-rs|electron)\//,
    '@rallypoint/sdk/model':
      /fastify|\/service|\/backend|\/dist\/(esm|cjs)\/(sdk\/)?index\.js$|node_modules\/(?!@rallypoint\/sdk\/)/,
  };
  // Under an older one, files that are loaded cannot be listed.
  const unlisted = 'registerHooks' in nodeModule ? '' : ' (skipped: it needs Node.js 22.15)';
  it.skipIf(unlisted).each(Object.keys(never))(
    `loads nothing for %s that it does not need${unlisted}`,
    async entryPoint => {
      const trace = project.write(
        'trace.mjs',
        `import { registerHooks } from 'node:module';
       registerHooks({ load(url, context, next) { if (url.startsWith('file:')) console.log(url); return next(url, context); } });`,
      );
      const importing = project.write('load.mjs', `import '${entryPoint}';`);
      const requiring = project.write('load.cjs', `require('${entryPoint}');`);
      for (const file of [importing, requiring]) {
        const { stdout } = await run(process.execPath, ['--import', trace, file], { cwd: project.path });
        const loaded = stdout.split('\n').filter(line => line.includes('/node_modules/'));
        expect(loaded.length).toBeGreaterThan(0);
        const inPackage = loaded.map(url => url.replace(/^.*?\/node_modules\//, 'node_modules/'));
        expect(inPackage.filter(file => never[entryPoint]?.test(file))).toEqual([]);
      }
    },
  );

  it('has no scripts to run and no devDependencies to install when it is vendored as a folder', () => {
    const { name, scripts, devDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect({ name, scripts, devDependencies }).toEqual({ name: '@rallypoint/sdk' });
  });

  it('throws errors whose name is that of their class', async () => {
    const program = `import * as sdk from '@rallypoint/sdk'; console.log(new sdk.ValidationError('It', []).name, sdk.Client.name);`;
    const { stdout } = await run(process.execPath, [project.write('error-name.mjs', program)], { cwd: project.path });
    expect(stdout.trim()).toBe('ValidationError Client');
  });

  it('brings the command', async () => {
    const { stdout } = await run(process.execPath, [join(installed, 'bin/rallypoint.js'), '--version'], {
      cwd: project.path,
    });
    expect(stdout.trim()).toBe(manifest.version);
  });

  it('has every file that a link in one of its documents leads to', () => {
    const documents = globSync('**/*.md', { cwd: installed, exclude: name => name === 'node_modules' });
    expect(documents).toContain('README.md');
    const dead = documents.flatMap(document =>
      relativeLinks(readFileSync(join(installed, document), 'utf8'))
        .filter(link => !existsSync(join(installed, dirname(document), link)))
        .map(link => `${document}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('has maps that carry or find their sources, and no map that nothing points to', () => {
    const files = globSync('dist/**/*', { cwd: installed }).filter(file => /\.(map|js|mjs|cjs|ts|mts|cts)$/.test(file));
    const pointed = new Set<string>();
    const lost: string[] = [];
    for (const file of files) {
      const text = readFileSync(join(installed, file), 'utf8');
      if (!file.endsWith('.map')) {
        const [, name] = /^\/\/# sourceMappingURL=(\S+)\s*$/m.exec(text.slice(-300)) ?? [];
        if (name === undefined) continue;
        pointed.add(join(dirname(file), name));
        if (!existsSync(join(installed, dirname(file), name))) lost.push(`${file}: ${name}`);
        continue;
      }
      const { sources, sourcesContent = [] } = JSON.parse(text) as { sources: string[]; sourcesContent?: unknown[] };
      const without = sources.filter(
        (source, index) =>
          typeof sourcesContent[index] !== 'string' && !existsSync(join(installed, dirname(file), source)),
      );
      if (without.length > 0) lost.push(`${file}: ${without[0]}`);
    }
    expect(lost).toEqual([]);
    expect(files.filter(file => file.endsWith('.map') && !pointed.has(file))).toEqual([]);
  });

  it('carries the licences of what is bundled', () => {
    const licences = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licences).toContain('fastify');
    expect(readdirSync(installed)).toContain('LICENSE');
  });

  it('has nothing in package.json that publint finds fault with', async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map(message => ({ ...message }))).toEqual([]);
  });
});

const resolutions = {
  'with nodenext, as ES modules and CommonJS': { module: 'nodenext', files: ['all.mts', 'all.cts'] },
  'with a bundler': { module: 'esnext', moduleResolution: 'bundler', files: ['all.ts'] },
} as const;

describe('the types of the package, in a strict project without skipLibCheck', () => {
  const bare = openProject();

  beforeAll(async () => {
    await installOffline(bare, tarball, neededPackages);
    for (const name of ['@types/node', 'undici-types']) copyPackage(project, name);
    for (const { path, write } of [project, bare]) {
      // Who has no Electron does not import its entry point.
      const opened = entryPoints.filter(entry => path === project.path || !/\/electron(\/main)?$/.test(entry));
      const text = opened.map((entry, index) => `import * as e${index} from '${entry}';\nexport { e${index} };`);
      for (const file of ['all.mts', 'all.cts', 'all.ts']) write(file, text.join('\n'));
    }
  });
  afterAll(() => bare.remove());

  it.each(Object.entries(resolutions))('are accepted %s', async (_title, resolution) => {
    const electron = [join(root, 'node_modules/electron/electron.d.ts')];
    expect(await compile(project, { ...resolution, types: ['node'], paths: { electron } })).toBe('');
  });

  it.each(Object.entries(resolutions))('are accepted %s, without @types/node', async (_title, resolution) => {
    expect(await compile(bare, { ...resolution, types: [] })).toBe('');
  });
});

interface CompilerOptions {
  readonly files: readonly string[];
  readonly [option: string]: unknown;
}

/** What the compiler finds fault with. */
async function compile({ path, write }: Project, { files, ...options }: CompilerOptions): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2024', ...options };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', path], { cwd: path });
  return stdout;
}

/** Links of a document in Markdown that are paths, without what comes behind `#`. */
function relativeLinks(text: string): readonly string[] {
  const prose = text.replace(/^```.*?^```/gms, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link.replace(/#.*$/, ''));
  return links.filter(link => link !== '' && !/^[a-z][a-z0-9+.-]*:/.test(link));
}
