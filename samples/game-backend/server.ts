import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBackend } from '@rallypoint/sdk/backend';
import type { EntryPointAnswer } from './contract.ts';
import { createEntryPoint } from './entry-point.ts';
import { EntryPointFeed } from './entry-point-feed.ts';
import { createPlayers, type Player } from './players.ts';
import { readBody } from './read-body.ts';
import { Refusal, refusalOf } from './refusal.ts';

export interface GameBackendOptions {
  readonly applicationId: string;
  /**
   * Opens everything of the application: its commands in every guild, its lobbies and who is in them. That is why it is
   * here, on a machine of the studio's, and not in the game: whatever is shipped to players is read by players. Whoever
   * had it could speak as the game to all of them. A player's game holds that player's own tokens and nothing else; what
   * it may do beyond them it asks of this server, which knows who asks.
   */
  readonly botToken: string;
  /** The address of the service: the `web_base` of its ready line. */
  readonly baseUrl: string;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** How often the server asks whether the player who reads the news is still signed in. Default: every minute. */
  readonly recheckMs?: number | undefined;
  /** Hears what went wrong here and what players were refused for; never a token. Default: nobody. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface GameBackend {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Idempotent. */
  close(): Promise<void>;
}

/** What is done for a player, by method and path. */
type Handlers = Readonly<
  Record<
    string,
    Readonly<Record<string, (player: Player, request: IncomingMessage, response: ServerResponse) => unknown>>
  >
>;

const requestMsMax = 10_000;
const recheckMsDefault = 60_000;

/**
 * The game's own server: small, and whole in what matters. Every request names its player by an access token, which is
 * verified; bodies and times are bounded; every refusal is typed.
 *
 * | Call | Who | Answer |
 * |---|---|---|
 * | `GET /me` | a player | {@link PlayerView} |
 * | `GET /entry-point` | a player | {@link EntryPointAnswer} |
 * | `GET /entry-point/news` | a player | server-sent events of {@link EntryPointNews} |
 * | `PUT /entry-point` | the application's owner | {@link SavedEntryPoint} |
 */
export async function startGameBackend(options: GameBackendOptions): Promise<GameBackend> {
  const { applicationId, botToken, baseUrl, log = () => {} } = options;
  const backend = createBackend({ applicationId, botToken, baseUrl });
  const players = createPlayers({ backend, botToken, baseUrl });
  const entryPoint = createEntryPoint(backend);
  const feed = new EntryPointFeed(options.recheckMs ?? recheckMsDefault);

  const handlers: Handlers = {
    '/me': {
      GET: async player => ({ ...player, mayEditCommands: await players.isOwner(player) }),
    },
    '/entry-point': {
      GET: async (): Promise<EntryPointAnswer> => ({ entryPoint: await entryPoint.read() }),
      PUT: async (player, request) => {
        if (!(await players.isOwner(player))) {
          throw new Refusal('not_the_owner', 'Only the owner of the application changes its commands.');
        }
        const saved = await entryPoint.save(await readBody(request));
        feed.publish(saved.entryPoint);
        return saved;
      },
    },
    '/entry-point/news': {
      GET: async (player, request, response) => {
        const identify = () => players.identify(request.headers.authorization, 0);
        feed.add({ player, response, identify }, await entryPoint.read());
      },
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const handle = findHandler(handlers, request);
    // Whoever only reads may have been signed out a few seconds ago.
    const maxAgeMs = request.method === 'GET' ? undefined : 0;
    return handle(await players.identify(request.headers.authorization, maxAgeMs), request, response);
  }

  const server = createServer({ requestTimeout: requestMsMax, headersTimeout: requestMsMax });
  server.on('request', async (request, response) => {
    try {
      const body = await respond(request, response);
      // A stream has been answered already.
      if (!response.headersSent) answer(response, 200, body);
    } catch (error) {
      const refusal = refusalOf(error);
      log(`${request.method} ${pathOf(request)}: ${refusal.code}`);
      // What is left of a body would hold the connection.
      request.resume();
      answer(response, refusal.status, refusal.body, refusal.headers);
    }
  });
  server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  await once(server, 'listening');

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      backend.close();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function findHandler(handlers: Handlers, request: IncomingMessage) {
  const path = pathOf(request);
  const methods = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
  if (!methods) throw new Refusal('not_found', 'There is nothing at this address.');
  const { method = '' } = request;
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handle) return handle;
  const headers = { allow: Object.keys(methods).join(', ') };
  throw new Refusal('method_not_allowed', `${path} takes ${headers.allow}.`, { headers });
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  // No browser is let in: there is no access-control header, and nothing here is worth keeping in a cache.
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}
