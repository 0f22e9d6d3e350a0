import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { intents } from '../../../src/model/gateway.ts';
import { createCredentials } from '../../../src/service/auth/credentials.ts';
import { createLobbies, type Lobbies } from '../../../src/service/features/lobbies/lobbies.ts';
import { createGateway, type Gateway, type GatewayParts } from '../../../src/service/gateway/gateway.ts';
import { PendingWork } from '../../../src/service/support/pending-work.ts';
import { hashSecret } from '../../../src/service/support/secret.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { makeWorld, type TestCore, type World } from '../features/support.ts';

/** A gateway over the real lobbies, without the rest of the service: its bus and lobbies can be others. */
export interface Rig {
  readonly world: World;
  readonly lobbies: Lobbies;
  readonly gateway: Gateway;
  readonly url: string;
  /** An OAuth2 token of a player of Starfall. */
  token(userId: string): Promise<string>;
  /** Connects a player of Starfall and identifies; READY may not have come yet. */
  join(userId: string, fields?: { intents?: number; capabilities?: number }): Promise<GatewayClient>;
  close(): Promise<void>;
}

const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;

export async function makeRig(
  overrides: Partial<Omit<TestCore, 'clock'>> = {},
  wrap: (lobbies: Lobbies) => Lobbies = lobbies => lobbies,
  parts: Pick<GatewayParts, 'events'> = {},
): Promise<Rig> {
  const world = await makeWorld(overrides);
  const { core } = world;
  const lobbies = wrap(createLobbies(core));
  const gateway = createGateway(core, {
    credentials: createCredentials(core),
    lobbies,
    pendingWork: new PendingWork(),
    ...parts,
  });
  const server = createServer();
  gateway.attach(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/gateway`;
  return {
    world,
    lobbies,
    gateway,
    url,
    token: userId => playerToken(world, userId),
    async join(userId, fields) {
      const client = await GatewayClient.open(url);
      client.identify({ token: `Bearer ${await playerToken(world, userId)}`, intents: lobbyIntents, ...fields });
      return client;
    },
    async close() {
      await gateway.close();
      server.close();
    },
  };
}

async function playerToken({ core, starfall }: World, userId: string): Promise<string> {
  const token = `token of ${userId}`;
  const scopes = ['sdk.social_layer'];
  const grant = { id: userId, application_id: starfall.id, user_id: userId, scopes };
  await core.store.transact('tokens', transaction => {
    transaction.put('authorizations', grant);
    transaction.put('tokens', {
      ...{
        hash: hashSecret(token),
        kind: 'access',
        authorization_id: grant.id,
        grant_id: grant.id,
        expires_at_ms: null,
      },
      ...{ application_id: starfall.id, user_id: userId, scopes },
    });
  });
  return token;
}
