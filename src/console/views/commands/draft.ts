import type { ApplicationTraits } from '../../../model/application.ts';
import { type Command, type CommandInput, type CommandOption, commandTypes } from '../../../model/command.ts';
import type { Issue } from '../../../model/errors/issue.ts';
import { type CommandScope, checkCommand } from '../../../model/rules/commands/command.ts';
import { isFields } from '../../../model/rules/field.ts';
import { readJsonFile } from '../../../wire/json-file.ts';
import { type JsonPlace, lineOf, readJsonPlaces } from './json-places.ts';

/** What is wrong with a text, and where. */
export interface PlacedIssue extends Issue {
  readonly place: JsonPlace;
}

/** A command while it is written. */
export interface Draft {
  readonly text: string;
  /** The JSON; undefined while the text is none. */
  readonly value: unknown;
  /** A command that passed the checks, as far as one was written; `isValid` says whether it did. */
  readonly command: CommandInput | undefined;
  readonly isValid: boolean;
  readonly issues: readonly PlacedIssue[];
}

export interface DraftContext {
  readonly scope: CommandScope;
  readonly traits: ApplicationTraits;
  /** The registered command that is edited. */
  readonly stored?: Command | undefined;
}

/** Reads a text and checks it by the rules of the service. */
export function readDraft(text: string, context: DraftContext): Draft {
  const reading = readJsonFile(text);
  if ('fault' in reading) {
    const place = placeOfFault(text, reading.fault);
    const issues = [{ path: [], code: 'JSON', message: `This is not JSON: ${reading.fault}.`, place }];
    return { text, value: undefined, command: undefined, isValid: false, issues };
  }
  const { value } = reading;
  const placeOf = readJsonPlaces(text);
  const found = [...checkCommand(value, context), ...checkType(value, context.stored)];
  const issues = found.map(issue => ({ ...issue, place: placeOf(issue.path) }));
  return { text, value, command: asCommand(value), isValid: issues.length === 0, issues };
}

/** An edit cannot change a command's type. */
function checkType(value: unknown, stored: Command | undefined): readonly Issue[] {
  if (!stored || !isFields(value)) return [];
  const type = value.type ?? commandTypes.CHAT_INPUT;
  if (type === stored.type) return [];
  const message = 'The type of a registered command cannot change. Create a new command instead.';
  return [{ path: ['type'], code: 'TYPE_CHANGED', message }];
}

function placeOfFault(text: string, fault: string): JsonPlace {
  const [, line, column] = /^line (\d+), column (\d+)/.exec(fault) ?? [];
  const lines = text.split('\n');
  const at =
    lines.slice(0, Number(line ?? 1) - 1).reduce((sum, one) => sum + one.length + 1, 0) + Number(column ?? 1) - 1;
  const from = Math.min(at, text.length);
  return { line: lineOf(text, from), from, to: from };
}

/** Enough of a command to show it: an object with a name; options that are no objects are left out. */
function asCommand(value: unknown): CommandInput | undefined {
  if (!isFields(value) || typeof value.name !== 'string') return undefined;
  const options = Array.isArray(value.options) ? optionsIn(value.options) : undefined;
  return { ...(value as unknown as CommandInput), ...(options && { options }) };
}

function optionsIn(list: readonly unknown[]): CommandOption[] {
  return list.filter(isFields).map(option => {
    const { options, choices, ...rest } = option;
    return {
      ...rest,
      ...(Array.isArray(options) && { options: optionsIn(options) }),
      ...(Array.isArray(choices) && { choices: choices.filter(isFields) }),
    } as unknown as CommandOption;
  });
}

const onlyInAnswers: ReadonlySet<string> = new Set([
  'id',
  'application_id',
  'version',
  'guild_id',
  'name_localized',
  'description_localized',
]);

/** A registered command as its definition: without what only answers have, and without defaults. */
export function definitionOf(command: Command): CommandInput {
  const kept = Object.entries(command).filter(([name, value]) => {
    if (onlyInAnswers.has(name) || value === null || value === undefined) return false;
    if (name === 'nsfw') return value === true;
    if (name === 'description') return value !== '';
    // It follows the contexts, where those are set.
    if (name === 'dm_permission') return value === false && !command.contexts;
    return true;
  });
  return withoutNulls(Object.fromEntries(kept)) as CommandInput;
}

/** Options and choices of answers have null dictionaries. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutNulls(item)]));
}

export function draftText(command: CommandInput): string {
  return JSON.stringify(command, null, 2);
}

/** Sets one field of the command's text at a path; undefined removes it. Text that is not JSON stays as it is. */
export function setInText(text: string, path: readonly (string | number)[], value: unknown): string {
  const reading = readJsonFile(text);
  if ('fault' in reading) return text;
  return JSON.stringify(setAt(reading.value, path, value), null, 2);
}

function setAt(target: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list = Array.isArray(target) ? [...target] : [];
    const item = setAt(list[key], rest, value);
    if (rest.length === 0 && value === undefined) list.splice(key, 1);
    else list[key] = item;
    return list;
  }
  const { [key]: before, ...others } = isFields(target) ? target : {};
  const after = setAt(before, rest, value);
  if (after === undefined) return others;
  // The order of the fields stays.
  return isFields(target) && key in target ? { ...target, [key]: after } : { ...others, [key]: after };
}
