import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/wire/turns.ts';

describe('Turns', () => {
  it('come one after another in a line, and lines do not wait for each other', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const run = async (line: string, name: string, work = Promise.resolve()) => {
      const turn = turns.take(line);
      await turn.begins;
      seen.push(name);
      await work;
      turn.end();
    };
    const slow = Promise.withResolvers<void>();
    const all = [run('a', 'a1', slow.promise), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
    await new Promise(resolve => setImmediate(resolve));
    expect(seen).toEqual(['a1', 'b1']);
    slow.resolve();
    await Promise.all(all);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('are kept in order by one that is given up: those behind it still wait for those before it', async () => {
    const turns = new Turns();
    const [first, second, third] = [turns.take('a'), turns.take('a'), turns.take('a')];
    expect([first.isFirst, second.isFirst]).toEqual([true, false]);
    let begun = false;
    void third.begins.then(() => {
      begun = true;
    });
    second.end();
    await new Promise(resolve => setImmediate(resolve));
    expect(begun).toBe(false);
    first.end();
    await third.begins;
    third.end();
    await new Promise(resolve => setImmediate(resolve));
    expect(turns.take('a').isFirst).toBe(true);
  });
});
