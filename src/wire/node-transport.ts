import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import {
  answerBytesMax,
  answerTooLarge,
  connectionError,
  systemCode,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

// Our choice: enough to keep hundreds of calls under way, few enough not to exhaust a service's sockets.
const socketsPerOriginMax = 128;

const agentOptions = { keepAlive: true, maxSockets: socketsPerOriginMax, scheduling: 'lifo' } as const;
// Node would work a TLS server name out for every plain request, too: a twentieth of the whole call.
const plainOptions = { ...agentOptions, servername: '' };

/**
 * Carries requests by `node:http` and `node:https` over connections that are kept alive.
 *
 * It is the default in Node because the global `fetch` costs more than twice as much per call, and because a socket of
 * our own tells for certain whether a failed request had left, which decides if a POST may be repeated.
 */
export function nodeTransport(): Transport {
  const plain = new HttpAgent(plainOptions);
  const secure = new HttpsAgent(agentOptions);
  const open = ({ url, method, headers }: TransportRequest): ClientRequest => {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const options = { host, port, path: pathname + search, method, headers };
    return protocol === 'https:'
      ? requestHttps({ ...options, agent: secure })
      : requestHttp({ ...options, agent: plain });
  };

  return {
    send: request => exchange(request, open),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function exchange(
  request: TransportRequest,
  open: (request: TransportRequest) => ClientRequest,
): Promise<TransportAnswer> {
  const { url, body, signal } = request;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const outgoing = open(request);
    let connected = false;

    const abort = () => settle(() => reject(signal.reason));
    const settle = (report: () => void) => {
      signal.removeEventListener('abort', abort);
      report();
      outgoing.destroy();
    };
    const fail = (error: unknown) => settle(() => reject(connectionError(url, systemCode(error), !connected)));

    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('socket', socket => {
      connected = !socket.connecting;
      if (!connected)
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          connected = true;
        });
    });
    outgoing.on('error', fail);
    outgoing.once('response', incoming =>
      readBody(incoming, {
        done(text) {
          signal.removeEventListener('abort', abort);
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        },
        tooLarge: () => settle(() => reject(answerTooLarge())),
        fail,
      }),
    );
    outgoing.end(body);
  });
}

interface BodyReports {
  done(text: string): void;
  tooLarge(): void;
  fail(error: unknown): void;
}

function readBody(incoming: IncomingMessage, reports: BodyReports): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) return reports.tooLarge();
    chunks.push(chunk);
  });
  incoming.once('end', () => reports.done(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()));
  incoming.once('error', reports.fail);
}
