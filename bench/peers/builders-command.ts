import { SlashCommandBuilder } from '@discordjs/builders';

interface Choice {
  readonly name: string;
  readonly value: string;
}

/** The commands that the benches are made of: options of text, with choices or without. */
export interface SampleCommand {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly {
    readonly name: string;
    readonly description: string;
    readonly required?: boolean;
    readonly choices?: readonly Choice[];
  }[];
}

/** Puts a command together as @discordjs/builders wants it, which checks every part; gives what it would send. */
export function buildCommand({ name, description, options = [] }: SampleCommand): unknown {
  const command = new SlashCommandBuilder().setName(name).setDescription(description);
  for (const option of options) {
    command.addStringOption(made => {
      made
        .setName(option.name)
        .setDescription(option.description)
        .setRequired(option.required ?? false);
      return option.choices ? made.addChoices(...option.choices) : made;
    });
  }
  return command.toJSON();
}
