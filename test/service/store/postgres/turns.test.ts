import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Component, Job, Turns } from '../../../../src/service/store/postgres/turns.ts';

const job = (number: number, [scope = 'a', ...guards]: readonly string[]) =>
  new Job({ scope, guards, work: () => {}, number, deadlineMs: 0 });

const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: keys }) },
  { weight: 1, arbitrary: fc.constant({ take: true as const }) },
  { weight: 1, arbitrary: fc.record({ release: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ settle: fc.nat(9) }) },
);

describe('turns', () => {
  it('give jobs with a common key one component or one order, all of them in the end, whatever is answered early', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const turns = new Turns();
        const all: Job[] = [];
        const begun: Job[] = [];
        let running: Component[] = [];
        const take = () => {
          for (const component of turns.take()) {
            expect(running.some(other => [...other.keys].some(key => component.keys.has(key)))).toBe(false);
            expect([...component.keys].sort()).toEqual([...new Set(component.jobs.flatMap(({ keys }) => keys))].sort());
            running.push(component);
            begun.push(...component.jobs);
          }
        };
        const release = (component: Component | undefined) => {
          if (!component) return;
          running = running.filter(other => other !== component);
          turns.release(component);
        };
        for (const one of steps) {
          if ('add' in one) {
            const added = job(all.length, one.add);
            all.push(added);
            turns.add(added);
          } else if ('take' in one) take();
          else if ('release' in one) release(running[one.release]);
          else {
            const waiting = all.filter(other => !begun.includes(other) && !other.isSettled)[one.settle];
            waiting?.resolve(undefined);
            if (waiting) turns.drop(waiting);
          }
        }
        for (let left = all.length + 1; left > 0; left--) {
          take();
          for (const component of running) release(component);
        }
        expect(turns.isIdle).toBe(true);
        const due = all.filter(one => begun.includes(one) || !one.isSettled);
        expect(new Set(begun)).toEqual(new Set(due));
        expect(begun).toHaveLength(due.length);
        for (const key of 'abcde') {
          const order = begun.filter(one => one.keys.includes(key)).map(({ number }) => number);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('keep a component within 128 jobs, and the rest in its order', () => {
    const turns = new Turns();
    for (let number = 0; number < 300; number++) turns.add(job(number, ['a']));
    const sizes: number[] = [];
    for (let [component] = turns.take(); component; [component] = turns.take()) {
      expect(component.jobs[0]?.number).toBe(sizes.reduce((sum, size) => sum + size, 0));
      sizes.push(component.jobs.length);
      turns.release(component);
    }
    expect(sizes).toEqual([128, 128, 44]);
  });

  it('keep the keys of a component within 400', () => {
    const turns = new Turns();
    const many = (number: number) => ['a', ...Array.from({ length: 150 }, (_, at) => `${number}/${at}`)];
    for (let number = 0; number < 3; number++) turns.add(job(number, many(number)));
    expect(turns.take().map(component => component.jobs.length)).toEqual([2]);
  });
});
