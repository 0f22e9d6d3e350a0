import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TransportError } from '../../model/errors/errors.ts';
import { loopbackRedirect } from '../../model/oauth.ts';
import type { RedirectReceiver } from '../redirect/receiver.ts';
import type { RedirectVerdict } from './redirect.ts';

// A browser opens a few connections ahead of use; anything more is not a browser.
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

/** Who decides about an address: `judge` at once, for the page to show; `settle` once that page has been sent. */
export interface RedirectValidator {
  judge(address: string): RedirectVerdict;
  settle(verdict: RedirectVerdict): void;
}

/**
 * Receives redirects to `http://127.0.0.1:PORT/callback`, at a free port that this machine alone can reach. Each address
 * asked for goes to `judge`, whose verdict decides the page that the player sees.
 *
 * Only GET of the redirect's own path is looked at, and only under the Host `127.0.0.1:PORT`: a page elsewhere whose
 * name was made to resolve here must not reach us.
 *
 * @throws TransportError `no_loopback`: this machine lets us listen on no port
 */
export async function openLoopbackReceiver(redirects: RedirectValidator): Promise<RedirectReceiver> {
  const { createServer } = await import('node:http');
  const server = createServer({ requestTimeout: requestMsMax, headersTimeout: requestMsMax, keepAlive: false });
  server.maxConnections = connectionsMax;
  const host = `${loopbackRedirect.host}:${await listen(server)}`;
  server.on('request', (request, response) => {
    const page = misuse(request, host);
    if (page) return answer(response, page);
    const verdict = redirects.judge(`http://${host}${request.url}`);
    // Only then may the server be closed: closing it cuts off what has not left yet.
    response.once('close', () => redirects.settle(verdict));
    answer(response, pages[verdict.kind]);
  });

  return {
    redirectUri: `http://${host}${loopbackRedirect.path}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function misuse({ method, headers, url = '' }: IncomingMessage, host: string): Page | undefined {
  if (headers.host !== host) return pages.misdirected;
  if (url.split('?', 1)[0] !== loopbackRedirect.path) return pages.notFound;
  return method === 'GET' ? undefined : pages.notAllowed;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => {
      reject(new TransportError('no_loopback', 'No loopback port can be opened for the redirect.', { cause }));
    });
    server.listen({ host: loopbackRedirect.host, port: 0 }, () => resolve((server.address() as AddressInfo).port));
  });
}

function answer(response: ServerResponse, { status, body }: Page): void {
  response.writeHead(status, status === 405 ? { ...headers, allow: 'GET' } : headers).end(body);
}

/** What a player's browser shows after a redirect to the loopback server. */
interface Page {
  readonly status: number;
  readonly body: string;
}

/** Fixed texts: nothing of the request is ever repeated in them. */
const pages = {
  granted: page(200, 'You are signed in', 'You can close this page and go back to the game.'),
  refused: page(
    200,
    'You are not signed in',
    'The request was declined. You can close this page and go back to the game.',
  ),
  foreign: page(
    400,
    'This link is not valid',
    'It does not belong to a sign-in that is under way. Start again in the game.',
  ),
  misdirected: page(421, 'Wrong address', 'This address is for the game alone.'),
  notFound: page(404, 'Nothing here', 'This address is for the game alone.'),
  notAllowed: page(405, 'Not allowed', 'This address is for the game alone.'),
} as const satisfies Record<string, Page>;

function page(status: number, title: string, text: string): Page {
  const style = 'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:20vh auto;padding:0 1rem}';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const body = `<!doctype html><html lang="en">${head}<style>${style}</style><h1>${title}</h1><p>${text}</p></html>`;
  return { status, body };
}
