import { type OptionGroups, optionText, readArguments, UsageError } from './command-line.ts';
import { defaults } from './serve-options.ts';

/** The options of `rallypoint backup` and `rallypoint restore`, by the headings of the help. */
export const dataOptions: OptionGroups = {
  Data: {
    data: { value: 'DIR', help: [`the data folder (default ${defaults.data})`] },
  },
  Output: {
    json: { help: ['print one JSON document on stdout'] },
    help: { short: 'h', help: ['show this help'] },
  },
};

/** What was asked for. */
export interface BackupSettings {
  /** The backup. */
  readonly file: string;
  readonly data: string;
  readonly json: boolean;
}

/**
 * @returns undefined when the help was asked for
 * @throws UsageError
 */
export function readBackupSettings(command: 'backup' | 'restore', args: readonly string[]): BackupSettings | undefined {
  const { given, operands } = readArguments(args, dataOptions);
  if (given.help) return undefined;
  const [file, another] = operands;
  if (file === undefined)
    throw new UsageError(`"rallypoint ${command}" needs a FILE: rallypoint ${command} FILE --data DIR`);
  if (another !== undefined)
    throw new UsageError(`"rallypoint ${command}" takes one FILE (got "${file}" and "${another}").`);
  return { file, data: optionText(given, 'data') ?? defaults.data, json: given.json === true };
}
