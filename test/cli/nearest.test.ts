import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest, suggestion } from '../../src/cli/nearest.ts';

describe('the nearest word', () => {
  it.each([
    ['srve', 'serve'],
    ['SERVE', 'serve'],
    ['sevre', 'serve'],
    ['--prot', '--port'],
    ['--memry', '--memory'],
  ])('of %j is %j', (word, meant) => {
    expect(nearest(word, ['help', 'serve', '--port', '--host', '--memory'])).toBe(meant);
  });

  it('is none when at most every third letter would not do', () => {
    expect(nearest('stop', ['serve', 'help'])).toBeUndefined();
    expect(suggestion('stop', ['serve', 'help'])).toBe('');
    expect(suggestion('hepl', ['serve', 'help'])).toBe(' Did you mean "help"?');
  });

  it('of a word with one letter added, dropped or swapped is the word', () => {
    const candidate = fc.constantFrom('serve', 'virtual-clock', 'ready-file', 'fixtures');
    fc.assert(
      fc.property(candidate, fc.nat(), fc.constantFrom('add', 'drop', 'swap'), (word, seed, change) => {
        const at = seed % (word.length - 1);
        const [before, after] = [word.slice(0, at), word.slice(at)];
        const misspelt = {
          add: `${before}z${after}`,
          drop: before + after.slice(1),
          swap: before + after.charAt(1) + after.charAt(0) + after.slice(2),
        }[change];
        expect(nearest(misspelt, ['serve', 'virtual-clock', 'ready-file', 'fixtures'])).toBe(word);
      }),
    );
  });
});
