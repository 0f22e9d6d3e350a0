import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, deltaOf, lengthOf } from '../../../src/service/support/text-delta.ts';

const member = (n: number, more: object = {}) => ({ user_id: String(n), user: { username: `player${n}` }, ...more });
const lobby = (metadata: object, members: readonly object[]) =>
  JSON.stringify({ id: '1', metadata, members, flags: 0 });
const thousand = Array.from({ length: 1000 }, (_, n) => member(n));

/** A text and another that was made of it by moving, dropping and adding pieces. */
const pair = fc
  .tuple(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 12 }), fc.infiniteStream(fc.nat()))
  .map(([words, picks]) => {
    const pick = () => picks.next().value ?? 0;
    const other = words.flatMap(word => [[], [word], [word, word], [`${word}!`]][pick() % 4] ?? []);
    return [words.join('},{'), other.join('},{')] as const;
  });

describe('the difference of two texts', () => {
  it('gives the text again, whatever both are, or is none', () => {
    fc.assert(
      fc.property(fc.oneof(pair, fc.tuple(fc.string(), fc.string())), ([base, text]) => {
        const parts = deltaOf(base, text);
        if (parts) expect(applyDelta(base, parts)).toBe(text);
      }),
    );
  });

  it('survives being written as JSON, also where it cuts a character in two', () => {
    const text = lobby({ map: '😀' }, thousand);
    const base = lobby({ map: '😁' }, thousand);
    const parts = deltaOf(base, text) ?? [];
    expect(applyDelta(base, JSON.parse(JSON.stringify(parts)))).toBe(text);
  });

  it.each([
    ['its metadata', lobby({ round: '2' }, thousand)],
    [
      'a member at each end',
      lobby({ round: '1' }, [member(0, { flags: 1 }), ...thousand.slice(1, -1), member(999, { flags: 1 })]),
    ],
    ['one member more', lobby({ round: '1' }, [...thousand, member(1000)])],
    ['one member less', lobby({ round: '1' }, thousand.toSpliced(500, 1))],
    [
      'every tenth member',
      lobby(
        { round: '1' },
        thousand.map((one, n) => (n % 10 ? one : { ...one, connected: true })),
      ),
    ],
  ])('of a lobby of 1,000 that changed in %s is a small part of it', (_, text) => {
    const base = lobby({ round: '1' }, thousand);
    const parts = deltaOf(base, text);
    expect(parts && applyDelta(base, parts)).toBe(text);
    expect(lengthOf(parts ?? [])).toBeLessThan(text.length / 4);
  });

  it('is none where little is the same', () => {
    expect(deltaOf(lobby({}, thousand), JSON.stringify({ other: 'x'.repeat(5000) }))).toBeUndefined();
  });
});
