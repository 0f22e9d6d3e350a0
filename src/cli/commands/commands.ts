import { UsageError } from '../command-line.ts';
import { commandsHelp } from '../help.ts';
import { suggestion } from '../nearest.ts';
import type { Terminal } from '../terminal.ts';
import { type ActionName, actionSummaries, readSettings } from './settings.ts';

/**
 * `rallypoint commands …`: registers, compares and shows an application's commands.
 *
 * @returns false when a check found a difference
 * @throws UsageError, CommandFailure
 */
export async function commands([action, ...args]: readonly string[], terminal: Terminal): Promise<boolean> {
  if (action === '--help' || action === '-h' || action === 'help') return printHelp(terminal);
  const settings = readSettings(readAction(action), args);
  if (!settings) return printHelp(terminal);
  // Loaded this late because wrong options must not wait for it.
  const { runCommands } = await import('./run.ts');
  return runCommands(settings, terminal);
}

function readAction(word: string | undefined): ActionName {
  const names = Object.keys(actionSummaries) as ActionName[];
  const action = names.find(name => name === word);
  if (action) return action;
  if (word === undefined) throw new UsageError(`What about the commands? rallypoint commands ${names.join('|')}`);
  throw new UsageError(
    `"rallypoint commands" knows no ${word}.${suggestion(word, names)} It knows ${names.join(', ')}.`,
  );
}

function printHelp({ stdout }: Terminal): true {
  stdout.write(commandsHelp());
  return true;
}
