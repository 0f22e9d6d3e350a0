import {
  type CommandEdit,
  type CommandInput,
  type CommandItem,
  type CommandType,
  commandKey,
  commandTypes,
  entryPointHandlers,
} from '../../../model/command.ts';
import {
  type CommandRuleContext,
  checkCommand,
  checkCommandEdit,
  checkCommandList,
} from '../../../model/rules/commands/command.ts';
import { type NormalizedCommand, normalizeCommand } from '../../../model/rules/commands/normalize-command.ts';
import { type CommandId, type GuildId, readSnowflake } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { readAtOnce } from '../../store/consistent-read.ts';
import type { Transaction } from '../../store/contract.ts';
import { type ApplicationRecord, type CommandRecord, commandScope } from '../../store/records.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { dropOverwrites } from './overwrites.ts';
import { authorizedGuild, type PlaceUse } from './place.ts';
import {
  type CommandPlace,
  commandOf,
  commandsOf,
  commandsScope,
  everywhere,
  mergedInput,
  newCommand,
  rewritten,
  rewrittenIfChanged,
} from './records.ts';
import {
  encodedBytes,
  isEntryPoint,
  rejectLostEntryPoint,
  rejectTakenName,
  rejectTooLarge,
  rejectTooMany,
  takeCreates,
} from './scope-rules.ts';
import { encodeCommand, encodeCommands, showCommand, type Translations } from './view.ts';

/**
 * An application's commands in one place: everywhere, or in one guild. Answers are encoded JSON.
 *
 * Unspecified: lists are in the order in which the commands were created; a bulk write answers in the order of its
 * items.
 *
 * @see docs/spec/commands.md#writing-commands; docs/spec/commands.md
 */
export interface Commands {
  /**
   * The guild as a place of the application's commands.
   *
   * @throws RequestError see {@link authorizedGuild}
   */
  placeIn(application: ApplicationRecord, guildId: GuildId, use: PlaceUse): Promise<CommandPlace>;
  list(application: ApplicationRecord, place: CommandPlace, translations: Translations): Promise<string>;
  /** @throws RequestError `unknown_command` */
  get(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<string>;
  /**
   * Creates the command, or overwrites the one with its type and name, which keeps its id and gets a new version.
   *
   * @throws RequestError `invalid_form_body`, `too_many_commands`, `too_many_command_creates`
   */
  create(
    application: ApplicationRecord,
    place: CommandPlace,
    input: unknown,
  ): Promise<{ readonly created: boolean; readonly text: string }>;
  /**
   * Replaces each field that the body contains. The version stays when nothing changes.
   *
   * @throws RequestError `invalid_form_body`, `unknown_command`, `command_name_taken`
   */
  edit(application: ApplicationRecord, place: CommandPlace, id: CommandId, input: unknown): Promise<string>;
  /**
   * Makes the list the complete set of the place's commands, or fails and changes nothing. Commands that are in both
   * sets keep their ids, and their versions if they do not change.
   *
   * @throws RequestError `invalid_form_body`, `too_many_commands`, `too_many_command_creates`, `entry_point_missing`
   */
  replaceAll(application: ApplicationRecord, place: CommandPlace, input: unknown): Promise<string>;
  /** @throws RequestError `unknown_command` */
  remove(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<void>;
  /**
   * Registers the entry point of an application with an Activity, unless it has one. It does not count as a create of
   * the day.
   *
   * @see docs/spec/commands.md#entry-point-command
   */
  ensureLaunch(application: ApplicationRecord): Promise<void>;
}

/** The entry point that comes with an Activity. Unspecified: its description, which the rules require. */
const launch: CommandInput = {
  type: commandTypes.PRIMARY_ENTRY_POINT,
  name: 'Launch',
  description: 'Launch the activity',
  handler: entryPointHandlers.DISCORD_LAUNCH_ACTIVITY,
};

export function createCommands(core: Core): Commands {
  const { store, ids } = core;

  async function list(application: ApplicationRecord, place: CommandPlace, translations: Translations) {
    const { value: commands } = await readAtOnce(store, commandsScope(application, place), view =>
      commandsOf(view, application, place),
    );
    return JSON.stringify(commands.map(command => showCommand(command, translations)));
  }

  async function get(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<string> {
    return encodeCommand(await commandOf(store, application, place, id));
  }

  async function create(application: ApplicationRecord, place: CommandPlace, input: unknown) {
    rejectIssues(checkCommand(input, rulesFor(application, place)));
    const content = normalized(input as CommandInput, application, place);
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandsOf(transaction, application, place);
      const existing = stored.find(command => commandKey(command) === commandKey(content));
      const command = existing ? rewritten(ids, existing, content) : newCommand(ids, application, place, content);
      if (!existing) {
        rejectTooMany([...stored, command]);
        await takeCreates(core, transaction, command.scope, 1);
      }
      await changeCommands(transaction, application, place, existing ? [existing] : [], [command]);
      return { created: !existing, text: encodeCommand(command) };
    });
  }

  async function edit(application: ApplicationRecord, place: CommandPlace, id: CommandId, input: unknown) {
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandOf(transaction, application, place, id);
      rejectIssues(checkCommandEdit(input, { ...rulesFor(application, place), type: stored.type }));
      const merged = mergedInput(stored, input as CommandEdit);
      // Rules across supplied and stored fields, and what the application's traits no longer allow.
      rejectIssues(checkCommand(merged, rulesFor(application, place)));
      const command = rewrittenIfChanged(ids, stored, merged, rulesFor(application, place));
      if (command.name !== stored.name) {
        rejectTakenName(await commandsOf(transaction, application, place), command);
      }
      await changeCommands(transaction, application, place, [stored], [command]);
      return encodeCommand(command);
    });
  }

  async function replaceAll(application: ApplicationRecord, place: CommandPlace, input: unknown): Promise<string> {
    const rules = rulesFor(application, place);
    rejectIssues(checkCommandList(input, rules));
    const items = (input as readonly CommandItem[]).map(item => ({
      id: readSnowflake<'command'>(item.id),
      type: item.type ?? commandTypes.CHAT_INPUT,
      name: item.name,
      item,
    }));
    rejectTooMany(items);
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandsOf(transaction, application, place);
      rejectLostEntryPoint(stored, items);
      const matches = matchCommands(stored, items);
      const commands = items.map(({ item }, index) => {
        const match = matches[index];
        if (match) return rewrittenIfChanged(ids, match, item, rules);
        return newCommand(ids, application, place, normalized(item, application, place));
      });
      const creates = matches.filter(match => !match).length;
      await takeCreates(core, transaction, commandScope(application.id, place.guildId), creates);
      await changeCommands(transaction, application, place, stored, commands);
      return encodeCommands(commands);
    });
  }

  async function remove(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<void> {
    await store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandOf(transaction, application, place, id);
      await changeCommands(transaction, application, place, [stored], []);
    });
  }

  async function ensureLaunch(application: ApplicationRecord): Promise<void> {
    if (!application.embedded) return;
    await store.transact(commandsScope(application, everywhere), async transaction => {
      const stored = await commandsOf(transaction, application, everywhere);
      if (stored.some(isEntryPoint)) return;
      const command = newCommand(ids, application, everywhere, normalized(launch, application, everywhere));
      await changeCommands(transaction, application, everywhere, [], [command]);
    });
  }

  async function placeIn(application: ApplicationRecord, guildId: GuildId, use: PlaceUse): Promise<CommandPlace> {
    const { id } = await authorizedGuild(store, application, guildId, use);
    return { guildId: id };
  }

  return { placeIn, list, get, create, edit, replaceAll, remove, ensureLaunch };
}

