import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src/cli/early-optimization.ts');

/** Calls a function 2,500 times, a few in each turn of the event loop, and lets V8 say what it compiles. */
async function compiled(prepare: string): Promise<string> {
  const program = `
    ${prepare}
    function served(n) { return n % 7 === 0 ? String(n) : n * 2; }
    let sum = 0;
    for (let call = 0; call < 2500; call++) {
      sum += served(call).length ?? 0;
      if (call % 10 === 0) await new Promise(setImmediate);
    }
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--trace-opt', '--input-type=module', '--eval', program],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
}

const byLastCompiler = /compiling method .*<JSFunction served.*TURBOFAN/;

it('V8’s last compiler works on a function that was called some hundred times', async () => {
  const early = await compiled(`await (await import(${JSON.stringify(source)})).optimizeEarly();`);
  expect(early).toMatch(byLastCompiler);
  expect(await compiled('')).not.toMatch(byLastCompiler);
});
