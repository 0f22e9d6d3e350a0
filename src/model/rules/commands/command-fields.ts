import type { ApplicationTraits } from '../../application.ts';
import {
  type CommandType,
  commandTypes,
  entryPointHandlers,
  integrationTypes,
  interactionContexts,
} from '../../command.ts';
import { limits } from '../../limits/limits.ts';
import {
  checkBoolean,
  checkEnum,
  checkEnumSet,
  checkRequiredText,
  checkString,
  checkText,
  type Fields,
  isAbsent,
} from '../field.ts';
import type { FullReport } from '../full-report.ts';
import { checkLocalizations } from '../locales/localizations.ts';
import { checkChatName, checkLocalizedChatName, checkLocalizedShownName, checkShownName } from './name.ts';
import { checkCommandOptions } from './option.ts';
import { checkLocalizedOptionNames } from './option-names.ts';

/** Where a command is registered: for all guilds and DMs, or in one guild. */
export type CommandScope = 'global' | 'guild';

/** What decides about a command besides its body. */
export interface CommandRuleContext {
  readonly scope: CommandScope;
  /** Of the application that registers it. */
  readonly traits: ApplicationTraits;
  /** Of an edit: the stored command's type (default CHAT_INPUT). Elsewhere the body's own type counts. */
  readonly type?: CommandType;
}

const { CHAT_INPUT, USER, MESSAGE, PRIMARY_ENTRY_POINT } = commandTypes;
const types = Object.values(commandTypes);
const handlers = Object.values(entryPointHandlers);
const contexts = Object.values(interactionContexts);
const installations = Object.values(integrationTypes);

function isContextMenu(type: CommandType): boolean {
  return type === USER || type === MESSAGE;
}

/**
 * Checks `type` and returns the type by whose rules the other fields are checked; if it is absent or wrong, CHAT_INPUT.
 *
 * @see docs/spec/commands.md#entry-point-command
 */
export function checkCommandType(
  report: FullReport,
  type: unknown,
  { scope, traits }: CommandRuleContext,
): CommandType {
  if (isAbsent(type) || !checkEnum(report, 'type', type, types)) return CHAT_INPUT;
  if (type === PRIMARY_ENTRY_POINT) {
    if (scope === 'guild') report.at('type', 'APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID');
    else if (!traits.embedded) report.at('type', 'APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED');
  }
  return type;
}

/**
 * Unspecified: an entry point's name is free like a context menu's (the automatic one is called `Launch`); the
 * interface applies its pattern to CHAT_INPUT names only.
 */
export function checkCommandName(report: FullReport, name: unknown, type: CommandType): void {
  if (type === CHAT_INPUT) checkChatName(report, 'name', name);
  else checkShownName(report, 'name', name);
}

/** Required for CHAT_INPUT and PRIMARY_ENTRY_POINT, nothing but empty for USER and MESSAGE. */
export function checkCommandDescription(report: FullReport, description: unknown, type: CommandType): void {
  if (!isContextMenu(type)) {
    checkRequiredText(report, 'description', description, limits.commandDescriptionLengthMax);
  } else if (!isAbsent(description)) checkNoDescription(report, 'description', description);
}

function checkNoDescription(report: FullReport, key: string, text: unknown): void {
  if (checkString(report, key, text) && text !== '') {
    report.at(key, 'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID');
  }
}

function checkLocalizedDescription(report: FullReport, locale: string, text: unknown): void {
  checkText(report, locale, text, 1, limits.commandDescriptionLengthMax);
}

