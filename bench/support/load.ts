import { connect, type Socket } from 'node:net';

/** Requests as bytes, so that the load costs the other core as little as it can. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The n-th request, complete with headers. */
  request(n: number): string;
  /** Status every answer must have. */
  readonly status: number;
}

/**
 * Sends all requests over kept-alive connections, one under way on each, and resolves with the seconds it took from the moment at which
 * all were connected.
 */
export async function run(load: Load): Promise<number> {
  let next = 0;
  let left = load.requests;
  let started = 0;
  await new Promise<void>((resolve, reject) => {
    const sockets: Socket[] = [];
    const asks: (() => void)[] = [];
    const finish = (error?: Error) => {
      for (const socket of sockets) socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const connections = Math.min(load.connections, load.requests);
    for (let i = 0; i < connections; i++) {
      const socket = connect(load.port, '127.0.0.1');
      sockets.push(socket);
      socket.setNoDelay(true);
      socket.on('error', finish);
      const ask = () => {
        if (next < load.requests) socket.write(load.request(next++));
      };
      readAnswers(socket, load.status, ask, error => {
        if (error) return finish(error);
        if (--left === 0) finish();
        return undefined;
      });
      socket.on('connect', () => {
        asks.push(ask);
        if (asks.length < connections) return;
        started = performance.now();
        for (const begin of asks) begin();
      });
    }
  });
  return (performance.now() - started) / 1000;
}

function readAnswers(socket: Socket, status: number, ask: () => void, answered: (error?: Error) => void): void {
  const good = `HTTP/1.1 ${status} `;
  let held = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    held += text;
    for (let size = answerSize(held); size > 0 && held.length >= size; size = answerSize(held)) {
      const answer = held.slice(0, size);
      held = held.slice(size);
      ask();
      answered(answer.startsWith(good) ? undefined : new Error(`Unexpected answer:\n${answer}`));
    }
  });
}

function answerSize(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))?.[1];
  return head + 4 + Number(length ?? 0);
}

/** A request's bytes. `body` is JSON text. */
export function httpRequest(method: string, path: string, authorization: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
