import { Client, GatewayDispatchEvents, GatewayIntentBits, MessageFlags } from '@discordjs/core';
import { REST } from '@discordjs/rest';
import { CompressionMethod, WebSocketManager } from '@discordjs/ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/model/command.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterAll(() => service.close());

const ways = [
  ['no compression', { compression: null }],
  ['zlib-stream', { compression: CompressionMethod.ZlibNative }],
  ['payloads compressed', { compression: null, useIdentifyCompression: true }],
] as const;

describe.each(ways)('an unmodified @discordjs/core client with %s', (_, compression) => {
  it('gets ready, receives its guild, and receives and answers an interaction', async () => {
    const rest = new REST({ api: service.apiBase }).setToken(application.bot_token);
    const gateway = new WebSocketManager({
      token: application.bot_token,
      intents: GatewayIntentBits.Guilds,
      rest,
      ...compression,
    });
    const client = new Client({ rest, gateway });
    const guildCreated = new Promise<string>(resolve => {
      client.once(GatewayDispatchEvents.GuildCreate, ({ data }) => resolve(data.name));
    });
    const answered = new Promise<string>((resolve, reject) => {
      client.once(GatewayDispatchEvents.InteractionCreate, ({ data: { id, token, application_id }, api }) => {
        const reply = { content: 'Hello', flags: MessageFlags.Ephemeral };
        api.interactions
          .reply(id, token, reply)
          .then(() => api.interactions.getOriginalReply(application_id, token))
          .then(({ content }) => resolve(content), reject);
      });
    });
    await gateway.connect();
    expect(await guildCreated).toBe(guild.name);
    const command = await client.api.applicationCommands.createGlobalCommand(application.id, {
      name: 'greet',
      description: 'Greets',
    });
    await useCommand(service, command as unknown as Command, ada.id);
    expect(await answered).toBe('Hello');
    await gateway.destroy();
  });
});
