import { RallypointError } from '../model/errors/errors.ts';
import { obstacleBehind, obstacleText } from '../wire/files/obstacle.ts';
import { CommandFailure } from './command-line.ts';

/** One line about an error. */
export function errorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/:\s*\n\s*/g, ': ').replace(/\s*\n\s*/g, '; ');
}

/** Why a file cannot be used: what is there instead of it or, if nothing is, the system's message. */
export function fileTrouble(path: string, error: unknown): string {
  const obstacle = obstacleBehind(error, path);
  return obstacle ? obstacleText(obstacle) : errorMessage(error);
}

interface StartPlace {
  readonly host: string;
  readonly port: number;
  readonly opsPort?: number;
}

/** Why a service did not start. */
export function startFailure(error: unknown, { host, ...ports }: StartPlace): CommandFailure {
  if (error instanceof RallypointError) return new CommandFailure(errorMessage(error));
  const { code, port = ports.port } = (error ?? {}) as { code?: unknown; port?: number };
  const option = port === ports.opsPort ? '--ops-port' : '--port';
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} of ${host} is taken. Give another one by ${option}, or ${option} 0 for any free one.`,
      );
    case 'EACCES':
      return new CommandFailure(
        `Listening on port ${port} of ${host} is not allowed: ${errorMessage(error)}. Give a port from 1024 on by ${option}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandFailure(`${host} is not an address of this machine; give another one by --host.`);
    default:
      return new CommandFailure(`The service could not be started: ${errorMessage(error)}`);
  }
}
