import assert from 'node:assert/strict';
import { join } from 'node:path';
import { entryPoints, manifest, type Project, run } from '../project.ts';
import { toldByGame, withoutExperiments } from '../story.ts';
import { expectGood, play, type Row } from './matrix.ts';
import { runtimes } from './tools.ts';

const oldest = 22;

export const runtimeRows: readonly Row[] = runtimes.map(version =>
  Number.parseInt(version, 10) < oldest
    ? {
        group: 'node',
        name: `Node ${version}: each entry point and the command say which Node they need`,
        async run({ installed, tools }) {
          // A preload script loads nothing else, so that it works in a sandbox.
          for (const entryPoint of entryPoints.filter(name => !name.endsWith('/preload'))) {
            for (const file of imports(installed, entryPoint)) {
              const { code, stderr } = await run(tools.node(version), [file], { cwd: installed.path });
              assert.notEqual(code, 0, `${file} was loaded`);
              assert.match(stderr, /Node(\.js)? 22\.13/, entryPoint);
            }
          }
          const { code, stderr } = await run(tools.node(version), [command(installed), '--version'], { cwd: '/' });
          // From a shell that has a newer one beside the package it goes on under that; here there is none.
          assert.deepEqual([code, /Node\.js 22\.13\.0 or newer/.test(stderr)], [1, true], stderr);
          return undefined;
        },
      }
    : {
        group: 'node',
        name: `Node ${version}: game, server and command run; each entry point is imported and required`,
        async run(bench) {
          const { installed, tools } = bench;
          const node = tools.node(version);
          for (const entryPoint of entryPoints) {
            for (const file of imports(installed, entryPoint)) {
              const { stderr } = expectGood(await run(node, [file], { cwd: installed.path }));
              assert.equal(withoutExperiments(stderr), '', entryPoint);
            }
          }
          const { addon } = toldByGame(await play(bench, join(installed.path, 'game.js'), node));
          assert.equal(addon, 'The native addon is loaded.');
          const served = await play(bench, join(installed.path, 'server.js'), node);
          assert.deepEqual(served, { code: 0, stdout: '{"members":1}\n', stderr: '' });
          const { stdout } = expectGood(await run(node, [command(installed), '--version'], { cwd: '/' }));
          assert.equal(stdout.trim(), manifest.version);
          return undefined;
        },
      },
);

function imports(project: Project, entryPoint: string): readonly string[] {
  const name = entryPoint.replaceAll(/\W/g, '-');
  return [
    project.write(`import${name}.mjs`, `import '${entryPoint}';\n`),
    project.write(`require${name}.cjs`, `require('${entryPoint}');\n`),
  ];
}

function command(project: Project): string {
  return join(project.path, 'node_modules', '@rallypoint', 'sdk', 'bin', 'rallypoint.js');
}
