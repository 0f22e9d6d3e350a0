import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve, serverOptions } from '../child.ts';

/** The limit: `node:http` that reads the request and answers fixed bytes. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For how long a network would be on its way. */
  readonly delayMs?: number;
}

const answers = serverOptions<Readonly<Record<string, Answer>>>();

const server = createServer((request, response) => {
  const answer = answers[request.method ?? ''];
  if (!answer) throw new Error(`No answer for ${request.method}.`);
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const reply = () => {
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    };
    if (answer.delayMs === undefined) reply();
    else setTimeout(reply, answer.delayMs);
  });
});

server.listen(0, '127.0.0.1', () => {
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  serve({ port: (server.address() as AddressInfo).port }, close);
});
