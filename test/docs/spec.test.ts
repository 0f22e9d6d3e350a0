import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { figuresIn, fillSpec, tablesIn } from '../../scripts/spec/fill.ts';
import { routeGroups, routesOf } from '../../scripts/spec/routes.ts';
import { specTables } from '../../scripts/spec/tables.ts';
import { type DispatchName, dispatchIntents, intents } from '../../src/model/gateway.ts';
import { callbackTypes } from '../../src/model/interaction.ts';
import { componentLimits } from '../../src/model/limits/component-limits.ts';
import { embedLimits } from '../../src/model/limits/embed-limits.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { routes } from '../../src/wire/routes.ts';

const root = join(import.meta.dirname, '../..');
const names = [...globSync('docs/spec/*.md', { cwd: root }), 'docs/security.md'];
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const all = names.map(read).join('\n');

describe('docs/spec', () => {
  it.each(names)('%s has the figures and tables of the code (npm run docs:tables writes them)', name => {
    const page = read(name);
    expect(fillSpec(page)).toBe(page);
  });

  it('states every bound of the model', () => {
    const stated = new Set(figuresIn(all).map(name => name.split('.')[0]));
    const bounds = Object.entries({ ...limits, ...componentLimits, ...embedLimits }).filter(
      ([, value]) => typeof value !== 'bigint',
    );
    // 2^53 − 1, 2^53: the pages write these as powers.
    const asPowers = ['integerMax', 'numberMax'];
    expect(bounds.map(([name]) => name).filter(name => !stated.has(name) && !asPowers.includes(name))).toEqual([]);
  });

  it('shows every table once', () => {
    expect(tablesIn(all).toSorted()).toEqual(Object.keys(specTables).toSorted());
  });

  it('lists every route in one group', () => {
    const listed = routeGroups.flatMap(routesOf);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.length).toBe(Object.keys(routes).length);
  });

  it('names every event of the gateway', () => {
    const [, body = ''] = /export interface Dispatches \{([\s\S]*?)\n\}/.exec(readSource('Dispatches')) ?? [];
    const events = [...body.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    expect(events.length).toBeGreaterThan(30);
    const page = read('docs/spec/gateway.md');
    expect(events.filter(name => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('says of every event which intents let it through', () => {
    const [, events = ''] = read('docs/spec/gateway.md').split('\n## Events\n');
    const rows = (events.split('\n## ')[0] ?? '')
      .split('\n')
      .map(line => line.split('|').map(cell => cell.trim()))
      .filter(([, events = '']) => /^`[A-Z]+_?[A-Z_]*`(, `|$)/.test(events));
    const stated = rows.flatMap(([, events = '', , needed = '']) =>
      [...events.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => [name, needed.match(/[A-Z_]{4,}/g) ?? []] as const),
    );
    expect(stated.length).toBeGreaterThan(30);
    for (const [name, needed] of stated) {
      const bits = dispatchIntents[name as DispatchName] ?? 0;
      const names = Object.entries(intents).filter(([, bit]) => (bits & bit) !== 0);
      expect([name, ...needed]).toEqual([name, ...names.map(([intent]) => intent)]);
    }
  });

  it('lists every type of callback', () => {
    const page = read('docs/spec/interactions.md');
    const rows = Object.entries(callbackTypes).map(([name, value]) => `\n| ${value} | ${name} | `);
    expect(rows.filter(row => !page.includes(row))).toEqual([]);
  });

  it('names functions and structures of the client that exist', () => {
    const report = read('docs/api/sdk.api.md');
    const named = read('docs/spec/client.md')
      .split('\n')
      .filter(line => line.startsWith('| `') || line.startsWith('| one') || line.startsWith('| lobby callbacks'))
      .flatMap(line => [...(line.split('|')[2] ?? '').matchAll(/`([A-Za-z]+\$?)(?:\(\))?`/g)].map(([, name]) => name));
    const isStatus = (name: string | undefined) => new RegExp(`'${name}'`).test(report);
    const isKnown = (name: string | undefined) => new RegExp(`\\b${name?.replace('$', '\\$')}(?![\\w$])`).test(report);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(name => !isKnown(name) && !isStatus(name))).toEqual([]);
  });
});

/** The source in which the interface is declared, wherever it lies. */
function readSource(name: string): string {
  const files = globSync('src/model/**/*.ts', { cwd: root });
  const found = files.map(read).find(text => text.includes(`export interface ${name} {`));
  if (found === undefined) throw new Error(`No file of src/model declares ${name}.`);
  return found;
}
