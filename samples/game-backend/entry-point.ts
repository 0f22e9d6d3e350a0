import { type Backend, type Command, commandTypes, defineCommand, entryPointHandlers } from '@rallypoint/sdk/backend';
import type { EntryPointDraft, EntryPointView, SavedEntryPoint } from './contract.ts';

/** The one command that launches the game's Activity. */
export interface EntryPoint {
  /** Null while none is registered. */
  read(): Promise<EntryPointView | null>;
  /**
   * Registers the command, or edits the one there is: it keeps its id, and with it the permissions that guilds gave it.
   *
   * @param draft as it came in: the rulebook judges it before anything is sent
   * @throws ValidationError every fault with its path
   */
  save(draft: Readonly<Record<string, unknown>>): Promise<SavedEntryPoint>;
}

export function createEntryPoint({ commands }: Pick<Backend, 'commands'>): EntryPoint {
  // Not a plan and a deploy: those say what all of the game's commands are, and a player edits this one only.
  const find = async () => (await commands.list()).find(({ type }) => type === commandTypes.PRIMARY_ENTRY_POINT);

  return {
    async read() {
      const command = await find();
      return command ? view(command) : null;
    },

    async save({ name, description, handler }) {
      const definition = define({ name, description, handler } as EntryPointDraft);
      const before = await find();
      if (!before) {
        const { command } = await commands.create(definition);
        return { entryPoint: view(command), change: 'registered' };
      }
      const after = await commands.edit(before, definition);
      return { entryPoint: view(after), change: after.version === before.version ? 'unchanged' : 'edited' };
    },
  };
}

function define({ name, description, handler }: EntryPointDraft) {
  return defineCommand({ type: commandTypes.PRIMARY_ENTRY_POINT, name, description, handler });
}

function view({ id, version, name, description, handler }: Command): EntryPointView {
  return { id, version, name, description, handler: handler ?? entryPointHandlers.DISCORD_LAUNCH_ACTIVITY };
}
