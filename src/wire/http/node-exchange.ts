import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { limitReaching } from './reaching.ts';
import {
  answerTooLarge,
  connectionError,
  ReceivedBody,
  systemCode,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

// Enough for hundreds of concurrent calls, few enough not to exhaust a service's sockets.
const socketsPerOriginMax = 128;

const agentOptions = { keepAlive: true, maxSockets: socketsPerOriginMax, scheduling: 'lifo' } as const;
// Node would work a TLS server name out for every plain request, too: a twentieth of the whole call.
const plainOptions = { ...agentOptions, servername: '' };

/**
 * Carries requests by `node:http` and `node:https` over connections that are kept alive.
 *
 * It is used in place of the global `fetch`, because a socket of our own tells for certain whether a failed request had left, which decides
 * if a POST may be repeated.
 */
export function openNodeTransport(): Transport {
  const plain = new HttpAgent(plainOptions);
  const secure = new HttpsAgent(agentOptions);
  const origins = new Origins();
  const open = (request: TransportRequest): ClientRequest => {
    const { origin, path } = origins.split(request.url);
    const { host, port, isSecure } = origin;
    const options = { host, port, path, method: request.method, headers: headerList(request, origin) };
    return isSecure ? requestHttps({ ...options, agent: secure }) : requestHttp({ ...options, agent: plain });
  };

  return {
    send: request => exchange(request, open),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

interface Origin {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: string;
  /** Value of the Host header. */
  readonly authority: string;
  readonly isSecure: boolean;
}

/** A client has one origin or two, so their parts are worked out once; parsing every URL is a fortieth of a call. */
class Origins {
  readonly #known = new Map<string, Origin>();

  split(url: string): { readonly origin: Origin; readonly path: string } {
    const pathStart = url.indexOf('/', url.indexOf('://') + 3);
    const name = url.slice(0, pathStart);
    let origin = this.#known.get(name);
    if (!origin) {
      origin = readOrigin(name);
      this.#known.set(name, origin);
    }
    return { origin, path: url.slice(pathStart) };
  }
}

function readOrigin(name: string): Origin {
  const { protocol, hostname, port, host: authority } = new URL(name);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { host, port, authority, isSecure: protocol === 'https:' };
}

/**
 * Name, value, name, value …: Node writes a list out as it is, where it keeps a table of a dictionary first, which is a
 * tenth of a call. Of a list it adds neither host nor length by itself.
 */
function headerList({ method, headers, body = '' }: TransportRequest, { authority }: Origin): string[] {
  const list = ['host', authority];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '');
  if (body !== '' || !bodiless.has(method)) list.push('content-length', String(Buffer.byteLength(body)));
  return list;
}

// Of these an absent body needs no length. @see RFC 9110, section 8.6
const bodiless: ReadonlySet<string> = new Set(['GET', 'DELETE']);

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
      if (connected) return;
      limitReaching(outgoing, socket);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        connected = true;
      });
    });
    outgoing.on('error', fail);
    // An answer that nobody asked for. Without a listener Node closes the connection and tells nobody.
    outgoing.once('upgrade', ({ statusCode = 0, headers }) =>
      settle(() => resolve({ status: statusCode, headers, text: '' })),
    );
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
    outgoing.end(typeof body === 'object' ? new Uint8Array(body) : body);
  });
}

interface BodyReports {
  done(text: string): void;
  tooLarge(): void;
  fail(error: unknown): void;
}

function readBody(incoming: IncomingMessage, reports: BodyReports): void {
  const body = new ReceivedBody();
  incoming.on('data', (chunk: Buffer) => {
    if (!body.add(chunk)) reports.tooLarge();
  });
  incoming.once('end', () => reports.done(body.text()));
  incoming.once('error', reports.fail);
}
