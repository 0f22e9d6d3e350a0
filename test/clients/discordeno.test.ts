import { createBot, Intents, TransportCompression } from '@discordeno/bot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;

let service: Service;
beforeAll(async () => {
  // Its library reads the application's id out of the token.
  const bot_token = `${Buffer.from(application.id).toString('base64url')}.a.b`;
  service = await startService({
    fixtures: { ...starfall, applications: [{ ...application, bot_token }] },
    limits: 'off',
  });
});
afterAll(() => service.close());

const ways = [
  ['no compression', {}],
  ['zlib-stream', { transportCompression: TransportCompression.zlib }],
  ['zstd-stream', { transportCompression: TransportCompression.zstd }],
  ['payloads compressed', { compress: true }],
] as const;

describe.each(ways)('an unmodified discordeno bot with %s', (_, compression) => {
  it('gets ready, receives its guild and calls the API', async () => {
    const token = `${Buffer.from(application.id).toString('base64url')}.a.b`;
    let heard = (_guildId: string) => {};
    const guildCreated = new Promise<string>(resolve => {
      heard = resolve;
    });
    const bot = createBot({
      token,
      intents: Intents.Guilds,
      rest: { proxy: { baseUrl: service.apiBase, authorization: `Bot ${token}` } },
      gateway: { ...compression, url: service.gateway, spawnShardDelay: 0 },
      desiredProperties: { guild: { id: true, name: true }, user: { id: true, username: true } },
      events: { guildCreate: ({ id }) => heard(String(id)) },
    });
    await bot.start();
    expect(await guildCreated).toBe(guild.id);
    expect((await bot.helpers.getUser(application.id)).username).toBe('Starfall');
    const command = await bot.rest.createGlobalApplicationCommand({ name: 'greet', description: 'Greets' });
    expect(command.name).toBe('greet');
    await bot.shutdown();
  });
});
