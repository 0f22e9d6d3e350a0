import { filter, firstValueFrom } from 'rxjs';
import { RallypointError } from '../../../src/model/errors/errors.ts';
import type { Lobby } from '../../../src/model/lobby.ts';
import { compareSnowflakes } from '../../../src/model/snowflake.ts';
import { Client } from '../../../src/sdk/client.ts';
import { readMessage } from '../../../src/sdk/lobby/message-reader.ts';
import type { LobbyMessages } from '../../../src/sdk/lobby/snapshot.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { loadSystemSocket } from '../../../src/wire/gateway/socket.ts';
import { elapse } from '../clock/elapse.ts';
import { SleepyClock } from '../clock/sleepy-clock.ts';
import { temporaryFolder } from '../runs/folder.ts';
import { callApi, starfall } from '../service/starfall.ts';
import { playerToken } from '../service/tokens.ts';
import { Network } from './network.ts';

/** A player with a game of its own, behind a network that can be disturbed. */
export interface LivePlayer {
  readonly id: string;
  readonly client: Client;
  readonly network: Network;
  readonly machine: SleepyClock;
  readonly token: string;
  /** Whether the game wants to be connected. */
  isWanted: boolean;
}

/** Some players, their games and a service on disk: all real, with time that passes when it is told to. */
export class LiveWorld {
  readonly clock: VirtualClock;
  readonly players: LivePlayer[] = [];
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  #service: Service;

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>, service: Service) {
    this.#folder = folder;
    this.#service = service;
    this.clock = new VirtualClock(service.clock.now());
  }

  static async start(): Promise<LiveWorld> {
    const folder = await temporaryFolder();
    const world = new LiveWorld(folder, await startService({ ...serviceOptions, data: folder.path, clock: 'virtual' }));
    const openReal = await loadSystemSocket();
    for (const { id } of starfall.users) {
      const network = new Network(openReal);
      const machine = new SleepyClock(world.clock);
      const token = await playerToken(world.#service, id);
      const client = world.game(token, network, machine);
      world.players.push({ id, client, network, machine, token, isWanted: false });
    }
    return world;
  }

  /** A game that is not connected yet. */
  game(token: string, network: Network, machine: SleepyClock): Client {
    const { webBase } = this.#service;
    const applicationId = starfall.applications[0].id;
    const client = new Client({
      applicationId,
      baseUrl: webBase,
      clock: machine,
      socket: network.socket,
    });
    client.updateToken(token);
    return client;
  }

  get service(): Service {
    return this.#service;
  }

  /** The service ends and begins again, on the same folder and port. */
  async restart(): Promise<void> {
    const { port } = new URL(this.#service.apiBase);
    const nowMs = this.#service.clock.now();
    await this.#service.close();
    const clock = { virtualFromMs: nowMs };
    this.#service = await startService({ ...serviceOptions, data: this.#folder.path, port: Number(port), clock });
  }

  /** Waits for what a game does; that it was refused, or did not get through, is part of life. */
  async attempt(work: Promise<unknown>): Promise<void> {
    await this.passing(this.tolerate(work));
  }

  /** As {@link attempt}, without waiting. */
  async tolerate(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof RallypointError)) throw error;
    });
  }

  /** Waits while the games' time passes. */
  passing<T>(work: Promise<T>): Promise<T> {
    return elapse(this.clock, work, 300_000, 20);
  }

  async connect(player: LivePlayer): Promise<void> {
    player.isWanted = true;
    while (player.client.status.status !== 'ready') {
      const ready = firstValueFrom(player.client.status$.pipe(filter(({ status }) => status === 'ready')));
      if (player.client.status.status === 'disconnected') await this.attempt(player.client.connect());
      else await this.passing(ready);
    }
  }

  /** As the game server sees it; undefined when it is gone. */
  async read(id: string): Promise<Lobby | undefined> {
    const { status, body } = await callApi(this.#service, 'GET', `/lobbies/${id}`);
    return status === 200 ? (body as Lobby) : undefined;
  }

  /** The messages that the service shows the player of this token, oldest first. */
  async history(token: string, lobbyId: string): Promise<LobbyMessages> {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await callApi(this.#service, 'GET', `/lobbies/${lobbyId}/messages?limit=200`, undefined, headers);
    const messages = Array.isArray(body) ? body.map(readMessage).filter(message => message !== undefined) : [];
    return messages.sort((a, b) => compareSnowflakes(a.id, b.id));
  }

  async close(): Promise<void> {
    await this.passing(Promise.all(this.players.map(({ client }) => client.close())));
    await this.passing(this.#service.close());
    // A disk that is slow knows no time but its own.
    await this.#folder.remove();
  }
}

const serviceOptions = { fixtures: starfall, limits: 'off' } as const;
