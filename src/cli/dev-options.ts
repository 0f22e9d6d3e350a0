import type { OptionGroups } from './command-line.ts';
import { optionText, readOptions, UsageError } from './command-line.ts';
import { defaultReadyFile, defaults } from './serve-options.ts';

/** The options of `rallypoint dev`, by the headings of the help. */
export const devOptions: OptionGroups = {
  Service: {
    port: { value: 'N', help: [`port for everything; 0 takes a free one (default ${defaults.port})`] },
    fixtures: {
      value: 'FILE',
      help: ['applications, users and guilds; loaded again whenever FILE changes (default: a demo)'],
    },
    'virtual-clock': { help: ['time passes only by "rallypoint clock advance"'] },
    'ready-file': {
      value: 'FILE',
      help: [`write the addresses and the control token to FILE (default ${defaultReadyFile})`],
    },
  },
  Output: {
    record: {
      value: 'FILE',
      help: ['when it stops, write all requests and gateway frames to FILE, without secrets'],
    },
    help: { short: 'h', help: ['show this help'] },
  },
};

export interface DevSettings {
  readonly host: string;
  readonly port: number;
  readonly fixtures: string | undefined;
  readonly virtualClock: boolean;
  readonly readyFile: string;
  readonly record: string | undefined;
}

/**
 * @returns undefined when help is to be shown
 * @throws UsageError
 */
export function readDevSettings(args: readonly string[]): DevSettings | undefined {
  const given = readOptions('dev', args, devOptions);
  if (given.help) return undefined;
  const port = optionText(given, 'port') ?? String(defaults.port);
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`--port must be a whole number from 0 to 65535 (got "${port}").`);
  }
  return {
    host: defaults.host,
    port: Number(port),
    fixtures: optionText(given, 'fixtures'),
    virtualClock: given['virtual-clock'] === true,
    readyFile: optionText(given, 'ready-file') ?? defaultReadyFile,
    record: optionText(given, 'record'),
  };
}
