import {
  type CommandEdit,
  type CommandInput,
  type CommandItem,
  type CommandType,
  commandTypes,
  entryPointHandlers,
} from '../../model/command.ts';
import { apiErrors } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import {
  type CommandRuleContext,
  checkCommand,
  checkCommandEdit,
  checkCommandList,
} from '../../model/rules/command.ts';
import { countByType, firstExceededType } from '../../model/rules/command-count.ts';
import { type NormalizedCommand, normalizeCommand } from '../../model/rules/normalize-command.ts';
import { type CommandId, type GuildId, readSnowflake } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import type { Transaction } from '../store/contract.ts';
import { type ApplicationRecord, type CommandRecord, commandScope } from '../store/records.ts';
import { commandKey, matchCommands } from './command-match.ts';
import { dropOverwrites } from './command-overwrites.ts';
import { authorizedGuild, type PlaceUse } from './command-place.ts';
import { takeCreates } from './command-quota.ts';
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
} from './command-records.ts';
import { showCommand, type Translations } from './command-view.ts';
import { readAtOnce } from './consistent-read.ts';
import { TextCache } from './text-cache.ts';

/**
 * An application's commands in one place. Answers are encoded JSON.
 *
 * Our choice: lists are in the order the commands were created; a bulk write answers in the order of its items.
 *
 * @see interface.md, "Global commands", "Guild commands"; commands.md 1
 */
export interface Commands {
  /**
   * The guild as a place of the application's commands.
   *
   * @throws Fault see {@link authorizedGuild}
   */
  placeIn(application: ApplicationRecord, guildId: GuildId, use: PlaceUse): Promise<CommandPlace>;
  list(application: ApplicationRecord, place: CommandPlace, translations: Translations): Promise<string>;
  /** @throws Fault `unknown_command` */
  get(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<string>;
  /**
   * Creates the command, or overwrites the one of its type and name: that keeps its id and gets a new version.
   *
   * @throws Fault `invalid_form_body`, `too_many_commands`, `too_many_command_creates`
   */
  create(
    application: ApplicationRecord,
    place: CommandPlace,
    input: unknown,
  ): Promise<{ readonly created: boolean; readonly text: string }>;
  /**
   * Replaces what the body supplies, whole. The version stays when nothing changes.
   *
   * @throws Fault `invalid_form_body`, `unknown_command`, `command_name_taken`
   */
  edit(application: ApplicationRecord, place: CommandPlace, id: CommandId, input: unknown): Promise<string>;
  /**
   * Makes the list the whole set of the place's commands, or fails and changes nothing. Commands that are in both
   * keep their ids, and their versions where they do not change.
   *
   * @throws Fault `invalid_form_body`, `too_many_commands`, `too_many_command_creates`, `entry_point_missing`
   */
  replaceAll(application: ApplicationRecord, place: CommandPlace, input: unknown): Promise<string>;
  /** @throws Fault `unknown_command` */
  remove(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<void>;
  /** The command with this id, whosever it is. */
  find(id: CommandId): Promise<CommandRecord | undefined>;
  /**
   * Gives an application with an Activity its entry point, unless it has one. Not counted as one of the day's creates.
   *
   * @see interface.md, "Behavioral rules" 6
   */
  ensureLaunch(application: ApplicationRecord): Promise<void>;
}

const { PRIMARY_ENTRY_POINT } = commandTypes;

/** The entry point that comes with an Activity. Its description is our choice: the rules ask for one. */
const launch: CommandInput = {
  type: PRIMARY_ENTRY_POINT,
  name: 'Launch',
  description: 'Launch the activity',
  handler: entryPointHandlers.DISCORD_LAUNCH_ACTIVITY,
};

export function createCommands(core: Core): Commands {
  const { store, ids } = core;
  const texts = new TextCache();

  async function list(application: ApplicationRecord, place: CommandPlace, translations: Translations) {
    const scope = commandsScope(application, place);
    const name = `${scope} ${translations === 'all' ? 'all' : (translations.locale ?? 'none')}`;
    const kept = texts.get(name, await store.revision(scope));
    if (kept !== undefined) return kept;
    const { revision, value: text } = await readAtOnce(store, scope, async view => {
      const commands = await commandsOf(view, application, place);
      return JSON.stringify(commands.map(command => showCommand(command, translations)));
    });
    texts.set(name, revision, text);
    return text;
  }

  async function get(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<string> {
    return encode(await commandOf(store, application, place, id));
  }

  async function create(application: ApplicationRecord, place: CommandPlace, input: unknown) {
    refuseIssues(checkCommand(input, rulesFor(application, place)));
    const content = normalized(input as CommandInput, application, place);
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandsOf(transaction, application, place);
      const existing = stored.find(command => commandKey(command) === commandKey(content));
      const command = existing ? rewritten(ids, existing, content) : newCommand(ids, application, place, content);
      if (!existing) {
        refuseTooMany([...stored, command]);
        await takeCreates(core, transaction, command.scope, 1);
      }
      transaction.put('commands', command);
      announceCommands(transaction, application, place);
      return { created: !existing, text: encode(command) };
    });
  }

  async function edit(application: ApplicationRecord, place: CommandPlace, id: CommandId, input: unknown) {
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandOf(transaction, application, place, id);
      refuseIssues(checkCommandEdit(input, { ...rulesFor(application, place), type: stored.type }));
      const merged = mergedInput(stored, input as CommandEdit);
      // What spans supplied and stored fields, and what the application's traits no longer allow.
      refuseIssues(checkCommand(merged, rulesFor(application, place)));
      const command = rewrittenIfChanged(ids, stored, normalized(merged, application, place));
      if (command.name !== stored.name) {
        await refuseTakenName(transaction, application, place, command);
        await dropOverwrites(transaction, stored);
      }
      if (command !== stored) {
        transaction.put('commands', command);
        announceCommands(transaction, application, place);
      }
      return encode(command);
    });
  }

  async function replaceAll(application: ApplicationRecord, place: CommandPlace, input: unknown): Promise<string> {
    refuseIssues(checkCommandList(input, rulesFor(application, place)));
    const items = (input as readonly CommandItem[]).map(item => ({
      id: readSnowflake<'command'>(item.id),
      content: normalized(item, application, place),
    }));
    refuseTooMany(items.map(({ content }) => content));
    return store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandsOf(transaction, application, place);
      refuseLostEntryPoint(
        stored,
        items.map(({ content }) => content),
      );
      const matches = matchCommands(
        stored,
        items.map(({ id, content }) => ({ id, ...content })),
      );
      const commands = items.map(({ content }, index) => {
        const match = matches[index];
        return match ? rewrittenIfChanged(ids, match, content) : newCommand(ids, application, place, content);
      });
      const creates = matches.filter(match => !match).length;
      await takeCreates(core, transaction, commandScope(application.id, place.guildId), creates);
      await removeAll(transaction, stored, new Set(matches));
      await dropOverwritesOfRenamed(transaction, matches, commands);
      const unchanged = new Set(stored);
      const written = commands.filter(command => !unchanged.has(command));
      for (const command of written) transaction.put('commands', command);
      const isChanged = written.length > 0 || commands.length < stored.length;
      if (isChanged) announceCommands(transaction, application, place);
      return JSON.stringify(commands.map(command => showCommand(command, 'all')));
    });
  }

  async function remove(application: ApplicationRecord, place: CommandPlace, id: CommandId): Promise<void> {
    await store.transact(commandsScope(application, place), async transaction => {
      const stored = await commandOf(transaction, application, place, id);
      await removeAll(transaction, [stored]);
      announceCommands(transaction, application, place);
    });
  }

  async function ensureLaunch(application: ApplicationRecord): Promise<void> {
    if (!application.embedded) return;
    await store.transact(commandsScope(application, everywhere), async transaction => {
      const stored = await commandsOf(transaction, application, everywhere);
      if (stored.some(({ type }) => type === PRIMARY_ENTRY_POINT)) return;
      const content = normalized(launch, application, everywhere);
      transaction.put('commands', newCommand(ids, application, everywhere, content));
      announceCommands(transaction, application, everywhere);
    });
  }

  async function placeIn(application: ApplicationRecord, guildId: GuildId, use: PlaceUse): Promise<CommandPlace> {
    const { id } = await authorizedGuild(store, application, guildId, use);
    return { guildId: id };
  }

  const find = async (id: CommandId) => store.get('commands', id);

  return { placeIn, list, get, create, edit, replaceAll, remove, find, ensureLaunch };
}

