import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCommands } from '../../../../src/service/features/commands/commands.ts';
import { everywhere } from '../../../../src/service/features/commands/records.ts';
import { arbitraryBrokenCommand, arbitraryCommand } from '../../../support/commands/arbitrary-command.ts';
import { applicationRecord, makeWorld, refusal, worldRuns } from '../support.ts';

const game = applicationRecord('3', { embedded: true, integration_types: [0, 1] });

describe('any valid command', () => {
  it('is not changed by being deployed again, as it was given or as it was answered', async () => {
    const { core } = await makeWorld();
    const commands = createCommands(core);
    await fc.assert(
      fc.asyncProperty(arbitraryCommand(), async input => {
        const first = await commands.replaceAll(game, everywhere, [input]);
        const [answered] = JSON.parse(first);
        expect(await commands.replaceAll(game, everywhere, [input])).toBe(first);
        expect(await commands.replaceAll(game, everywhere, [answered])).toBe(first);
        expect(await commands.edit(game, everywhere, answered.id, answered)).toBe(JSON.stringify(answered));
        expect(await commands.list(game, everywhere, 'all')).toBe(first);
        await commands.remove(game, everywhere, answered.id);
      }),
      { numRuns: worldRuns(100) },
    );
  });
});

describe('any command with a fault', () => {
  it('is rejected with the place of the fault, and nothing is stored', async () => {
    const { core } = await makeWorld();
    const commands = createCommands(core);
    await fc.assert(
      fc.asyncProperty(arbitraryBrokenCommand(), async ({ body, path, code }) => {
        const { reason, fault } = await refusal(commands.create(game, everywhere, body));
        expect(reason).toBe('invalid_form_body');
        expect(fault.issues).toContainEqual(expect.objectContaining({ path, code }));
        expect(await commands.list(game, everywhere, 'all')).toBe('[]');
      }),
      { numRuns: worldRuns(100) },
    );
  });
});