/** Checks every field that may be left out. */
export function checkOptionalFields(
  report: FullReport,
  command: Fields,
  type: CommandType,
  traits: ApplicationTraits,
): void {
  const localizedName = type === CHAT_INPUT ? checkLocalizedChatName : checkLocalizedShownName;
  const localizedDescription = isContextMenu(type) ? checkNoDescription : checkLocalizedDescription;
  checkLocalizations(report, 'name_localizations', command.name_localizations, localizedName);
  checkLocalizations(report, 'description_localizations', command.description_localizations, localizedDescription);
  if (!isAbsent(command.options)) checkOptionsOfType(report, command.options, type);
  checkPermissions(report, command.default_member_permissions);
  if (!isAbsent(command.dm_permission)) checkBoolean(report, 'dm_permission', command.dm_permission);
  if (!isAbsent(command.default_permission)) checkBoolean(report, 'default_permission', command.default_permission);
  checkPlaces(report, command);
  checkAgeRestriction(report, command.nsfw, traits);
  if (!isAbsent(command.handler)) checkHandler(report, command.handler, type, traits);
}

function checkOptionsOfType(report: FullReport, options: unknown, type: CommandType): void {
  if (type === CHAT_INPUT) {
    checkCommandOptions(report, options);
    checkLocalizedOptionNames(report, options);
  } else if (!Array.isArray(options)) report.at('options', 'LIST_TYPE_CONVERT');
  else if (options.length > 0) report.at('options', 'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID');
}

/**
 * Checks where a command can be installed and used.
 *
 * Unspecified: both lists are read in either scope, and mean something in the global one only. The interface calls them
 * "global commands only", yet lists them for a guild's bulk write with defaults that contain BOT_DM; refusing what it
 * gives as a default would break clients that deploy one set to both scopes. An installation type that the
 * application is not set up for is taken too: a command keeps its own after the application's changed.
 *
 * @see docs/spec/commands.md#availability
 */
function checkPlaces(report: FullReport, { integration_types, contexts: used }: Fields): void {
  if (!isAbsent(integration_types)) checkEnumSet(report, 'integration_types', integration_types, installations, 1);
  if (!isAbsent(used)) checkEnumSet(report, 'contexts', used, contexts, 1);
}

/** @see docs/spec/commands.md#age-restricted-commands */
function checkAgeRestriction(report: FullReport, nsfw: unknown, traits: ApplicationTraits): void {
  if (isAbsent(nsfw) || !checkBoolean(report, 'nsfw', nsfw)) return;
  if (nsfw && traits.discoverable) report.at('nsfw', 'APPLICATION_COMMAND_NSFW_INVALID');
}

function checkHandler(report: FullReport, handler: unknown, type: CommandType, { embedded }: ApplicationTraits): void {
  if (!checkEnum(report, 'handler', handler, handlers)) return;
  if (type !== PRIMARY_ENTRY_POINT) report.at('handler', 'APPLICATION_COMMAND_HANDLER_INVALID');
  else if (!embedded) report.at('handler', 'APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED');
}

/** Permission bits: a whole number or its decimal text, 0 to `limits.permissionBitsMax`. */
function checkPermissions(report: FullReport, bits: unknown): void {
  if (isAbsent(bits)) return;
  const key = 'default_member_permissions';
  const digits = digitsOf(bits);
  if (digits === undefined) report.at(key, 'NUMBER_TYPE_COERCE', bits, 'int');
  else if (/^-0*[1-9]/.test(digits)) report.at(key, 'NUMBER_TYPE_MIN', 0);
  else if (exceedsPermissionBits(digits)) report.at(key, 'NUMBER_TYPE_MAX', limits.permissionBitsMax);
}

function digitsOf(bits: unknown): string | undefined {
  if (typeof bits === 'number' && Number.isInteger(bits)) return BigInt(bits).toString();
  return typeof bits === 'string' && /^-?[0-9]+$/.test(bits) ? bits : undefined;
}

function exceedsPermissionBits(digits: string): boolean {
  const max = limits.permissionBitsMax;
  const significant = digits.replace(/^-?0*/, '');
  // Digits are counted first: turning a text of a million of them into a number would take seconds.
  return significant.length > max.toString().length || BigInt(significant) > max;
}
