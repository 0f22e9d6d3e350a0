import type { ApplicationTraits } from '../../../src/model/application.ts';
import { optionTypes } from '../../../src/model/command.ts';
import type { CommandRuleContext } from '../../../src/model/rules/commands/command.ts';

/** An application that may register any command. */
export const embeddedTraits: ApplicationTraits = { embedded: true, discoverable: false, integration_types: [0, 1] };

export const globalContext: CommandRuleContext = { scope: 'global', traits: embeddedTraits };
export const guildContext: CommandRuleContext = { scope: 'guild', traits: embeddedTraits };

type Fields = Record<string, unknown>;

/** A valid CHAT_INPUT command with some fields replaced; a field set to undefined counts as absent. */
export function chatCommand(fields: Fields = {}): Fields {
  return { name: 'invite', description: 'Invite a friend', ...fields };
}

/** A valid STRING option with some fields replaced. */
export function option(fields: Fields = {}): Fields {
  return { type: optionTypes.STRING, name: 'mode', description: 'What to play', ...fields };
}

export function subcommand(fields: Fields = {}): Fields {
  return option({ type: optionTypes.SUB_COMMAND, name: 'add', ...fields });
}

export function group(fields: Fields = {}): Fields {
  return option({ type: optionTypes.SUB_COMMAND_GROUP, name: 'team', ...fields });
}

/** `make(0)`, `make(1)`, … */
export function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
