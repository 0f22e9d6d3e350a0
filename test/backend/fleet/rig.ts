import { type LobbyDirectory, memoryLobbyDirectory } from '../../../src/backend/fleet/directory.ts';
import { type LobbyServerOptions, type ManagedLobbies, manageLobbies } from '../../../src/backend/fleet/index.ts';
import { type Backend, type BackendOptions, createBackend, type Transport } from '../../../src/backend/index.ts';
import type { ApiError } from '../../../src/model/errors/errors.ts';
import type { LimitProfile } from '../../../src/model/limits/limit-profiles.ts';
import type { Lobby } from '../../../src/model/lobby.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { starfall } from '../../support/service/starfall.ts';

export const leaseMs = 30_000;
/** How much of it is used. */
export const usableMs = (leaseMs * 5) / 6;

/** `count` users beside those of the small world. */
export function players(count: number): { id: string; username: string }[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(200_000 + i), username: `player${i}` }));
}

/** A real service, and game servers that share a directory and a clock of their own. */
export class Fleet {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly directory: LobbyDirectory = memoryLobbyDirectory();
  readonly service: Service;
  readonly #closing: (() => unknown)[] = [];

  static async start(userCount = 0, limits: LimitProfile | 'off' = 'off'): Promise<Fleet> {
    const fixtures = { ...starfall, users: [...starfall.users, ...players(userCount)] };
    return new Fleet(await startService({ fixtures, limits, clock: 'virtual' }));
  }

  private constructor(service: Service) {
    this.service = service;
  }

  /** A process under that name; it reports every request it sends, as `METHOD path below the version`. */
  server(name: string, { lobbyServer, ...options }: ServerOptions = {}): GameServer {
    const { transport = nodeTransport() } = options;
    const sent: string[] = [];
    const seeing: Transport = {
      send(request) {
        sent.push(`${request.method} ${new URL(request.url).pathname.replace('/api/v10/', '')}`);
        return transport.send(request);
      },
      close: () => transport.close(),
    };
    const backend = createBackend({
      applicationId: starfall.applications[0].id,
      botToken: starfall.applications[0].bot_token,
      baseUrl: this.service.webBase,
      globalLimit: 'off',
      clock: this.clock,
      ...options,
      transport: seeing,
    });
    this.#closing.push(() => backend.close());
    const lobbies = manageLobbies(backend, { name, directory: this.directory, leaseMs, ...lobbyServer });
    return { backend, lobbies, sent };
  }

  /** What the service holds. */
  async lobby(id: string): Promise<Lobby | undefined> {
    const { lobbies } = this.server(`reader ${Math.random()}`);
    return lobbies.get(id).catch((error: ApiError) => {
      if (error.code !== 'unknown_lobby') throw error;
      return undefined;
    });
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
    await this.service.close();
  }
}

type ServerOptions = Partial<BackendOptions> & { readonly lobbyServer?: LobbyServerOptions };

export interface GameServer {
  readonly backend: Backend;
  readonly lobbies: ManagedLobbies;
  readonly sent: string[];
}

/** The code a call is refused with; `none` when it succeeds. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: { code?: string }) => error.code ?? String(error),
  );
}
