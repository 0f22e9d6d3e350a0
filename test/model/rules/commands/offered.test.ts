import { describe, expect, it } from 'vitest';
import { isInstalledBy, isOfferedIn } from '../../../../src/model/rules/commands/offered.ts';

const places = { guild: 0, dm: 1, elsewhere: 2 } as const;
const offered = (command: Parameters<typeof isOfferedIn>[0]) =>
  Object.entries(places)
    .filter(([, context]) => isOfferedIn(command, context))
    .map(([name]) => name);

describe('where a command is offered', () => {
  it.each([
    [{}, ['guild', 'dm']],
    [{ contexts: null, dm_permission: true }, ['guild', 'dm']],
    [{ contexts: null, dm_permission: false }, ['guild']],
    [{ contexts: [0 as const] }, ['guild']],
    [{ contexts: [1 as const], dm_permission: false }, ['dm']],
    [{ contexts: [0 as const, 1 as const, 2 as const] }, ['guild', 'dm', 'elsewhere']],
    [{ guild_id: '5', dm_permission: true, contexts: [1 as const] }, ['guild']],
  ])('%j', (command, expected) => {
    expect(offered(command)).toEqual(expected);
  });

  it('goes by the installations it is registered for; one of a guild is for that guild', () => {
    expect([0, 1].map(type => isInstalledBy({ integration_types: [1] }, type as 0 | 1))).toEqual([false, true]);
    expect([0, 1].map(type => isInstalledBy({ guild_id: '5' }, type as 0 | 1))).toEqual([true, false]);
  });
});
