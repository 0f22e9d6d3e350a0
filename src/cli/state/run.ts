import type { LayoutState, Place, UpkeepReport } from '../../service/store/transfer/upkeep.ts';
import { counted } from '../../wire/counted.ts';
import { CommandFailure } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { backupHelp, migrateHelp, moveHelp, restoreHelp } from '../help.ts';
import { printable } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { readBackupSettings, readMigrateSettings, readMoveSettings } from './options.ts';
import { showProgress } from './progress.ts';

/**
 * `rallypoint backup`: copies a state into one file.
 *
 * @throws UsageError, CommandFailure
 */
export async function backupCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readBackupSettings('backup', args, terminal.environment);
  if (!settings) {
    terminal.stdout.write(backupHelp());
    return;
  }
  const { file, place, salvage, secrets } = settings;
  const report = await explained(terminal, async (tools, progress) =>
    salvage && 'data' in place
      ? tools.salvagePlace(place.data, file)
      : tools.backUpPlace(place, file, { secrets, progress }),
  );
  const lost = report.lost?.length ? `Not all of ${report.lost.join(', ')} could be read; the rest` : 'The state';
  tell(report, settings, terminal, `${lost} of ${report.from} is in ${file}`, isShared(place));
}

/**
 * `rallypoint restore`: fills an empty place with a backup.
 *
 * @throws UsageError, CommandFailure
 */
export async function restoreCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readBackupSettings('restore', args, terminal.environment);
  if (!settings) {
    terminal.stdout.write(restoreHelp());
    return;
  }
  const { file, place, secrets } = settings;
  const report = await explained(terminal, async (tools, progress) =>
    tools.restorePlace(file, place, { secrets, progress }),
  );
  const to = 'data' in place ? place.data : report.to;
  tell(report, settings, terminal, `${to} holds the state of ${file} and can be served`, isShared(place));
}

/**
 * `rallypoint move`: copies a state to the other engine.
 *
 * @throws UsageError, CommandFailure
 */
export async function moveCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readMoveSettings(args, terminal.environment);
  if (!settings) {
    terminal.stdout.write(moveHelp());
    return;
  }
  const { from, to, secrets } = settings;
  const report = await explained(terminal, async (tools, progress) => tools.movePlace(from, to, { secrets, progress }));
  const target = 'data' in to ? to.data : report.to;
  tell(report, settings, terminal, `${target} holds the state of ${report.from}, compared record by record`, true);
}

/**
 * `rallypoint migrate`: brings a database to the newest layout.
 *
 * @throws UsageError, CommandFailure
 */
export async function migrateCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readMigrateSettings(args, terminal.environment);
  if (!settings) {
    terminal.stdout.write(migrateHelp());
    return;
  }
  const { store, dryRun, json } = settings;
  const before = await explained(terminal, async tools => tools.migrateStore(store, { dryRun }));
  const { location, found, newest, pending } = before;
  const report = { location, found, newest, pending, applied: dryRun ? [] : pending };
  terminal.stdout.write(`${json ? JSON.stringify(report, null, 2) : printable(whatWasMigrated(before, dryRun))}\n`);
}

function whatWasMigrated({ location, found, newest, pending, isUsable }: LayoutState, dryRun: boolean): string {
  if (!isUsable) return `${location} has layout ${found}; this version knows layouts up to ${newest}.`;
  if (pending.length === 0) return `${location} has layout ${found}. There is nothing to do.`;
  const what = found === 0 ? `an empty database gets layout ${newest}` : `layout ${found} becomes ${newest}`;
  return dryRun
    ? `${location}: ${what} at the next migration (pending: ${pending.join(', ')}). Nothing was changed.`
    : `${location}: ${what} (applied: ${pending.join(', ')}).`;
}

const sessionsNote = 'Gateway sessions were not taken along: clients identify again.';

function isShared(place: Place): boolean {
  return 'store' in place;
}

function tell(
  report: UpkeepReport,
  { json }: { readonly json: boolean },
  { stdout }: Terminal,
  message: string,
  endsSessions: boolean,
): void {
  const { total, bytes, commits } = report;
  const figures = [
    ...(total === undefined ? [] : [counted(total, 'record')]),
    ...(bytes === undefined ? [] : [counted(bytes, 'byte')]),
    ...(total !== undefined || commits === undefined ? [] : [counted(commits, 'commit')]),
  ];
  const note = endsSessions ? ` ${sessionsNote}` : '';
  const text = json ? JSON.stringify(report, null, 2) : printable(`${message}: ${figures.join(', ')}.${note}`);
  stdout.write(`${text}\n`);
}

type Tools = typeof import('../../service/store/transfer/upkeep.ts');

/** Runs with progress on a terminal. Loaded this late because wrong options must not wait for it. */
async function explained<T>(
  terminal: Terminal,
  work: (tools: Tools, progress: ReturnType<typeof showProgress>['progress']) => Promise<T>,
): Promise<T> {
  const { progress, clear } = showProgress(terminal, 'the database');
  try {
    return await work(await import('../../service/store/transfer/upkeep.ts'), progress);
  } catch (error) {
    // By their names: the store is built apart, with classes of its own.
    const isExpected = error instanceof Error && ['StoreError', 'ArgumentError'].includes(error.name);
    throw isExpected ? new CommandFailure(printable(errorMessage(error))) : error;
  } finally {
    clear();
  }
}
