import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { TransportError } from '../../model/errors/errors.ts';
import { loopbackRedirect } from '../../model/oauth.ts';
import type { RedirectResult } from '../../wire/oauth/read-redirect.ts';
import type { RedirectReceiver } from '../redirect/listen.ts';
import { type RedirectAnswer, type RedirectPage, renderRedirectPage } from './redirect-page.ts';

// A browser opens a few connections ahead of use. More come from another program, and the oldest is closed for each new one.
const connectionsMax = 16;
const requestMsMax = 10_000;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Checks addresses: `validate` decides which page is shown, and `settle` is called once that page has been sent. */
export interface RedirectValidator {
  validate(address: string): RedirectResult;
  settle(result: RedirectResult): void;
}

/** A {@link RedirectReceiver} at a port of this machine. */
export interface LoopbackReceiver extends RedirectReceiver {
  /** From now on it does not keep the process running. */
  unref(): void;
}

/**
 * Receives redirects to `http://127.0.0.1:PORT/callback`, on a free port that only this machine can reach. Every request's
 * address is passed to `validate`, whose result decides which page the player sees.
 *
 * Accepts only GET of the redirect's path, with the Host `127.0.0.1:PORT`: a web page whose host name resolves to this
 * machine (DNS rebinding) must not reach it.
 *
 * @throws TransportError `no_loopback`: no port can be opened
 */
export async function openLoopbackReceiver(
  redirects: RedirectValidator,
  page?: RedirectPage,
): Promise<LoopbackReceiver> {
  const { createServer } = await import('node:http');
  const server = createServer({ requestTimeout: requestMsMax, headersTimeout: requestMsMax, keepAlive: false });
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const [oldest] = sockets;
    if (!oldest || sockets.size <= connectionsMax) return;
    sockets.delete(oldest);
    oldest.destroy();
  });
  const host = `${loopbackRedirect.host}:${await listen(server)}`;
  server.on('request', (request, response) => {
    const show = (outcome: Outcome) =>
      answer(response, renderRedirectPage(outcome, page, request.headers['accept-language']));
    const fault = faultOf(request, host);
    if (fault) return show(fault);
    const result = redirects.validate(`http://${host}${request.url}`);
    // The server may be closed only after the page was sent, because closing it ends all connections.
    response.once('close', () => redirects.settle(result));
    show(outcomeOf(result));
  });

  const close = async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  const unref = () => {
    server.unref();
    for (const socket of sockets) socket.unref();
    server.on('connection', socket => socket.unref());
  };
  return { redirectUri: `http://${host}${loopbackRedirect.path}`, close, unref, [Symbol.asyncDispose]: close };
}

type Outcome = Parameters<typeof renderRedirectPage>[0];

function outcomeOf(result: RedirectResult): Outcome {
  return result.kind === 'rejected' && result.error.code === 'wrong_issuer' ? 'otherIssuer' : result.kind;
}

function faultOf({ method, headers, url = '' }: IncomingMessage, host: string): Outcome | undefined {
  if (headers.host !== host) return 'misdirected';
  if (url.split('?', 1)[0] !== loopbackRedirect.path) return 'notFound';
  return method === 'GET' ? undefined : 'notAllowed';
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => {
      reject(
        new TransportError(
          'no_loopback',
          'No port of 127.0.0.1 can be opened for the redirect. Use a custom scheme instead.',
          { cause },
        ),
      );
    });
    server.listen({ host: loopbackRedirect.host, port: 0 }, () => resolve((server.address() as AddressInfo).port));
  });
}

function answer(response: ServerResponse, { status, body }: RedirectAnswer): void {
  response.writeHead(status, status === 405 ? { ...headers, allow: 'GET' } : headers).end(body);
}
