import { version } from '../model/version.ts';
import { errorText } from '../wire/error-report.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { UsageError } from './command-line.ts';
import { commands } from './commands/commands.ts';
import { doctorCommand } from './doctor.ts';
import { errorMessage } from './failure.ts';
import { backupHelp, commandSummaries, commandsHelp, doctorHelp, generalHelp, restoreHelp, serveHelp } from './help.ts';
import { suggestion } from './nearest.ts';
import { serve } from './serve.ts';
import type { Terminal } from './terminal.ts';

const exitCodes = { done: 0, failed: 1, wrongUse: 2 } as const;

/** Runs `rallypoint …` and says how it went: the exit code, and one line on stderr about what went wrong. */
export async function rallypoint([command, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return (await run(command, args, terminal)) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    // By their names: parts that are built apart have classes of their own.
    const name = error instanceof Error ? error.name : undefined;
    const expected = name === 'UsageError' || name === 'CommandFailure';
    const text = expected ? errorMessage(error) : errorText(error);
    terminal.stderr.write(`rallypoint: ${text}\n`);
    return name === 'UsageError' ? exitCodes.wrongUse : exitCodes.failed;
  }
}

/** @returns false when the command was done and its answer is no */
async function run(command: string | undefined, args: readonly string[], terminal: Terminal): Promise<boolean> {
  switch (command) {
    case 'serve':
      await serve(args);
      return true;
    case 'commands':
      return commands(args, terminal);
    case 'doctor':
      return doctorCommand(args, terminal);
    case 'backup':
      await backupCommand(args, terminal);
      return true;
    case 'restore':
      await restoreCommand(args, terminal);
      return true;
    case 'help':
    case '--help':
    case '-h':
      terminal.stdout.write(help(args[0]));
      return true;
    case '--version':
    case '-v':
      terminal.stdout.write(`${version}\n`);
      return true;
    case undefined:
      throw new UsageError('Which command? "rallypoint help" lists them; start with "rallypoint serve --memory".');
    default:
      throw new UsageError(unknown(command));
  }
}

function help(topic: string | undefined): string {
  if (topic === undefined || topic === 'help') return generalHelp();
  if (topic === 'serve') return serveHelp();
  if (topic === 'commands') return commandsHelp();
  if (topic === 'doctor') return doctorHelp();
  if (topic === 'backup') return backupHelp();
  if (topic === 'restore') return restoreHelp();
  throw new UsageError(unknown(topic));
}

function unknown(word: string): string {
  const kind = word.startsWith('-') ? 'option' : 'command';
  const known = [...Object.keys(commandSummaries), '--help', '--version'];
  return `There is no ${kind} ${word}.${suggestion(word, known)} "rallypoint help" lists what there is.`;
}
