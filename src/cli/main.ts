import { version } from '../model/version.ts';
import { systemClock } from '../wire/ports.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { commands } from './commands/commands.ts';
import { errorMessage } from './failure.ts';
import { commandSummaries, commandsHelp, generalHelp, serveHelp } from './help.ts';
import { suggestion } from './nearest.ts';
import { serve } from './serve.ts';

const exitCodes = { done: 0, failed: 1, wrongUse: 2 } as const;

/** After the command is done, what may still hold the process for this long. */
const lingerMs = 1000;

// A reader that goes away, like `head -1` after the ready line, does not end the service.
process.stdout.on('error', () => {});

process.exitCode = await main(process.argv.slice(2));
systemClock.schedule(lingerMs, () => process.exit());

async function main([command, ...args]: readonly string[]): Promise<number> {
  try {
    return (await run(command, args)) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    const expected = error instanceof UsageError || error instanceof CommandFailure;
    const text = expected ? errorMessage(error) : error instanceof Error ? (error.stack ?? error.message) : error;
    process.stderr.write(`rallypoint: ${text}\n`);
    return error instanceof UsageError ? exitCodes.wrongUse : exitCodes.failed;
  }
}

/** @returns false when the command was done and its answer is no */
async function run(command: string | undefined, args: readonly string[]): Promise<boolean> {
  switch (command) {
    case 'serve':
      await serve(args);
      return true;
    case 'commands':
      return commands(args);
    case 'help':
    case '--help':
    case '-h':
      return print(help(args[0]));
    case '--version':
    case '-v':
      return print(`${version}\n`);
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
  throw new UsageError(unknown(topic));
}

function unknown(word: string): string {
  const kind = word.startsWith('-') ? 'option' : 'command';
  const known = [...Object.keys(commandSummaries), '--help', '--version'];
  return `There is no ${kind} ${word}.${suggestion(word, known)} "rallypoint help" lists what there is.`;
}

function print(text: string): true {
  process.stdout.write(text);
  return true;
}
