import { isSnowflake } from '../model/snowflake.ts';
import { type OptionGroups, optionText, readOptions, UsageError } from './command-line.ts';
import { readFolder } from './serve-options.ts';

/** The options of `rallypoint doctor`, by the headings of the help. */
export const doctorOptions: OptionGroups = {
  'What to check': {
    scheme: { value: 'SCHEME', help: ["the scheme of the game's redirects"] },
    application: { value: 'ID', help: ['the application, for its default scheme: discord-ID'] },
    folder: { value: 'DIR', help: ["the folder of the game's socket, if it is not the default"] },
    handler: { value: 'NAME', help: ["the id of the game's own registration, for example game.desktop"] },
    data: {
      value: 'DIR',
      help: ["check a service's data folder instead; the service may be running"],
    },
    store: {
      value: 'URL',
      help: ['check the PostgreSQL database of a cluster instead; nodes may be running'],
    },
  },
  Output: {
    json: { help: ['print one JSON document'] },
    help: { short: 'h', help: ['show this help'] },
  },
};

/** The settings of `rallypoint doctor`. */
export interface DoctorSettings {
  readonly scheme: string | undefined;
  readonly applicationId: string | undefined;
  readonly folder: string | undefined;
  readonly handler: string | undefined;
  /** The data folder to check instead. */
  readonly data: string | undefined;
  /** The database to check instead. */
  readonly store: string | undefined;
  readonly json: boolean;
}

/**
 * @returns undefined when help is to be shown
 * @throws UsageError
 */
export function readDoctorSettings(args: readonly string[]): DoctorSettings | undefined {
  const given = readOptions('doctor', args, doctorOptions);
  if (given.help) return undefined;
  const scheme = optionText(given, 'scheme');
  const applicationId = optionText(given, 'application');
  if (scheme !== undefined && applicationId !== undefined) {
    throw new UsageError('--scheme and --application both select the scheme. Pass one of them.');
  }
  if (applicationId !== undefined && !isSnowflake(applicationId)) {
    throw new UsageError(`--application must be an id, a whole number (got "${applicationId}").`);
  }
  const handler = optionText(given, 'handler');
  if (handler !== undefined && scheme === undefined && applicationId === undefined) {
    throw new UsageError('--handler needs a scheme. Pass --scheme or --application too.');
  }
  const data = readFolder(given);
  const other = ['scheme', 'application', 'folder', 'handler'].find(name => given[name] !== undefined);
  const store = optionText(given, 'store');
  const state = data === undefined ? 'store' : 'data';
  if ((data !== undefined || store !== undefined) && other !== undefined) {
    throw new UsageError(`--${state} checks a service and --${other} a game. Pass one of them.`);
  }
  if (data !== undefined && store !== undefined)
    throw new UsageError('--data and --store both say where the state is kept; give one of them.');
  return {
    ...{ data, store },
    scheme,
    applicationId,
    folder: optionText(given, 'folder'),
    handler,
    json: given.json === true,
  };
}
