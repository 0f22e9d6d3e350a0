import { describe, expect, it } from 'vitest';
import type { CommandType } from '../../../../src/model/command.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { countByType, firstExceededType } from '../../../../src/model/rules/commands/command-count.ts';
import { times } from '../../../support/commands/command-samples.ts';

describe('commands of each type in a scope', () => {
  const rows = Object.entries(limits.commandsPerScope).map(
    ([type, max]) => [Number(type) as CommandType, max] as const,
  );

  it.each(rows)('type %i: %i are allowed, one more is not', (type, max) => {
    expect(firstExceededType({ [type]: max - 1 })).toBe(undefined);
    expect(firstExceededType({ [type]: max })).toBe(undefined);
    expect(firstExceededType({ [type]: max + 1 })).toBe(type);
    expect(firstExceededType(countByType(times(max + 1, () => ({ type }))))).toBe(type);
  });

  it('may all be at their bound together', () => {
    expect(firstExceededType(limits.commandsPerScope)).toBe(undefined);
  });

  it('are counted as CHAT_INPUT when they name no type', () => {
    expect(countByType([{}, { type: null }, { type: 1 }, { type: 3 }])).toEqual({ 1: 3, 3: 1 });
    expect(countByType([])).toEqual({});
  });
});
