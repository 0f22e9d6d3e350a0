import { isAddress } from '../../service/options.ts';
import type { Place } from '../../service/store/transfer/upkeep.ts';
import {
  type OptionGroups,
  type OptionRow,
  optionText,
  readArguments,
  readOptions,
  UsageError,
} from '../command-line.ts';
import {
  defaults,
  engineOf,
  readEmbeddedStore,
  readFolder,
  readSecrets,
  serveEnvironment,
  unknownEngine,
} from '../serve-options.ts';

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

const store: OptionRow = {
  value: 'URL',
  help: [
    'the PostgreSQL database instead: postgres://user:password@host:5432/database',
    `(or set ${serveEnvironment.store})`,
  ],
};
const output = {
  json: { help: ['print one JSON document on stdout'] },
  help: { short: 'h', help: ['show this help'] },
} satisfies OptionGroups[string];
const where = { data: { value: 'DIR', help: [`the data folder (default ${defaults.data})`] }, store };

/** The options of `rallypoint backup`, by the headings of the help. */
export const backupOptions: OptionGroups = {
  State: {
    ...where,
    salvage: { help: ['of a damaged data folder: save what can be read, and say what is lost'] },
  },
  Output: { out: { value: 'FILE', help: ['the backup: another way to name FILE'] }, ...output },
};

/** The options of `rallypoint restore`, by the headings of the help. */
export const restoreOptions: OptionGroups = { State: where, Output: output };

/** The options of `rallypoint move`, by the headings of the help. */
export const moveOptions: OptionGroups = {
  State: {
    from: { value: 'PLACE', help: ['where the state is: a data folder, or postgres://…'] },
    to: { value: 'PLACE', help: ['where to copy it; nothing may be there yet'] },
  },
  Output: output,
};

/** The options of `rallypoint migrate`, by the headings of the help. */
export const migrateOptions: OptionGroups = {
  State: {
    store: { value: 'URL', help: ['the PostgreSQL database', `(or set ${serveEnvironment.store})`] },
    'dry-run': { help: ['only say what would be done'] },
  },
  Output: output,
};

/** What was asked for; undefined: the help. */
type Asked<Settings> = (Settings & { readonly json: boolean; readonly secrets: readonly string[] }) | undefined;

/** @throws UsageError */
export function readBackupSettings(
  command: 'backup' | 'restore',
  args: readonly string[],
  environment: ProcessEnvironment,
): Asked<{ readonly file: string; readonly place: Place; readonly salvage: boolean }> {
  const { given, operands } = readArguments(args, command === 'backup' ? backupOptions : restoreOptions);
  if (given.help) return undefined;
  const out = optionText(given, 'out');
  const [file, another] = out === undefined ? operands : [out, ...operands];
  if (file === undefined || file === '')
    throw new UsageError(`"rallypoint ${command}" needs a FILE: rallypoint ${command} FILE --data DIR`);
  if (isAddress(file))
    throw new UsageError(`"rallypoint ${command}" takes the path of a FILE, not an address; --store takes one.`);
  if (another !== undefined)
    throw new UsageError(`"rallypoint ${command}" takes one FILE (got "${file}" and "${another}").`);
  const data = readFolder(given);
  const named = optionText(given, 'store') ?? (environment[serveEnvironment.store] || undefined);
  if (data !== undefined && named !== undefined) {
    const other = given.store === undefined ? serveEnvironment.store : '--store';
    throw new UsageError(`--data and ${other} both say where the state is kept; give one of them.`);
  }
  const place = named === undefined ? { data: data ?? defaults.data } : readPlace('--store', named);
  const salvage = 'salvage' in given && given.salvage === true;
  if (salvage && 'store' in place) throw new UsageError('--salvage is for a data folder; name it by --data.');
  return { file, place, salvage, json: given.json === true, secrets: readSecrets(environment) };
}

/** @throws UsageError */
export function readMoveSettings(
  args: readonly string[],
  environment: ProcessEnvironment,
): Asked<{ readonly from: Place; readonly to: Place }> {
  const given = readOptions('move', args, moveOptions);
  if (given.help) return undefined;
  const place = (name: 'from' | 'to') => {
    const text = optionText(given, name);
    if (text !== undefined) return readPlace(`--${name}`, text);
    throw new UsageError('"rallypoint move" needs two places: rallypoint move --from DIR --to postgres://…');
  };
  const [from, to] = [place('from'), place('to')];
  if ('data' in from === 'data' in to) {
    throw new UsageError('One of --from and --to must be a data folder, and the other a PostgreSQL database.');
  }
  return { from, to, json: given.json === true, secrets: readSecrets(environment) };
}

/** @throws UsageError */
export function readMigrateSettings(
  args: readonly string[],
  environment: ProcessEnvironment,
): Asked<{ readonly store: string; readonly dryRun: boolean }> {
  const given = readOptions('migrate', args, migrateOptions);
  if (given.help) return undefined;
  const named = optionText(given, 'store') ?? environment[serveEnvironment.store];
  if (!named) {
    throw new UsageError(
      `"rallypoint migrate" needs a database: --store postgres://user:password@host:5432/database (or set ${serveEnvironment.store}).`,
    );
  }
  const place = readPlace('--store', named, 'postgres://…');
  if ('data' in place)
    throw new UsageError(
      '"rallypoint migrate" is for PostgreSQL; a data folder is migrated when a service starts on it.',
    );
  return {
    ...place,
    dryRun: given['dry-run'] === true,
    json: given.json === true,
    secrets: readSecrets(environment),
  };
}

/**
 * @param known the addresses that the error for an unknown engine names
 * @throws UsageError
 */
export function readPlace(
  option: string,
  text: string,
  known = `postgres://… or ${option === '--store' ? 'sqlite:DIR' : 'a data folder'}`,
): Place {
  const engine = engineOf(text);
  if (engine === 'postgres' || engine === 'postgresql') {
    if (URL.canParse(text)) return { store: text };
    throw new UsageError(
      `${option} is not a valid URL; it must look like postgres://user:password@host:5432/database.`,
    );
  }
  if (engine === 'sqlite') return { data: readEmbeddedStore(text) ?? defaults.data };
  // One letter is a drive.
  const isFolder = option !== '--store' && (engine === undefined || engine.length === 1);
  if (isFolder) return { data: text };
  throw new UsageError(unknownEngine(option, engine, known));
}
