import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { capabilities, intents } from '../../../src/model/gateway.ts';
import { type Fixtures, type Service, type ServiceAddresses, startService } from '../../../src/service/index.ts';
import { GatewayClient } from '../gateway/gateway-client.ts';
import { callApi, starfall } from './starfall.ts';
import { playerTokens } from './tokens.ts';

/** Starfall, another game of nobody's, and a publisher with two games; and some users. */
export const socialWorld = {
  ...starfall,
  applications: [
    ...starfall.applications,
    game('100000000000000002', 'Moonrise'),
    game('100000000000000003', 'Publisher'),
    game('100000000000000031', 'First Game', '100000000000000003'),
    game('100000000000000032', 'Second Game', '100000000000000003'),
  ],
  users: [
    ...starfall.users,
    { id: '100000000000000012', username: 'barbara', global_name: 'Barbara' },
    { id: '100000000000000013', username: 'radia' },
  ],
} as const satisfies Fixtures;

function game(id: string, name: string, parent_id: string | null = null) {
  const secrets = { bot_token: `${id}-bot`, client_secret: `${id}-secret` };
  return { id, name, parent_id, ...secrets, public_client: true, redirect_uris: ['http://127.0.0.1/callback'] };
}

/** By name: ada, grace, edsger, barbara, radia. */
export const userIds = Object.fromEntries(socialWorld.users.map(({ id, username }) => [username, id])) as Readonly<
  Record<(typeof socialWorld.users)[number]['username'], string>
>;

export const games = {
  starfall: '100000000000000001',
  moonrise: '100000000000000002',
  publisher: '100000000000000003',
  first: '100000000000000031',
  second: '100000000000000032',
} as const;

/** All intents that the social layer has. */
export const socialIntents =
  intents.DIRECT_MESSAGES | intents.PRIVATE_CHANNELS | intents.USER_RELATIONSHIPS | intents.USER_PRESENCE;

/** Somebody in a game. */
export class Player {
  readonly service: ServiceAddresses;
  readonly id: string;
  readonly token: string;

  constructor(service: ServiceAddresses, id: string, token: string) {
    this.service = service;
    this.id = id;
    this.token = token;
  }

  /** Signs a user in. @param scope default: everything */
  static async of(
    service: ServiceAddresses,
    name: keyof typeof userIds,
    { game = games.starfall, scope = 'openid sdk.social_layer' }: { game?: string; scope?: string } = {},
  ): Promise<Player> {
    const redirect = { client_id: game, redirect_uri: 'http://127.0.0.1/callback' };
    const { access_token: token } = await playerTokens(service, userIds[name], scope, redirect, redirect);
    return new Player(service, userIds[name], token);
  }

  call(method: string, path: string, body?: unknown) {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return callApi(this.service, method, path, body, headers);
  }

  /** The status of the answer, and its code where it has one. */
  async result(method: string, path: string, body?: unknown): Promise<string> {
    const { status, body: answer } = await this.call(method, path, body);
    return `${status}${status >= 400 ? ` ${(answer as { code: number }).code}` : ''}`;
  }

  /** A session with the social layer's intents. @param options `apart`: READY lists users apart */
  connect({ apart = false, bits = socialIntents }: { apart?: boolean; bits?: number } = {}): Promise<GatewayClient> {
    return GatewayClient.identified(this.service.gateway, {
      token: `Bearer ${this.token}`,
      intents: bits,
      ...(apart && { capabilities: capabilities.DEDUPE_USER_OBJECTS | capabilities.PRIORITIZED_READY_PAYLOAD }),
    });
  }
}

/** The `d` of all dispatches of these names so far, in order, each with its name. */
export function seen(client: GatewayClient, ...names: readonly string[]): [string, Record<string, unknown>][] {
  return client.frames
    .filter(({ t }) => typeof t === 'string' && names.includes(t))
    .map(({ t, d }) => [t as string, d as Record<string, unknown>]);
}

/**
 * Two players in Starfall, Ada and Grace, on a service that is as it was at the beginning for each test of the file. The clients that are
 * connected here end with the test.
 */
export function twoPlayers() {
  let service: Service;
  let players: readonly [Player, Player];
  const clients: GatewayClient[] = [];

  beforeAll(async () => {
    service = await startService({ fixtures: socialWorld, limits: 'off' });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.reset();
    players = [await Player.of(service, 'ada'), await Player.of(service, 'grace')];
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.end()));
  });

  return {
    /** For clients that are connected by other means. */
    clients,
    get service() {
      return service;
    },
    get players() {
      return players;
    },
    async connect(player: Player, options?: Parameters<Player['connect']>[0]): Promise<GatewayClient> {
      const client = await player.connect(options);
      clients.push(client);
      return client;
    },
  };
}

/** Makes two players friends, everywhere or in the game of `a`. */
export async function befriend(a: Player, b: Player, path = '/users/@me/relationships'): Promise<void> {
  await a.call('PUT', `${path}/${b.id}`, {});
  await b.call('PUT', `${path}/${a.id}`, { type: 1 });
}