function rulesFor(application: ApplicationRecord, { guildId }: CommandPlace): CommandRuleContext {
  return { scope: guildId === undefined ? 'global' : 'guild', traits: application };
}

function normalized(input: CommandInput, application: ApplicationRecord, place: CommandPlace): NormalizedCommand {
  return normalizeCommand(input, application, rulesFor(application, place).scope);
}

/**
 * Stores the new state of some commands of a place. A command that is deleted or renamed loses its overwrites; users
 * are notified if anything changed.
 *
 * @param before some commands of the place
 * @param after their new state by id, and new commands; the same record for an unchanged command
 */
async function changeCommands(
  transaction: Transaction,
  application: ApplicationRecord,
  place: CommandPlace,
  before: readonly CommandRecord[],
  after: readonly CommandRecord[],
): Promise<void> {
  const byId = new Map(after.map(command => [command.id, command]));
  for (const { id, name } of before) {
    const command = byId.get(id);
    if (command?.name !== name) await dropOverwrites(transaction, id);
    if (!command) transaction.delete('commands', id);
  }
  const known = new Set(before);
  const written = after.filter(command => !known.has(command));
  for (const command of written) transaction.put('commands', command);
  // A place that an older version filled beyond the bound may still be reduced.
  if (encodedBytes(after) > encodedBytes(before)) rejectTooLarge(await commandsOf(transaction, application, place));
  const isChanged = written.length > 0 || after.length < before.length;
  if (isChanged) announceChange(transaction, application, place);
}

function announceChange(transaction: Transaction, { id }: ApplicationRecord, { guildId }: CommandPlace): void {
  transaction.announce({
    to: guildId === undefined ? topics.commands(id) : topics.guildCommands(id, guildId),
    event: {
      name: 'APPLICATION_COMMAND_INDEX_UPDATE',
      data: JSON.stringify({ application_id: id, ...(guildId !== undefined && { guild_id: guildId }) }),
    },
  });
}

/** The fields that match an item of a bulk write to a stored command. */
interface Matchable {
  readonly id?: CommandId | undefined;
  readonly type: CommandType;
  readonly name: string;
}

/**
 * The stored command of each item, undefined for a new one: matched by id if the item has one of this scope, else by
 * type and name. No command is matched twice.
 *
 * Unspecified: an id from elsewhere, or of a command of another type (which never changes), is ignored, because
 * clients send back what they fetched from other scopes.
 *
 * @see docs/spec/commands.md#writing-commands
 */
function matchCommands(
  stored: readonly CommandRecord[],
  items: readonly Matchable[],
): readonly (CommandRecord | undefined)[] {
  const byId = new Map(stored.map(command => [command.id, command]));
  const left = new Map(stored.map(command => [commandKey(command), command]));
  const claimed = items.map(({ id, type }) => {
    const command = id === undefined ? undefined : byId.get(id);
    if (command?.type !== type) return undefined;
    left.delete(commandKey(command));
    return command;
  });
  return items.map((item, index) => claimed[index] ?? left.get(commandKey(item)));
}
