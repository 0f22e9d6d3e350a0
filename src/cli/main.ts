import { systemClock } from '../wire/clock/ports.ts';
import { errorMessage } from './failure.ts';
import { rallypoint } from './rallypoint.ts';
import { systemTerminal } from './terminal.ts';

const args = process.argv.slice(2);

/**
 * After the command is done, what may still hold the process for this long. A service has a deadline by then: what it could not close
 * is connections to an engine that does not answer.
 */
const lingerMs = args[0] === 'serve' ? 100 : 1000;

// Neither a reader that goes away, like `head -1` after the ready line, nor a full disk ends the service. Any other command has failed
// when its output is lost.
let isLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isLost) return;
  isLost = true;
  if (args[0] !== 'serve') process.exitCode = 1;
  process.stderr.write(`rallypoint: The output could not be written: ${errorMessage(error)}\n`);
});

// Node.js 22 calls its SQLite experimental, on the stream of our log. That is of no use to the user of the command.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (!/^SQLite is an experimental/.test(String(warning))) Reflect.apply(emitWarning, process, [warning, ...rest]);
};

const exitCode = await rallypoint(args, systemTerminal);
process.exitCode ||= exitCode;
systemClock.schedule(lingerMs, () => process.exit());
