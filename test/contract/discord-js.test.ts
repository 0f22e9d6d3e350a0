import {
  Client,
  type ClientOptions,
  CompressionMethod,
  Events,
  GatewayIntentBits,
  type Interaction,
  SimpleShardingStrategy,
} from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { callApi, starfall } from '../support/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada, , edsger] = starfall.users;

describe('an unmodified discord.js client', () => {
  let service: Service;
  let client: Client;

  async function furnish(document: object): Promise<void> {
    const headers = { authorization: `Bearer ${service.control_token}`, 'content-type': 'application/json' };
    const body = JSON.stringify(document);
    const answer = await fetch(`${service.control_base}/fixtures`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('guilds');
  }

  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    const { Guilds, GuildMembers } = GatewayIntentBits;
    client = new Client({ intents: [Guilds, GuildMembers], rest: { api: service.api_base } });
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

  it('reads and edits its application', async () => {
    const fetched = await client.application?.fetch();
    expect(fetched).toMatchObject({ name: 'Starfall', interactionsEndpointURL: null, botPublic: true });
    expect(await client.application?.edit({ description: 'Harbours and stars' })).toMatchObject({
      description: 'Harbours and stars',
    });
    const edited = client.application?.edit({ interactionsEndpointURL: 'http://127.0.0.1:9/' });
    await expect(edited).rejects.toMatchObject({ status: 400, code: 50035 });
  });

  it('has its guild with roles, channels and itself', () => {
    const seen = client.guilds.cache.get(guild.id);
    expect(seen).toMatchObject({ name: 'Harbour', ownerId: ada.id, memberCount: 3, available: true });
    expect(seen?.roles.everyone.id).toBe(guild.id);
    expect(seen?.channels.cache.get(guild.channels[0].id)?.name).toBe('general');
    expect(seen?.members.me?.id).toBe(application.id);
  });

  it('fetches members by the gateway: all, by name, by id', async () => {
    const seen = await client.guilds.fetch(guild.id);
    const all = await seen.members.fetch();
    expect([...all.keys()].toSorted()).toEqual(
      [...guild.members.map(({ user_id }) => user_id), application.id].toSorted(),
    );
    const found = await seen.members.fetch({ query: 'gra', limit: 5 });
    expect(found.map(({ user }) => user.username)).toEqual(['grace']);
    const named = await seen.members.fetch({ user: [ada.id] });
    expect(named.get(ada.id)?.user.globalName).toBe('Ada');
  });

  it('hears what changes in its guild, and of a guild it comes into and leaves', async () => {
    const heard = <T>(name: string) => new Promise<T>(resolve => client.once(name, resolve as () => void));
    const role = heard<{ name: string }>(Events.GuildRoleCreate);
    const channel = heard<{ id: string }>(Events.ChannelCreate);
    const thread = heard<{ id: string }>(Events.ThreadCreate);
    const member = heard<{ id: string }>(Events.GuildMemberAdd);
    await furnish({
      guilds: [
        {
          ...{ id: guild.id, name: 'Haven', roles: [{ id: '61', name: 'pilot', permissions: '8' }] },
          channels: [
            { id: '62', type: 0, name: 'docks' },
            { id: '64', type: 11, name: 'berths', parent_id: '62' },
          ],
          members: [{ user_id: edsger.id, nick: 'Ed' }],
        },
      ],
    });
    expect((await role).name).toBe('pilot');
    expect((await channel).id).toBe('62');
    expect((await thread).id).toBe('64');
    expect((await member).id).toBe(edsger.id);
    const seen = client.guilds.cache.get(guild.id);
    expect(seen?.name).toBe('Haven');
    expect(seen?.roles.cache.get('61')?.permissions.has('Administrator')).toBe(true);
    expect(seen?.members.cache.get(edsger.id)?.nickname).toBe('Ed');

    const joined = heard<{ id: string }>(Events.GuildCreate);
    await furnish({ guilds: [{ id: '63', name: 'Outpost', owner_id: ada.id, applications: [application.id] }] });
    expect((await joined).id).toBe('63');
    const left = heard<{ id: string }>(Events.GuildDelete);
    await furnish({ guilds: [{ id: '63', applications: [] }] });
    expect((await left).id).toBe('63');
    expect(client.guilds.cache.has('63')).toBe(false);
  });

  it('sets its presence', async () => {
    client.user?.setPresence({ status: 'idle', activities: [{ name: 'Starfall' }] });
    expect(client.user?.presence.status).toBe('idle');
  });

  it('resumes when it is asked to reconnect, and misses nothing', async () => {
    const resumed = new Promise<number>(resolve => client.once(Events.ShardResume, (_, replayed) => resolve(replayed)));
    service.faults.add({ kind: 'reconnect' });
    const away = new Promise(resolve => client.once(Events.ShardReconnecting, resolve));
    await away;
    const renamed = new Promise<string>(resolve => client.once(Events.GuildUpdate, (_, { name }) => resolve(name)));
    await furnish({ guilds: [{ id: guild.id, name: 'Harbour' }] });
    expect(await renamed).toBe('Harbour');
    await resumed;
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

it('an unmodified discord.js client reads compressed payloads', async () => {
  const service = await startService({ fixtures: starfall, limits: 'off' });
  // It asks for a compressed stream and, as it finds no library for that, for compressed payloads instead.
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  type Build = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;
  const buildStrategy: Build = manager => {
    manager.options.compression = CompressionMethod.ZlibStream;
    return new SimpleShardingStrategy(manager);
  };
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: service.api_base },
    ws: { buildStrategy },
  });
  const ready = new Promise(resolve => client.once(Events.ClientReady, resolve));
  await client.login(application.bot_token);
  await ready;
  expect(client.guilds.cache.get(guild.id)?.name).toBe('Harbour');
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
  await client.destroy();
  await service.close();
});

/** A token of the user's own client. */
async function sessionToken(service: Service, userId: string): Promise<string> {
  const answer = await fetch(`${service.control_base}/users/${userId}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.control_token}` },
  });
  return ((await answer.json()) as { token: string }).token;
}
