import { RallypointError } from '../model/errors/errors.ts';
import { CommandFailure } from './command-line.ts';

/** One line about an error. */
export function errorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/:\s*\n\s*/g, ': ').replace(/\s*\n\s*/g, '; ');
}

/** Why a service did not start. */
export function startFailure(error: unknown, { host, port }: { host: string; port: number }): CommandFailure {
  if (error instanceof RallypointError) return new CommandFailure(errorMessage(error));
  switch ((error as { code?: unknown } | null)?.code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} of ${host} is taken. Give another one by --port, or --port 0 for any free one.`,
      );
    case 'EACCES':
      return new CommandFailure(`Listening on port ${port} of ${host} is not allowed: ${errorMessage(error)}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandFailure(`${host} is not an address of this machine; give another one by --host.`);
    default:
      return new CommandFailure(`The service could not be started: ${errorMessage(error)}`);
  }
}
