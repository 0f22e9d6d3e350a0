import { expect, it } from 'vitest';
import { componentLimits } from '../../../src/model/limits/component-limits.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';

it.each(Object.entries({ limits, componentLimits, intakeLimits }))('%s are few enough to be read fast', (_, table) => {
  expect(Object.keys(table).length).toBeLessThan(128);
});
