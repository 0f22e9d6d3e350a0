import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { callApi, starfall } from '../support/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;

describe('an unmodified discord.js client', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: service.api_base } });
    const ready = new Promise(resolve => client.once(Events.ClientReady, resolve));
    await client.login(application.bot_token);
    await ready;
  });
  afterAll(async () => {
    await client.destroy();
    await service.close();
  });

  it('logs in as the bot of its application', () => {
    expect(client.user?.id).toBe(application.id);
    expect(client.user?.bot).toBe(true);
    expect(client.user?.username).toBe('Starfall');
    expect(client.application?.id).toBe(application.id);
  });

  it('has its guild with roles, channels and itself', () => {
    const seen = client.guilds.cache.get(guild.id);
    expect(seen).toMatchObject({ name: 'Harbour', ownerId: ada.id, memberCount: 3, available: true });
    expect(seen?.roles.everyone.id).toBe(guild.id);
    expect(seen?.channels.cache.get(guild.channels[0].id)?.name).toBe('general');
    expect(seen?.members.me?.id).toBe(application.id);
  });

  it('answers a command that a user invokes', async () => {
    const command = await client.application?.commands.create({ name: 'roll', description: 'Rolls a die' });
    if (!command) throw new Error('there is no application');
    const heard = new Promise<Interaction>(resolve => client.once(Events.InteractionCreate, resolve));
    const use = {
      type: 2,
      application_id: application.id,
      guild_id: guild.id,
      channel_id: guild.channels[0].id,
      data: { id: command.id, version: command.version, name: command.name, type: command.type },
    };
    const token = await sessionToken(service, ada.id);
    const headers = { authorization: token, 'content-type': 'application/json' };
    expect(await callApi(service, 'POST', '/interactions', use, headers)).toMatchObject({ status: 204 });

    const interaction = await heard;
    if (!interaction.isChatInputCommand()) throw new Error('not a chat-input command');
    expect(interaction.commandName).toBe('roll');
    expect(interaction.user.id).toBe(ada.id);
    expect(interaction.inCachedGuild() && interaction.member.id).toBe(ada.id);
    expect(interaction.memberPermissions?.has('Administrator')).toBe(true);

    const response = await interaction.reply({ content: 'You rolled 4.', withResponse: true });
    expect(response.resource?.message?.content).toBe('You rolled 4.');
    expect((await interaction.fetchReply()).content).toBe('You rolled 4.');
    await expect(interaction.reply('Again.')).rejects.toThrow();
  });
});

/** A token of the user's own client. */
async function sessionToken(service: Service, userId: string): Promise<string> {
  const answer = await fetch(`${service.control_base}/users/${userId}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.control_token}` },
  });
  return ((await answer.json()) as { token: string }).token;
}
