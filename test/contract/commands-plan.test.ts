import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Backend, type CommandInput, createBackend, type Plan } from '../../src/backend/index.ts';
import { commandKey, commandTypes } from '../../src/model/command.ts';
import { diffCommand } from '../../src/model/rules/command-diff.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { arbitraryCommand } from '../support/arbitrary-command.ts';
import { starfall } from '../support/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;

let service: Service;
let backend: Backend;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  backend = createBackend({
    applicationId: application.id,
    botToken: application.bot_token,
    apiBase: service.api_base,
    globalLimit: 'off',
  });
});
afterAll(async () => {
  backend.close();
  await service.close();
});
beforeEach(async () => {
  await service.reset();
  // The entry point that comes with an Activity has tests of its own.
  for (const { id } of await backend.commands.list()) await backend.commands.delete(id);
});

/** Valid sets: no name twice, within the caps. */
const arbitrarySet = fc.uniqueArray(arbitraryCommand(), { selector: commandKey, maxLength: 5 }).map(commands => {
  const [first, ...others] = commands.filter(({ type }) => type === commandTypes.PRIMARY_ENTRY_POINT);
  return commands.filter(command => command === first || !others.includes(command));
});

const actions = ({ items }: Plan) => items.map(({ action, name }) => `${action} ${name}`);

describe.each([
  ['global commands', () => backend.commands],
  ['commands of a guild', () => backend.commands.inGuild(guild.id)],
])('plans for %s', (_, scope) => {
  const fits = (command: CommandInput) =>
    scope() === backend.commands || command.type !== commandTypes.PRIMARY_ENTRY_POINT;

  it('find nothing to do for any valid command the service has registered', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommand().filter(fits), async input => {
        const { command } = await scope().create(input);
        const [listed] = (await scope().list({ withLocalizations: true })).filter(({ id }) => id === command.id);
        const context = { scope: scope() === backend.commands ? 'global' : 'guild' } as const;
        expect(diffCommand(command, input, context)).toEqual([]);
        expect(listed && diffCommand(listed, input, context)).toEqual([]);
        await scope().delete(command.id);
      }),
      { numRuns: 150 },
    );
  });

  it('make any valid set out of any other, and find nothing to do afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySet, arbitrarySet, async (before, after) => {
        for (const set of [before, after]) {
          const plan = await scope().plan(set.filter(fits));
          const left = await scope().deploy(plan);
          expect(left.isInSync).toBe(true);
          expect((await scope().plan(set.filter(fits))).isInSync).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('say what is created, edited, left and deleted', async () => {
    const a = { name: 'a', description: 'A' };
    const b = { name: 'b', description: 'B' };
    await scope().deploy(await scope().plan([a, b, { name: 'c', description: 'C' }]));
    const plan = await scope().plan([{ ...a, description: 'New' }, b, { name: 'd', description: 'D' }]);
    expect(actions(plan)).toEqual(['edit a', 'leave b', 'create d', 'delete c']);
    expect(plan).toMatchObject({ creates: 1, isInSync: false });
  });
});
