import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** Every file and built-in module that importing an entry point loads, as a fresh process sees it. */
async function loadedBy(entry: string): Promise<string[]> {
  const hooks = `export async function load(url, context, next) {
    process._rawDebug(url);
    return next(url, context);
  }`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    await import(${JSON.stringify(join(source, entry))});`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return stderr.split('\n').filter(line => /^(file|node):/.test(line));
}

describe.each(['sdk/index.ts', 'sdk/electron/index.ts'])('importing %s', entry => {
  it('loads no package but some of rxjs, nothing of the service and the backend, and none of the slow built-in modules', async () => {
    const loaded = await loadedBy(entry);
    expect(loaded.some(url => url.endsWith(entry))).toBe(true);
    const packages = new Set(loaded.flatMap(url => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
    expect([...packages].filter(name => name !== 'rxjs' && name !== 'tslib')).toEqual([]);
    // Its main entry point alone loads some two hundred.
    expect(loaded.filter(url => url.includes('node_modules/rxjs/')).length).toBeLessThan(25);
    expect(loaded.filter(url => /\/src\/(service|backend|cli)\//.test(url))).toEqual([]);
    expect(loaded.filter(url => /^node:(http|https|net|tls|child_process)$/.test(url))).toEqual([]);
  });
});
