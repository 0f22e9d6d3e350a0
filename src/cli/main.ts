import { systemClock } from '../wire/clock/ports.ts';
import { rallypoint } from './rallypoint.ts';
import { systemTerminal } from './terminal.ts';

/** After the command is done, what may still hold the process for this long. */
const lingerMs = 1000;

// A reader that goes away, like `head -1` after the ready line, does not end the service.
process.stdout.on('error', () => {});

// Node.js 22 calls its SQLite experimental, on the stream of our log. That is of no use to the user of the command.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (!/^SQLite is an experimental/.test(String(warning))) Reflect.apply(emitWarning, process, [warning, ...rest]);
};

process.exitCode = await rallypoint(process.argv.slice(2), systemTerminal);
systemClock.schedule(lingerMs, () => process.exit());
