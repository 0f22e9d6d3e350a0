import { describe, expect, it } from 'vitest';
import { makeJoinCode, parseJoinCode } from '../../../samples/electron-lobby/main/join-code.ts';

const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

describe('the join code of a lobby', () => {
  it('is two words and twelve letters that are not read as one another', () => {
    for (let i = 0; i < 200; i++) expect(makeJoinCode()).toMatch(/^[a-z]+-[a-z]+(-[2-9A-HJ-NP-Z]{4}){3}$/);
  });

  it('is another each time', () => {
    expect(new Set(Array.from({ length: 1000 }, makeJoinCode)).size).toBe(1000);
  });

  it('uses every letter about as often, so that none of its random bits is lost', () => {
    const letters = Array.from({ length: 4000 }, makeJoinCode).flatMap(code => [...code.split('-').slice(2).join('')]);
    const counts = Object.values(Object.groupBy(letters, letter => letter)).map(all => all?.length ?? 0);
    expect(counts).toHaveLength(32);
    // 48,000 letters: 1,500 each, give or take six standard deviations.
    for (const count of counts) expect(Math.abs(count - 1500)).toBeLessThan(6 * Math.sqrt(1500));
  });

  it('is read in any case, with spaces or hyphens', () => {
    for (let i = 0; i < 200; i++) {
      const code = makeJoinCode();
      expect(parseJoinCode(code)).toBe(code);
      expect(parseJoinCode(`  ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(code);
      expect(parseJoinCode(code.toUpperCase())).toBe(code);
    }
  });

  it('with any one letter mistyped is found to be mistyped', () => {
    const code = makeJoinCode();
    const start = code.split('-').slice(0, 2).join('-').length + 1;
    for (let place = start; place < code.length; place++) {
      if (code[place] === '-') continue;
      for (const letter of `${alphabet}01OI`) {
        if (letter === code[place]) continue;
        expect(parseJoinCode(code.slice(0, place) + letter + code.slice(place + 1))).toBeUndefined();
      }
    }
  });

  it('with another word, a letter too few or too many, or nothing of it is found to be mistyped', () => {
    const [one = '', two = '', ...letters] = makeJoinCode().split('-');
    const other = one === 'amber' ? 'brave' : 'amber';
    const rest = letters.join('-');
    const typed = [`${other}-${two}-${rest}`, `${two}-${one}-${rest}`, `${one}x-${two}-${rest}`, rest, '', 'a secret'];
    for (const text of [...typed, `${one}-${two}-${rest}2`, `${one}-${two}-${rest.slice(0, -1)}`]) {
      expect(parseJoinCode(text), text).toBeUndefined();
    }
  });

  it('with two neighbours swapped is found to be mistyped, in all but a hundredth of the cases', () => {
    let swapped = 0;
    let found = 0;
    for (let i = 0; i < 500; i++) {
      const code = makeJoinCode();
      const start = code.lastIndexOf('-') + 1;
      for (let place = start; place < code.length - 1; place++) {
        const [a = '', b = ''] = [code[place], code[place + 1]];
        if (a === b) continue;
        swapped++;
        if (parseJoinCode(code.slice(0, place) + b + a + code.slice(place + 2)) === undefined) found++;
      }
    }
    expect(found / swapped).toBeGreaterThan(0.99);
  });
});
