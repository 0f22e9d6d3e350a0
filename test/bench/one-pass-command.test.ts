import fc from 'fast-check';
import { describe, it } from 'vitest';
import { isCommand } from '../../bench/peers/one-pass-command.ts';
import { commandTypes } from '../../src/model/command.ts';
import { arbitraryBrokenCommand, arbitraryChatCommand } from '../support/commands/arbitrary-command.ts';

describe('the hand-written check that the rulebook is measured against', () => {
  it('accepts what the rulebook accepts', () => {
    fc.assert(fc.property(arbitraryChatCommand(), command => isCommand(command)));
  });

  it('rejects what the rulebook rejects', () => {
    const isChat = (body: unknown): boolean =>
      ((body as { type?: unknown }).type ?? commandTypes.CHAT_INPUT) === commandTypes.CHAT_INPUT;
    fc.assert(
      fc.property(
        arbitraryBrokenCommand().filter(({ body }) => isChat(body)),
        ({ body }) => !isCommand(body),
      ),
    );
  });
});
