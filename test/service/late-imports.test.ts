import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const sources = join(import.meta.dirname, '../../src/service');
const child = join(import.meta.dirname, 'late-imports-child.ts');

function lateImports(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));
  return files.flatMap(name => {
    const text = readFileSync(join(sources, name), 'utf8');
    return [...text.matchAll(/(?<!typeof )\bimport\('([^']+)'\)(?!\.\w+\b(?!\())/g)].map(
      ([, specifier = '']) => specifier,
    );
  });
}

/** Each import that is done while requests come, with what it may fail while it fails. */
const cases = {
  './connection/socket.ts': ['socket', 'etf'],
  './connection/etf/frames.ts': ['etf'],
  './site.ts': ['page', 'player', 'log'],
  './document.ts': ['openapi'],
  jose: ['keys', 'player'],
  '../telemetry/exposition.ts': ['metrics'],
  undici: [],
} as const;

describe('an import that is done late', () => {
  it('is one of those that are tried here, or done before traffic is accepted', () => {
    const cluster = ['./open-shared.ts', './store/protected-keys.ts', './support/vault.ts'];
    const before = ['./store/sqlite/store.ts', './telemetry/tracing.ts', ...cluster];
    // Of Node.js itself, and asked for within the delivery that undici is tried with.
    const builtIn = ['node:dns/promises'];
    expect(new Set(lateImports())).toEqual(new Set([...Object.keys(cases), ...before, ...builtIn]));
  });

  it.each(Object.entries(cases))(
    '(%s) fails its own requests while it fails, and nothing later',
    async (name, failing) => {
      const process_ = spawn(process.execPath, [child, name], { stdio: ['ignore', 'pipe', 'pipe'] });
      let [stdout, stderr] = ['', ''];
      process_.stdout.on('data', chunk => (stdout += chunk));
      process_.stderr.on('data', chunk => (stderr += chunk));
      const [code] = await once(process_, 'close');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { failures, during, after, failed } = JSON.parse(stdout);
      const all = {
        socket: true,
        etf: true,
        page: true,
        openapi: true,
        keys: true,
        player: true,
        log: true,
        metrics: true,
        api: true,
      };
      expect(failures).toBeGreaterThan(0);
      expect(during).toEqual({ ...all, ...Object.fromEntries(failing.map(one => [one, false])) });
      expect(after).toEqual(all);
      for (const status of failed) expect(status).toBe(503);
    },
  );
});
