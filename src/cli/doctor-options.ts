import { isSnowflake } from '../model/snowflake.ts';
import { type OptionGroups, optionText, readOptions, UsageError } from './command-line.ts';

/** The options of `rallypoint doctor`, by the headings of the help. */
export const doctorOptions: OptionGroups = {
  'What to check': {
    scheme: { value: 'SCHEME', help: ["the scheme of the game's redirects"] },
    application: { value: 'ID', help: ['the application, for its default scheme: discord-ID'] },
    folder: { value: 'DIR', help: ["the folder of the game's socket, if it names one"] },
    handler: { value: 'NAME', help: ["the game's own registration, for example game.desktop"] },
    data: {
      value: 'DIR',
      help: ["instead of all that: a service's data folder, also while a service runs on it"],
    },
  },
  Output: {
    json: { help: ['print one JSON document'] },
    help: { short: 'h', help: ['show this help'] },
  },
};

/** What the doctor was asked to check. */
export interface DoctorSettings {
  readonly scheme: string | undefined;
  readonly applicationId: string | undefined;
  readonly folder: string | undefined;
  readonly handler: string | undefined;
  /** A data folder, which is looked at instead. */
  readonly data: string | undefined;
  readonly json: boolean;
}

/**
 * @returns undefined when the help was asked for
 * @throws UsageError
 */
export function readDoctorSettings(args: readonly string[]): DoctorSettings | undefined {
  const given = readOptions('doctor', args, doctorOptions);
  if (given.help) return undefined;
  const scheme = optionText(given, 'scheme');
  const applicationId = optionText(given, 'application');
  if (scheme !== undefined && applicationId !== undefined) {
    throw new UsageError('--scheme and --application both name the scheme; give one of them.');
  }
  if (applicationId !== undefined && !isSnowflake(applicationId)) {
    throw new UsageError(`--application must be an id, a whole number (got "${applicationId}").`);
  }
  const handler = optionText(given, 'handler');
  if (handler !== undefined && scheme === undefined && applicationId === undefined) {
    throw new UsageError('--handler names the registration of a scheme: give --scheme or --application too.');
  }
  const data = optionText(given, 'data');
  const other = ['scheme', 'application', 'folder', 'handler'].find(name => given[name] !== undefined);
  if (data !== undefined && other !== undefined) {
    throw new UsageError(`Give --data or --${other}, not both: one is about a service, the other about a game.`);
  }
  return {
    data,
    scheme,
    applicationId,
    folder: optionText(given, 'folder'),
    handler,
    json: given.json === true,
  };
}
