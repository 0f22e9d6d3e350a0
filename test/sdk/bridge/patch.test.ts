import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../../../src/model/errors/errors.ts';
import { applyPatch, diff, type Patch } from '../../../src/sdk/bridge/patch.ts';

/** As the value arrives in another process. */
const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const member = (id: string, connected = false) => ({ id, connected, metadata: {} });
const members = (count: number) => Array.from({ length: count }, (_, at) => member(String(at)));

const plain = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, '', 'a', 'id', '__proto__'),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom('id', 'a', 'b', '__proto__', 'constructor'), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const entries = fc.uniqueArray(fc.record({ id: fc.nat({ max: 12 }), x: fc.nat({ max: 2 }) }), {
  selector: ({ id }) => id,
  maxLength: 12,
});

it('the patch between any two values makes the second of the first, also after a journey as JSON', () => {
  fc.assert(
    fc.property(plain, plain, (before, after) => {
      const patch = diff(before, after);
      const made = patch === undefined ? before : applyPatch(before, sent(patch));
      expect(made).toEqual(after);
    }),
  );
});

it('the patch between any two lists of snapshots makes the second of the first, whatever came, went or changed places', () => {
  fc.assert(
    fc.property(entries, entries, (before, after) => {
      const patch = diff(before, after);
      expect(patch === undefined ? before : applyPatch(before, sent(patch))).toEqual(after);
    }),
  );
});

it('equal values have no patch between them, though no part of them is the same object', () => {
  fc.assert(fc.property(plain, value => diff(value, sent(value)) === undefined));
  expect(diff([{ a: 1 }, { a: [{}] }], [{ a: 1 }, { a: [{}] }])).toBeUndefined();
});

it('a patch names only what changed: one of 1,000 members costs a few bytes', () => {
  const before = members(1000);
  const after = before.with(500, member('500', true));
  expect(diff(before, after)).toEqual([2, 500, [1, [1, { connected: [0, true] }]]]);
});

it('members who come and go in one patch are inserted and dropped where they are', () => {
  const before = members(1000);
  const after = [...before.slice(0, 10), ...before.slice(11, 800), member('new'), ...before.slice(800)];
  expect(diff(before, after)).toEqual([2, 10, -1, 789, [0, member('new')]]);
});

it('a patched value is frozen and shares with the one before what did not change', () => {
  const before = Object.freeze({
    list: Object.freeze([Object.freeze({ id: 'a', x: 1 }), Object.freeze({ id: 'b', x: 1 })]),
  });
  const after = { list: [before.list[0], { id: 'b', x: 2 }] };
  const made = applyPatch(before, sent(diff(before, after) as Patch)) as typeof before;
  expect(made.list[0]).toBe(before.list[0]);
  expect([made, made.list, made.list[1]].every(Object.isFrozen)).toBe(true);
});

it('a field that became undefined is gone, and one that was undefined is no difference', () => {
  expect(diff({ a: 1, b: 2 }, { a: undefined, b: 2 })).toEqual([1, {}, ['a']]);
  expect(diff({ a: undefined }, {})).toBeUndefined();
  expect(diff({}, { a: undefined })).toBeUndefined();
});

it('a patch for another value is a TypeError, so that no window shows a state that never was', () => {
  expect(() => applyPatch([], [1, {}])).toThrow(TypeError);
  expect(() => applyPatch({}, [2, 1])).toThrow(TypeError);
  expect(() => applyPatch([1], [2, 2])).toThrow(TypeError);
});

it('an error within a state arrives as an error of the same class, code and fields, and without its cause', () => {
  const error = new ApiError('Unknown Lobby', {
    status: 404,
    apiCode: 10031,
    route: 'GET /lobbies/{lobby_id}',
    issues: [],
  });
  const patch = diff({ status: 'ready' }, { status: 'reconnecting', error, list: [{ id: '1', error }] }) as Patch;
  const made = applyPatch({ status: 'ready' }, sent(patch)) as { error: ApiError; list: { error: ApiError }[] };
  for (const arrived of [made.error, made.list[0]?.error]) {
    expect(arrived).toBeInstanceOf(ApiError);
    expect(arrived).toMatchObject({
      name: 'ApiError',
      code: 'unknown_lobby',
      message: error.message,
      status: 404,
      apiCode: 10031,
    });
  }
});
