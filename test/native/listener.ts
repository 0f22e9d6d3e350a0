import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';

/** A game that listens as one does: a socket in a folder of the user's alone. */
export interface Listener {
  /** Everything that came, connection by connection. */
  readonly received: string[];
  close(): Promise<void>;
}

/** @param answer what is done with the first line of a connection */
export async function listenAt(path: string, answer: (socket: Socket) => void): Promise<Listener> {
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o700);
  const received: string[] = [];
  const open = new Set<Socket>();
  const server = createServer(socket => {
    const index = received.push('') - 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      const before = received[index] ?? '';
      received[index] = before + text;
      if (!before.includes('\n') && text.includes('\n')) answer(socket);
    });
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    received,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers every address with the line. */
export const says = (line: string) => (socket: Socket) => void socket.end(`${line}\n`);
