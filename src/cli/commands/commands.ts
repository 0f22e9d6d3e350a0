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
export async function commands([word, ...args]: readonly string[], terminal: Terminal): Promise<boolean> {
  const { stdout, environment } = terminal;
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    const topic = word === 'help' ? args[0] : undefined;
    stdout.write(commandsHelp(topic === undefined ? undefined : readAction(topic)));
    return true;
  }
  const action = readAction(word);
  const settings = readSettings(action, args, environment);
  if (!settings) {
    stdout.write(commandsHelp(action));
    return true;
  }
  // Loaded this late because wrong options must not wait for it.
  const { runCommands } = await import('./run.ts');
  return runCommands(settings, terminal);
}

/** @throws UsageError */
export function readAction(word: string): ActionName {
  const names = Object.keys(actionSummaries) as ActionName[];
  const action = names.find(name => name === word);
  if (action) return action;
  const kind = word.startsWith('-') ? 'option' : 'action';
  throw new UsageError(
    `"rallypoint commands" has no ${kind} ${word}.${suggestion(word, names)} Its actions are ${names.join(', ')}.`,
  );
}
