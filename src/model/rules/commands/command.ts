import { commandTypes } from '../../command.ts';
import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { readSnowflake } from '../../snowflake.ts';
import { checkObjectItem, checkSnowflake, type Fields, isAbsent, isFields } from '../field.ts';
import { FullReport } from '../full-report.ts';
import {
  type CommandRuleContext,
  checkCommandDescription,
  checkCommandName,
  checkCommandType,
  checkOptionalFields,
} from './command-fields.ts';
import { checkCommandSize } from './command-size.ts';

export type { CommandRuleContext, CommandScope } from './command-fields.ts';

/**
 * Accepts lone surrogates: a command has up to 1,300 texts, and to look through each of them would take as long as all other checks. The
 * names, by which commands and options are found, are checked for them.
 */
class CommandReport extends FullReport {
  override isText(value: unknown): value is string {
    return typeof value === 'string';
  }
}

/**
 * Checks the body that registers one command. Fields the interface does not know, and those only answers carry, are
 * ignored.
 *
 * @returns every fault, in the order of the body's rules; empty when the command is valid
 * @see docs/spec/commands.md#command; docs/spec/commands.md#options; docs/spec/commands.md#names; docs/spec/commands.md#subcommands; docs/spec/commands.md#uniqueness
 */
export function checkCommand(value: unknown, context: CommandRuleContext): Issue[] {
  const report = new CommandReport();
  if (isFields(value)) checkWhole(report, value, context);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}

/**
 * Checks the body that edits a command of type `context.type`: only the fields it supplies.
 *
 * Unspecified: `type` is not a parameter of an edit and is ignored like any unknown field. What spans supplied and
 * stored fields, the combined length of the texts, is checked for the supplied fields only: check the merged command with
 * {@link checkCommand} as well.
 *
 * @see docs/spec/commands.md#edit; docs/spec/commands.md#parameters; docs/spec/commands.md#writing-commands
 */
export function checkCommandEdit(value: unknown, context: CommandRuleContext): Issue[] {
  const report = new CommandReport();
  if (isFields(value)) checkSupplied(report, value, context);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}

/**
 * Checks the body that replaces all commands of a scope; the index of the item comes first in each path.
 *
 * How many of each type a scope may have is a separate rule with its own error, see `firstExceededType`.
 *
 * Unspecified: null is rejected; it would otherwise delete every command of the scope.
 *
 * @see docs/spec/commands.md#writing-commands
 */
export function checkCommandList(value: unknown, context: CommandRuleContext): Issue[] {
  const report = new CommandReport();
  const max = limits.commandsPerBulkMax;
  if (!Array.isArray(value)) {
    report.here('LIST_TYPE_CONVERT');
    return report.issues;
  }
  if (value.length > max) report.here('BASE_TYPE_MAX_LENGTH', max);
  const items = value.slice(0, max);
  report.enter(0);
  for (let i = 0; i < items.length; i++) {
    const item: unknown = items[i];
    report.moveTo(i);
    if (checkObjectItem(report, item)) checkItem(report, item, context);
  }
  report.leave();
  checkUniqueItems(report, items);
  return report.issues;
}

function checkWhole(report: FullReport, command: Fields, context: CommandRuleContext): void {
  const { textUnits } = report;
  const type = checkCommandType(report, command.type, context);
  checkCommandName(report, command.name, type);
  checkCommandDescription(report, command.description, type);
  checkOptionalFields(report, command, type, context.traits);
  checkCommandSize(report, command, textUnits);
}

function checkSupplied(report: FullReport, command: Fields, context: CommandRuleContext): void {
  const { textUnits } = report;
  const type = context.type ?? commandTypes.CHAT_INPUT;
  if (command.name !== undefined) checkCommandName(report, command.name, type);
  if (command.description !== undefined) checkCommandDescription(report, command.description, type);
  checkOptionalFields(report, command, type, context.traits);
  checkCommandSize(report, command, textUnits);
}

function checkItem(report: FullReport, item: Fields, context: CommandRuleContext): void {
  if (!isAbsent(item.id)) checkSnowflake(report, 'id', item.id);
  checkWhole(report, item, context);
}

/** Unspecified: two items with one id are rejected, because only one of them could become that command. */
function checkUniqueItems(report: FullReport, items: readonly unknown[]): void {
  const names = new Set<string>();
  const ids = new Set<string>();
  items.forEach((item, i) => {
    if (!isFields(item)) return;
    const type = item.type ?? commandTypes.CHAT_INPUT;
    const name = item.name;
    if (typeof name === 'string' && typeof type === 'number' && !isNew(names, `${type} ${name}`)) {
      report.at(i, 'APPLICATION_COMMANDS_DUPLICATE_NAME');
    }
    const id = readSnowflake(item.id);
    if (id !== undefined && !isNew(ids, id)) report.at(i, 'APPLICATION_COMMANDS_DUPLICATE_ID');
  });
}

function isNew(seen: Set<string>, key: string): boolean {
  return seen.size !== seen.add(key).size;
}