/** Tells users that the commands of the place are not what they were. */
function announceCommands(transaction: Transaction, { id }: ApplicationRecord, { guildId }: CommandPlace): void {
  transaction.announce({
    to: guildId === undefined ? topics.commands(id) : topics.guildCommands(id, guildId),
    event: {
      name: 'APPLICATION_COMMAND_INDEX_UPDATE',
      data: JSON.stringify({ application_id: id, ...(guildId !== undefined && { guild_id: guildId }) }),
    },
  });
}

/** Deletes commands with their overwrites, all but those kept. */
async function removeAll(
  transaction: Transaction,
  commands: readonly CommandRecord[],
  kept: ReadonlySet<CommandRecord | undefined> = new Set(),
): Promise<void> {
  for (const command of commands) {
    if (kept.has(command)) continue;
    await dropOverwrites(transaction, command);
    transaction.delete('commands', command.id);
  }
}

/** @param before the stored command of each of `after`, undefined for a new one */
async function dropOverwritesOfRenamed(
  transaction: Transaction,
  before: readonly (CommandRecord | undefined)[],
  after: readonly CommandRecord[],
): Promise<void> {
  for (const [index, stored] of before.entries()) {
    if (stored && stored.name !== after[index]?.name) await dropOverwrites(transaction, stored);
  }
}

function rulesFor(application: ApplicationRecord, { guildId }: CommandPlace): CommandRuleContext {
  return { scope: guildId === undefined ? 'global' : 'guild', traits: application };
}

function normalized(input: CommandInput, application: ApplicationRecord, place: CommandPlace): NormalizedCommand {
  return normalizeCommand(input, application, rulesFor(application, place).scope);
}

function encode(command: CommandRecord): string {
  return JSON.stringify(showCommand(command, 'all'));
}

function refuseTooMany(commands: readonly { readonly type: CommandType }[]): void {
  const exceeded = firstExceededType(countByType(commands));
  if (exceeded === undefined) return;
  const message = `${apiErrors.too_many_commands.message} (${limits.commandsPerScope[exceeded]})`;
  throw new Fault('too_many_commands', { message });
}

function refuseLostEntryPoint(
  stored: readonly { readonly type: CommandType }[],
  kept: readonly { readonly type: CommandType }[],
): void {
  const isEntryPoint = ({ type }: { readonly type: CommandType }) => type === PRIMARY_ENTRY_POINT;
  if (stored.some(isEntryPoint) && !kept.some(isEntryPoint)) throw new Fault('entry_point_missing');
}

async function refuseTakenName(
  transaction: Transaction,
  application: ApplicationRecord,
  place: CommandPlace,
  command: CommandRecord,
): Promise<void> {
  const others = await commandsOf(transaction, application, place);
  if (others.some(other => other.id !== command.id && commandKey(other) === commandKey(command))) {
    throw new Fault('command_name_taken');
  }
}
