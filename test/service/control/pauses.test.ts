import { expect, it } from 'vitest';
import { eachWithPauses } from '../../../src/service/control/traffic/query.ts';

it('lets other work run while many large items are gone through', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const seen: number[] = [];
  await eachWithPauses([1, 2, 3, 4], item => {
    seen.push(item);
    for (const until = performance.now() + 20; performance.now() < until; );
  });
  clearImmediate(timer);
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(turns).toBeGreaterThanOrEqual(3);
});
