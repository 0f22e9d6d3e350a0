import { parseArgs } from 'node:util';
import { suggestion } from './nearest.ts';

/** The command was used wrongly: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was used correctly and failed: one line on stderr, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** An option of a command. */
export interface OptionRow {
  /** What stands for its value in the help, `FILE` or `DIR` for a path; absent when it takes none. */
  readonly value?: string;
  /** The values that it can have, where they are few. */
  readonly choices?: readonly string[];
  /** A letter for short. */
  readonly short?: string;
  /** Lines of the help. */
  readonly help: readonly string[];
}
/** Option → row, by the headings of the help. */
export type OptionGroups = Readonly<Record<string, Readonly<Record<string, OptionRow>>>>;

/** Option → its value, or true for one that takes none. Of a repeated option the last counts. */
export type GivenOptions = Readonly<Record<string, string | true | undefined>>;

/**
 * Reads the options of a command that takes nothing else.
 *
 * @throws UsageError on an unknown option, a missing or needless value, or a word that is not an option
 */
export function readOptions(command: string, args: readonly string[], groups: OptionGroups): GivenOptions {
  const { given, operands } = readArguments(args, groups);
  const [word] = operands;
  if (word === undefined) return given;
  throw new UsageError(`"rallypoint ${command}" takes only options (got "${word}").`);
}

/** What stands behind a command. */
export interface GivenArguments {
  readonly given: GivenOptions;
  /** Words that are not options, in their order. */
  readonly operands: readonly string[];
}

/** @throws UsageError on an unknown option, a missing or needless value */
export function readArguments(args: readonly string[], groups: OptionGroups): GivenArguments {
  const rows: Readonly<Record<string, OptionRow>> = Object.assign({}, ...Object.values(groups));
  const names = Object.keys(rows);
  const options = Object.fromEntries(
    Object.entries(rows).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });

  const given: Record<string, string | true> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const row = Object.hasOwn(rows, token.name) ? rows[token.name] : undefined;
    if (!row) {
      const candidates = names.map(name => `--${name}`);
      const hint = suggestion(token.rawName, candidates) || ' --help lists the options.';
      throw new UsageError(`There is no option ${token.rawName}.${hint}`);
    }
    given[token.name] = readValue(token.rawName, row, token.value, token.inlineValue === true);
  }
  return { given, operands };
}

function readValue(rawName: string, row: OptionRow, value: string | undefined, inline: boolean): string | true {
  if (row.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return true;
  }
  // A value that looks like an option is one. Negative numbers and random tokens begin with one dash.
  if (value === undefined || value === '' || (!inline && /^-(-|[a-z]?$)/i.test(value))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${row.value}.`);
  }
  return value;
}

/** The value of an option that takes one, if it was given. */
export function optionText(given: GivenOptions, name: string): string | undefined {
  const value = given[name];
  return value === true ? undefined : value;
}
