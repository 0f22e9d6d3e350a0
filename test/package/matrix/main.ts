import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../project.ts';
import { openWorld } from '../story.ts';
import { bundlerRows } from './bundlers.ts';
import { checkRows } from './checks.ts';
import { managerRows } from './managers.ts';
import { openInstalled, type Result, runRows } from './matrix.ts';
import { packagerRows } from './packagers.ts';
import { serveRegistry } from './registry.ts';
import { runtimeRows } from './runtimes.ts';
import { openTools } from './tools.ts';
import { typeRows } from './types.ts';

/**
 * `npm run test:package`: the package as its users install, type-check, bundle, run and pack it. Everything but our own
 * package comes from the network, at pinned versions. Arguments choose rows whose group or name contains one of them.
 */
const all = [...checkRows, ...managerRows, ...runtimeRows, ...typeRows, ...bundlerRows, ...packagerRows];
const chosen = process.argv.slice(2);
const rows = all.filter(
  ({ group, name }) => chosen.length === 0 || chosen.some(part => `${group}: ${name}`.includes(part)),
);
// Each open project removes itself at the end.
process.setMaxListeners(100);
if (rows.length === 0) throw new Error(`No row contains ${chosen.join(' or ')}.`);

const start = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - start) / 1000)).padStart(4)} s  ${line}`);
const folder = mkdtempSync(join(tmpdir(), 'rallypoint-tarball-'));
const tarball = await pack(folder);
say(`packed ${tarball}`);
const tools = await openTools();
say(`tools are in ${tools.folder}`);
const [registry, world] = [await serveRegistry(tarball), await openWorld()];
const installed = await openInstalled(
  { registry: registry.address },
  { dependencies: { '@rallypoint/sdk': '*', react: '19.3.1', rxjs: '7.8.2' } },
);
say('installed the package once; now the rows');

const marks = { ok: '✓', skipped: '–', failed: '✗' };
const line = ({ row, outcome, seconds, detail }: Result) =>
  `${marks[outcome]} ${row.group}: ${row.name} (${seconds} s)${outcome === 'skipped' ? `: skipped, ${detail}` : ''}`;
const results = await runRows(rows, { tarball, registry: registry.address, tools, world, installed }, result => {
  say(line(result));
  if (result.outcome === 'failed') console.log(result.detail.replace(/^/gm, '        '));
});

for (const closing of [registry.close(), world.close()]) await closing;
installed.remove();
rmSync(folder, { recursive: true, force: true });

console.log(`\n${results.map(line).join('\n')}`);
const failed = results.filter(({ outcome }) => outcome === 'failed').length;
say(
  `${results.length} rows, ${failed} failed, ${results.filter(({ outcome }) => outcome === 'skipped').length} skipped`,
);
process.exitCode = failed === 0 ? 0 : 1;
