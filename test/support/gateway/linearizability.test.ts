import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearize, type Observed, type Specification } from './linearizability.ts';

/** A register: `write n` answers nothing of interest, `read` answers the number. */
type Operation = { readonly write: number } | 'read';
const register: Specification<number, Operation, number> = {
  initial: 0,
  step(state, operation, result) {
    if (operation !== 'read') return operation.write;
    return result === undefined || result === state ? state : undefined;
  },
  keyOf: String,
};
const op = (
  operation: Operation,
  invokedAt: number,
  returnedAt: number,
  result: number | undefined = 0,
): Observed<Operation, number> => ({ operation, invokedAt, returnedAt, result });
const write = (value: number, from: number, to: number) => op({ write: value }, from, to);
const read = (value: number, from: number, to: number) => op('read', from, to, value);

describe('the linearizability checker', () => {
  it('finds the order of operations that follow each other, and of none', () => {
    expect(linearize([], register)).toEqual([]);
    expect(linearize([write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)], register)).toEqual([0, 1, 2, 3]);
  });

  it('lets operations that overlap happen in any order', () => {
    expect(linearize([write(1, 0, 9), read(0, 1, 2), read(1, 3, 4)], register)).toEqual([1, 0, 2]);
    expect(linearize([write(1, 0, 9), write(2, 0, 9), read(1, 10, 11)], register)).toEqual([1, 0, 2]);
  });

  it('rejects a read that is older than an acknowledged write', () => {
    expect(linearize([write(1, 0, 1), read(0, 2, 3)], register)).toBeUndefined();
  });

  it('rejects two reads that go back in time', () => {
    expect(linearize([write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)], register)).toBeUndefined();
  });

  it('rejects a lost write and a value that was never written', () => {
    expect(linearize([write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)], register)).toBeUndefined();
    expect(linearize([write(1, 0, 9), read(7, 1, 2)], register)).toBeUndefined();
  });

  it('lets an operation without an answer happen at any later time, or never', () => {
    const lost = op({ write: 1 }, 0, Number.POSITIVE_INFINITY, undefined);
    expect(linearize([lost, read(0, 1, 2)], register)).toEqual([1]);
    expect(linearize([lost, read(0, 1, 2), read(1, 3, 4)], register)).toEqual([1, 0, 2]);
    expect(linearize([lost, read(0, 1, 2), read(1, 3, 4), read(0, 5, 6)], register)).toBeUndefined();
  });

  it('gives up, rather than never end, when the history is too long', () => {
    const many = Array.from({ length: 30 }, (_, i) => write(i, 0, 9));
    expect(() => linearize([...many, read(-1, 10, 11)], register, 1_000)).toThrow('1000 steps');
  });

  it('agrees with trying every order', () => {
    const one = fc.record({
      operation: fc.oneof(fc.record({ write: fc.constantFrom(1, 2) }), fc.constant('read' as const)),
      invokedAt: fc.nat(8),
      length: fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY),
      value: fc.constantFrom(0, 1, 2),
    });
    const histories = fc.array(one, { maxLength: 5 }).map(all =>
      all.map(({ operation, invokedAt, length, value }) => {
        const hasAnswer = length !== Number.POSITIVE_INFINITY;
        return op(operation, invokedAt, invokedAt + length, hasAnswer ? value : undefined);
      }),
    );
    fc.assert(
      fc.property(histories, history => {
        expect(linearize(history, register) !== undefined).toBe(byForce(history));
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether some order of all answered and some unanswered operations does. */
function byForce(history: readonly Observed<Operation, number>[]): boolean {
  const tryFrom = (left: readonly Observed<Operation, number>[], state: number): boolean => {
    if (left.every(({ returnedAt }) => returnedAt === Number.POSITIVE_INFINITY)) return true;
    const firstReturn = Math.min(...left.map(({ returnedAt }) => returnedAt));
    return left.some(observed => {
      if (observed.invokedAt > firstReturn) return false;
      const next = register.step(state, observed.operation, observed.result);
      return (
        next !== undefined &&
        tryFrom(
          left.filter(other => other !== observed),
          next,
        )
      );
    });
  };
  return tryFrom(history, register.initial);
}
