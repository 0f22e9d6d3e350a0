import { describe, expect, it } from 'vitest';
import { callbackTypes, interactionTypes } from '../../../../src/model/interaction.ts';
import { checkAccepted } from '../../../../src/model/rules/interactions/accepted-callbacks.ts';

const { PING, APPLICATION_COMMAND, MESSAGE_COMPONENT, APPLICATION_COMMAND_AUTOCOMPLETE, MODAL_SUBMIT } =
  interactionTypes;

describe('the callbacks that an interaction accepts', () => {
  it.each([
    ['a PING', PING, false, []],
    ['a command', APPLICATION_COMMAND, false, [4, 5, 9]],
    ['the use of a component', MESSAGE_COMPONENT, true, [4, 5, 6, 7, 9]],
    ['an autocomplete', APPLICATION_COMMAND_AUTOCOMPLETE, false, [8]],
    ['a modal of a command', MODAL_SUBMIT, false, [4, 5]],
    ['a modal of a component', MODAL_SUBMIT, true, [4, 5, 6, 7]],
  ] as const)('of %s', (_, type, hasSource, expected) => {
    const accepted = (isEmbedded: boolean) =>
      Object.values(callbackTypes).filter(
        callback => checkAccepted(callback, { type, hasSource, isEmbedded }).length === 0,
      );
    const launches = type !== APPLICATION_COMMAND_AUTOCOMPLETE;
    expect([accepted(false), accepted(true)]).toEqual([expected, launches ? [...expected, 12] : expected]);
  });

  it('are named where another one is rejected', () => {
    const [issue] = checkAccepted(8, { type: APPLICATION_COMMAND, hasSource: false, isEmbedded: false });
    expect(issue).toEqual({
      path: ['type'],
      code: 'BASE_TYPE_CHOICES',
      message: 'Value must be one of (4, 5, 9).',
    });
  });
});
