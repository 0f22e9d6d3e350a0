import { expect, it } from 'vitest';
import { componentLimits, limits } from '../../src/model/limits.ts';
import { intakeLimits } from '../../src/service/service-limits.ts';

it.each(Object.entries({ limits, componentLimits, intakeLimits }))('%s are few enough to be read fast', (_, table) => {
  expect(Object.keys(table).length).toBeLessThan(128);
});
