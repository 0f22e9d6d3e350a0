import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativePlaces } from '../../src/sdk/native/built-files.ts';
import { builtAddon, compiled } from './built.ts';

describe.skipIf(compiled.missing)(`the addon itself, without the checks around it${compiled.note}`, () => {
  it('answers arguments of any kind with an error or a value, and never crashes', async () => {
    await builtAddon();
    const addon = rawAddon();
    const hostile = fc.oneof(
      fc.anything(),
      fc.record({ scheme: fc.anything(), id: fc.anything(), name: fc.anything(), command: fc.anything() }),
      fc.constant(
        new Proxy(
          {},
          {
            get() {
              throw new Error('no field');
            },
          },
        ),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(addon)), fc.array(hostile, { maxLength: 3 }), (name, args) => {
        // Only what can write nothing: a text may be a path.
        if (args.some(isText)) return;
        expect(() => addon[name]?.(...args)).toThrow(Error);
      }),
      { numRuns: 2000 },
    );
  });

  it('says EINVAL for what is no text, or one with a NUL', async () => {
    await builtAddon();
    const { tryLock, handlerOf, unregisterScheme, registerScheme } = rawAddon();
    const registration = { scheme: 'ab', id: 'a', name: 'A', command: ['/bin/true'] };
    const calls: (() => unknown)[] = [
      () => tryLock?.(),
      () => tryLock?.('/tmp/a\0b'),
      () => handlerOf?.(1),
      () => handlerOf?.(''),
      () => unregisterScheme?.('ab'),
      () => registerScheme?.({ ...registration, command: [] }),
      () => registerScheme?.({ ...registration, command: 'x' }),
      () => registerScheme?.({ ...registration, command: ['/bin/true', 1] }),
      () => registerScheme?.({ ...registration, command: [''] }),
      () => registerScheme?.({ ...registration, name: undefined }),
    ];
    for (const call of calls) expect(call, call.toString()).toThrow(expect.objectContaining({ code: 'EINVAL' }));
  });
});

type Raw = Readonly<Record<string, (...args: unknown[]) => unknown>>;

function rawAddon(): Raw {
  for (const folder of nativePlaces()) {
    const module: { exports: Raw } = { exports: {} };
    try {
      process.dlopen(module, join(folder, 'rallypoint.node'));
      return module.exports;
    } catch {}
  }
  throw new Error('It is not built.');
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
