import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { TransportError } from '../../model/errors/errors.ts';
import { loopbackRedirect } from '../../model/oauth.ts';
import type { RedirectResult } from '../../wire/oauth/read-redirect.ts';
import type { RedirectReceiver } from '../redirect/listen.ts';

// A browser opens a few connections ahead of use. More come from another program, and the oldest is closed for each new one.
const connectionsMax = 16;
const requestMsMax = 10_000;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Checks addresses: `validate` decides which page is shown, and `settle` is called once that page has been sent. */
export interface RedirectValidator {
  validate(address: string): RedirectResult;
  settle(result: RedirectResult): void;
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
export async function openLoopbackReceiver(redirects: RedirectValidator): Promise<RedirectReceiver> {
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
    const page = errorPage(request, host);
    if (page) return answer(response, page);
    const result = redirects.validate(`http://${host}${request.url}`);
    // The server may be closed only after the page was sent, because closing it ends all connections.
    response.once('close', () => redirects.settle(result));
    answer(response, pageOf(result));
  });

  const close = async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { redirectUri: `http://${host}${loopbackRedirect.path}`, close, [Symbol.asyncDispose]: close };
}

function pageOf(result: RedirectResult): Page {
  return result.kind === 'foreign' && result.issuer !== undefined ? pages.otherIssuer : pages[result.kind];
}

function errorPage({ method, headers, url = '' }: IncomingMessage, host: string): Page | undefined {
  if (headers.host !== host) return pages.misdirected;
  if (url.split('?', 1)[0] !== loopbackRedirect.path) return pages.notFound;
  return method === 'GET' ? undefined : pages.notAllowed;
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

function answer(response: ServerResponse, { status, body }: Page): void {
  response.writeHead(status, status === 405 ? { ...headers, allow: 'GET' } : headers).end(body);
}

/** A page that the player's browser shows after the redirect. */
interface Page {
  readonly status: number;
  readonly body: string;
}

/** Fixed texts, which never contain parts of the request. */
const pages = {
  granted: page(200, 'You are signed in', 'You can close this page and go back to the game.'),
  rejected: page(
    200,
    'You are not signed in',
    'The request was declined. You can close this page and go back to the game.',
  ),
  foreign: page(400, 'This link is not valid', 'It does not belong to a sign-in in progress. Start again in the game.'),
  otherIssuer: page(
    400,
    'This link is not valid',
    'The answer came from a different service than the one the game asked. If you develop the game, set its baseUrl to the ' +
      'address that the service prints as web_base.',
  ),
  misdirected: page(421, 'Wrong address', 'Only the game uses this address.'),
  notFound: page(404, 'Nothing here', 'Only the game uses this address.'),
  notAllowed: page(405, 'Not allowed', 'Only the game uses this address.'),
} as const satisfies Record<string, Page>;

function page(status: number, title: string, text: string): Page {
  const style = 'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:20vh auto;padding:0 1rem}';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const body = `<!doctype html><html lang="en">${head}<style>${style}</style><h1>${title}</h1><p>${text}</p></html>`;
  return { status, body };
}
