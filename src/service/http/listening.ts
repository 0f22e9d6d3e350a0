import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, createServer, type ListenOptions, type Server as NetServer } from 'node:net';
import type { Logger } from '../../wire/clock/ports.ts';
import { dialedHost } from '../support/network-address.ts';
import { runtimeLimits } from '../support/service-limits.ts';

/** A server that accepts connections. */
export interface Listening {
  readonly server: Server;
  /** Listeners on the same port. They pass their connections to the server, and must be closed with it. */
  readonly others: readonly NetServer[];
}

export interface ListenParts {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  readonly log: Logger;
}

/** Listens with one socket. @throws the system's error if the port is in use */
export async function listen(server: Server, { host, port, log }: ListenParts): Promise<Listening> {
  await begin(server, { host, port });
  survive(server, log);
  return { server, others: [] };
}

/**
 * Listens with several sockets on one port, where the system can distribute connections among them (Linux). Each has a queue of its
 * own, and Node.js accepts one connection from each in every turn of the event loop. So thousands of clients that reconnect together
 * after a restart fit into the queues, and are accepted sooner.
 *
 * @throws the system's error if the port is in use
 */
export async function listenWithMany(server: Server, parts: ListenParts): Promise<Listening> {
  const { host, port, log } = parts;
  // Processes of one user could share the port without noticing.
  if (process.platform !== 'linux' || (await isInUse(host, port))) return listen(server, parts);
  try {
    await begin(server, { host, port, reusePort: true });
  } catch {
    // Not on this system; or the port is in use, and the error says so.
    return listen(server, parts);
  }
  survive(server, log);
  const shared = { host, port: (server.address() as AddressInfo).port, reusePort: true };
  const others: NetServer[] = [];
  while (others.length < runtimeLimits.listenSockets - 1) {
    // The options with which Node.js creates the sockets of an HTTP server.
    const other = createServer({ allowHalfOpen: true, noDelay: true }, socket => server.emit('connection', socket));
    try {
      await begin(other, shared);
    } catch (error) {
      log.warn({ error, sockets: others.length + 1 }, 'Fewer sockets listen on the port than should.');
      break;
    }
    survive(other, log);
    others.push(other);
  }
  return { server, others };
}

async function begin(server: NetServer, options: ListenOptions): Promise<void> {
  server.listen({ ...options, backlog: runtimeLimits.listenBacklog });
  await once(server, 'listening');
}

/** A connection that the system could not accept must not end the process. */
function survive(server: NetServer, log: Logger): void {
  server.on('error', error => log.warn({ error }, 'A connection could not be accepted.'));
}

/** Whether something accepts connections on the port, or leaves them without an answer. */
async function isInUse(host: string, port: number): Promise<boolean> {
  if (port === 0) return false;
  const socket = connect({ host: dialedHost(host), port, timeout: runtimeLimits.portCheckMs });
  try {
    return await new Promise(resolve => {
      // A socket can connect to its own port while nobody listens there.
      socket.on('connect', () => resolve(socket.localPort !== port));
      socket.on('timeout', () => resolve(true));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
    });
  } finally {
    socket.destroy();
  }
}
