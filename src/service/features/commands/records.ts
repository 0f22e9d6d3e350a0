import type { CommandEdit, CommandInput } from '../../../model/command.ts';
import type { CommandRuleContext } from '../../../model/rules/commands/command.ts';
import { isPlainlySame, sameItems, sameOption } from '../../../model/rules/commands/command-diff.ts';
import { type NormalizedCommand, normalizeCommand } from '../../../model/rules/commands/normalize-command.ts';
import { type CommandId, compareSnowflakes, type GuildId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import { type ApplicationRecord, type CommandRecord, commandScope } from '../../store/records.ts';
import type { SnowflakeSource } from '../../support/ids.ts';
import { RequestError } from '../../support/request-error.ts';

/** Where a command is registered: everywhere, or in one guild. */
export interface CommandPlace {
  readonly guildId?: GuildId;
}

/** Every guild and DM. */
export const everywhere: CommandPlace = {};

/** The store scope of all writes of a place's commands and of their overwrites. */
export function commandsScope(application: Pick<ApplicationRecord, 'id'>, { guildId }: CommandPlace): string {
  return `commands/${commandScope(application.id, guildId)}`;
}

/** The commands of a place, oldest first. */
export async function commandsOf(
  view: StoreView,
  application: ApplicationRecord,
  { guildId }: CommandPlace,
): Promise<readonly CommandRecord[]> {
  const scope = commandScope(application.id, guildId);
  const commands = await view.list('commands', { index: 'byScope', equals: [scope] });
  return [...commands].sort((a, b) => compareSnowflakes(a.id, b.id));
}

/** @throws RequestError `unknown_command` also when it is in another place */
export async function commandOf(
  view: StoreView,
  application: ApplicationRecord,
  { guildId }: CommandPlace,
  id: CommandId,
): Promise<CommandRecord> {
  const command = await view.get('commands', id);
  if (command?.scope !== commandScope(application.id, guildId)) throw new RequestError('unknown_command');
  return command;
}

/** A new command. Its version is the id that follows its own. */
export function newCommand(
  ids: SnowflakeSource,
  application: ApplicationRecord,
  { guildId }: CommandPlace,
  content: NormalizedCommand,
): CommandRecord {
  const scope = commandScope(application.id, guildId);
  const [id, version] = [ids.next(), ids.next()];
  return composed(content, { id, application_id: application.id, scope, guild_id: guildId }, version);
}

/** The command with new content and a new version. */
export function rewritten(ids: SnowflakeSource, command: CommandRecord, content: NormalizedCommand): CommandRecord {
  return composed(content, command, ids.next());
}

/** A command of its content, what never changes about it, and its version. */
function composed(
  content: NormalizedCommand,
  { id, application_id, scope, guild_id }: Identity,
  version: string,
): CommandRecord {
  // The content first: V8 copies an object quickly only at the beginning of another.
  const command = { ...content, id, application_id, scope, version };
  return guild_id === undefined ? command : { ...command, guild_id };
}

type Identity = Pick<CommandRecord, 'id' | 'application_id' | 'scope'> & { readonly guild_id?: GuildId | undefined };

/** The command as its definition wants it: itself, with its version, when an answer would show no difference. */
export function rewrittenIfChanged(
  ids: SnowflakeSource,
  command: CommandRecord,
  input: CommandInput,
  rules: CommandRuleContext,
): CommandRecord {
  if (isPlainlySame(command, input, rules)) return command;
  const content = normalizedBeside(command, input, rules);
  return isPlainlySame(command, content, rules) ? command : rewritten(ids, command, content);
}

/** The definition with its defaults. Options that do not change are taken from the command, because they are most of it. */
function normalizedBeside(command: CommandRecord, input: CommandInput, { traits, scope }: CommandRuleContext) {
  const isKept = command.options && sameItems(command.options, input.options, sameOption);
  return normalizeCommand(input, traits, scope, isKept ? command.options : undefined);
}

const editable = [
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'default_member_permissions',
  'dm_permission',
  'default_permission',
  'integration_types',
  'contexts',
  'nsfw',
  'handler',
] as const satisfies readonly (keyof CommandEdit)[];

/**
 * The body that would register the command as it is after an edit: each field that the edit contains is replaced as a
 * whole.
 *
 * Unspecified: the legacy `default_permission` without its successor closes the command by `false`, and by `true`
 * opens it again if it had closed it.
 */
export function mergedInput(command: CommandRecord, edit: CommandEdit): CommandInput {
  const { id, application_id, version, scope, guild_id, default_member_permissions: bits, ...content } = command;
  const supplied = editable.filter(field => edit[field] !== undefined).map(field => [field, edit[field]]);
  const isDecidedByFlag = edit.default_permission === false || (edit.default_permission === true && bits === '0');
  return {
    ...content,
    ...(!isDecidedByFlag && { default_member_permissions: bits }),
    ...Object.fromEntries(supplied),
  };
}
