import { type EventEmitter, once } from 'node:events';
import { type AnyInteractionGateway, Client, type GatewayOptions } from 'oceanic.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Command } from '../../src/model/command.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;

const compressions = [false, 'zlib-stream', 'zstd-stream'] as const;
type Compression = (typeof compressions)[number];

let service: Service;
const clients: Client[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect(false);
});
afterAll(() => service.close());

function makeClient(compress: Compression, more: Partial<GatewayOptions> = {}): Client {
  const client = new Client({
    auth: `Bot ${application.bot_token}`,
    rest: { baseURL: `${service.apiBase}/v10` },
    gateway: { intents: ['GUILDS', 'GUILD_MEMBERS'], compress, autoReconnect: false, ...more },
  });
  clients.push(client);
  return client;
}

async function next<T>(client: Client, name: string): Promise<T> {
  const [first] = await once(client as unknown as EventEmitter, name);
  return first as T;
}

/** Resolves once the client says that it is ready; rejects with what it reports before. */
async function ready(client: Client): Promise<void> {
  const failed = next(client, 'error').then(error => Promise.reject(error));
  await client.connect();
  await Promise.race([client.ready || next(client, 'ready'), failed]);
}

describe.each(compressions)('an unmodified oceanic.js client with compress: %j', compress => {
  it('gets ready, with its guild', async () => {
    const client = makeClient(compress);
    await ready(client);
    expect(client.user.id).toBe(application.id);
    expect(client.guilds.get(guild.id)?.channels.get(guild.channels[0].id)?.name).toBe('general');
  });

  it('fetches members by the gateway, and gets and answers an interaction', async () => {
    const client = makeClient(compress);
    await ready(client);
    const members = await client.guilds.get(guild.id)?.fetchMembers();
    expect(members?.map(({ id }) => id)).toContain(ada.id);
    const command = await client.application.createGlobalCommand({ type: 1, name: 'greet', description: 'Greets' });
    const answered = next<AnyInteractionGateway>(client, 'interactionCreate').then(async interaction => {
      if (!interaction.isCommandInteraction()) throw new Error('It is the use of a command.');
      await interaction.createMessage({ content: 'Hello' });
      return (await interaction.getOriginal()).content;
    });
    const { id, applicationID: application_id, version, name, type } = command;
    await useCommand(service, { id, application_id, version, name, type } as Command, ada.id);
    expect(await answered).toBe('Hello');
  });
});

describe('an oceanic.js client that is given the address of the gateway', () => {
  const named = (compress: Compression, address: string, appendQuery: boolean) =>
    makeClient(compress, { override: { url: () => Promise.resolve(address), appendQuery } });

  it.each(compressions)('gets ready when the address asks for the compression (%j)', async compress => {
    const query = compress ? `?v=10&encoding=json&compress=${compress}` : '?v=10&encoding=json';
    const client = named(compress, service.gateway + query, false);
    await ready(client);
    expect(client.guilds.has(guild.id)).toBe(true);
  });

  // Whoever opens a connection names its compression in the address; Hello, the first message, is compressed already.
  it.each([false, true])(
    'never asks for a compression by itself, whatever appendQuery says (%j)',
    async appendQuery => {
      const asked = new WebSocketServer({ host: '127.0.0.1', port: 0 });
      await once(asked, 'listening');
      const { port } = asked.address() as { port: number };
      const connected = once(asked, 'connection');
      await named('zlib-stream', `ws://127.0.0.1:${port}/gateway`, appendQuery).connect();
      const [socket, request] = await connected;
      expect(request.url).toBe('/gateway');
      socket.terminate();
      asked.close();

      const client = named('zlib-stream', service.gateway, appendQuery);
      await expect(ready(client)).rejects.toThrow('incorrect header check');
    },
  );
});
