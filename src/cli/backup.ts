import { type BackupSettings, readBackupSettings } from './backup-options.ts';
import { CommandFailure } from './command-line.ts';
import { errorMessage } from './failure.ts';
import { backupHelp, restoreHelp } from './help.ts';
import { printable } from './paint.ts';
import type { Terminal } from './terminal.ts';

/**
 * `rallypoint backup`: copies a data folder's state into one file.
 *
 * @throws UsageError, CommandFailure
 */
export async function backupCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readBackupSettings('backup', args);
  if (!settings) {
    terminal.stdout.write(backupHelp());
    return;
  }
  const { file, data } = settings;
  const { backUp } = await tools();
  tell(await backUp(data, file).catch(explain), `The state of ${data} is in ${file}`, settings, terminal);
}

/**
 * `rallypoint restore`: makes a data folder of a backup.
 *
 * @throws UsageError, CommandFailure
 */
export async function restoreCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const settings = readBackupSettings('restore', args);
  if (!settings) {
    terminal.stdout.write(restoreHelp());
    return;
  }
  const { file, data } = settings;
  const { restoreBackup } = await tools();
  const message = `${data} holds the state of ${file} and can be served`;
  tell(await restoreBackup(file, data).catch(explain), message, settings, terminal);
}

/** Loaded this late because wrong options must not wait for it. */
function tools(): Promise<typeof import('../service/store/sqlite/upkeep.ts')> {
  return import('../service/store/sqlite/upkeep.ts');
}

function tell(
  report: { readonly bytes: number; readonly commits: number },
  message: string,
  { json }: BackupSettings,
  { stdout }: Terminal,
): void {
  const { bytes, commits } = report;
  const text = json ? JSON.stringify(report, null, 2) : printable(`${message}: ${bytes} bytes, ${commits} commits.`);
  stdout.write(`${text}\n`);
}

function explain(error: unknown): never {
  // By its name: the store is built apart, with a class of its own.
  const isExpected = error instanceof Error && error.name === 'StoreError';
  throw isExpected ? new CommandFailure(printable(errorMessage(error))) : error;
}
