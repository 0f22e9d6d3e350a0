import {
  ActionRowBuilder,
  ApplicationRoleConnectionMetadataType,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  type ChatInputCommandInteraction,
  Client,
  type ClientOptions,
  ComponentType,
  CompressionMethod,
  ContainerBuilder,
  Events,
  GatewayIntentBits,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SimpleShardingStrategy,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
  WebhookClient,
} from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada, , edsger] = starfall.users;

type Build = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

describe('an unmodified discord.js client', () => {
  let service: Service;
  let client: Client;

  async function furnish(document: object): Promise<void> {
    const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify(document);
    const answer = await fetch(`${service.controlBase}/fixtures`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('guilds');
  }

  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    const { Guilds, GuildMembers } = GatewayIntentBits;
    client = new Client({ intents: [Guilds, GuildMembers], rest: { api: service.apiBase } });
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

  it('renames its bot, and receives the event', async () => {
    const heard = new Promise<string[]>(resolve => {
      client.once(Events.UserUpdate, (before, after) => resolve([String(before.username), after.username]));
    });
    await client.user?.setUsername('Harbour Master');
    expect(await heard).toEqual(['Starfall', 'Harbour Master']);
    expect(client.user?.username).toBe('Harbour Master');
    expect((await client.user?.setAvatar(Buffer.from('89504e470d0a1a0a', 'hex')))?.avatar).toBeNull();
    await expect(client.user?.setUsername('a')).rejects.toMatchObject({ status: 400, code: 50035 });
    expect((await client.user?.setUsername('Starfall'))?.username).toBe('Starfall');
  });

  it('says what guilds can ask of role connections', async () => {
    const { IntegerGreaterThanOrEqual: type } = ApplicationRoleConnectionMetadataType;
    const level = { type, key: 'level', name: 'Level', nameLocalizations: { de: 'Stufe' }, description: 'At least' };
    const edited = await client.application?.editRoleConnectionMetadataRecords([level]);
    expect(edited).toEqual([{ ...level, descriptionLocalizations: null }]);
    expect(await client.application?.fetchRoleConnectionMetadataRecords()).toEqual(edited);
  });

  it('learns that there is no webhook', async () => {
    const { id } = application;
    await expect(client.fetchWebhook(id)).rejects.toMatchObject({ status: 404, code: 10015 });
    await expect(client.fetchWebhook(id, 'x'.repeat(68))).rejects.toMatchObject({ status: 404, code: 10015 });
    const webhook = new WebhookClient({ id, token: 'x'.repeat(68) }, { rest: { api: service.apiBase } });
    await expect(webhook.edit({ name: 'Mine' })).rejects.toMatchObject({ status: 404, code: 10015 });
    await expect(webhook.delete()).rejects.toMatchObject({ status: 404, code: 10015 });
    await expect(webhook.send('Hello')).rejects.toMatchObject({ status: 401, code: 50027 });
    webhook.destroy();
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

  it('fetches past its cache: guilds, members, roles, channels, threads, users, direct messages', async () => {
    const force = true;
    const seen = await client.guilds.fetch({ guild: guild.id, force });
    expect(seen).toMatchObject({ name: 'Harbour', approximateMemberCount: 3 });
    expect((await client.guilds.fetch()).map(({ name }) => name)).toEqual(['Harbour']);
    expect((await seen.members.fetch({ user: ada.id, force })).user.globalName).toBe('Ada');
    expect((await seen.members.fetchMe({ force })).id).toBe(application.id);
    expect((await seen.members.list({ limit: 2 })).size).toBe(2);
    expect((await seen.members.search({ query: 'gra' })).map(({ user }) => user.username)).toEqual(['grace']);
    expect((await seen.roles.fetch()).has(guild.id)).toBe(true);
    expect(await client.channels.fetch(guild.channels[0].id, { force })).toMatchObject({ name: 'general' });
    expect((await seen.channels.fetchActiveThreads()).threads.size).toBe(0);
    const user = await client.users.fetch(ada.id, { force });
    expect(user.username).toBe('ada');
    expect((await user.createDM()).recipientId).toBe(ada.id);
    await expect(client.users.fetch('1')).rejects.toMatchObject({ status: 404, code: 10013 });
  });

  it('receives the changes in its guild, and the events of a guild that it joins and leaves', async () => {
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

  it('resumes over the same connection when its session is said to be invalid', async () => {
    const resumed = new Promise(resolve => client.once(Events.ShardResume, resolve));
    const gone = vi.fn();
    client.once(Events.ShardReconnecting, gone);
    service.faults.add({ kind: 'invalid_session', resumable: true });
    await resumed;
    expect(gone).not.toHaveBeenCalled();
    client.off(Events.ShardReconnecting, gone);
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

  describe('with components and modals', () => {
    let session: string;
    const place = { application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };
    const send = async (use: object) => {
      const headers = { authorization: session, 'content-type': 'application/json' };
      const { status, body } = await callApi(service, 'POST', '/interactions', { ...place, ...use }, headers);
      expect([status, body]).toEqual([204, undefined]);
    };
    const heard = () => new Promise<Interaction>(resolve => client.once(Events.InteractionCreate, resolve));

    /** A command of that name that ada has used. */
    async function used(name: string): Promise<ChatInputCommandInteraction> {
      const command = await client.application?.commands.create({ name, description: 'x' });
      if (!command) throw new Error('there is no application');
      const interaction = heard();
      const { id, version, type } = command;
      await send({ type: 2, data: { id, version, name, type } });
      const found = await interaction;
      if (!found.isChatInputCommand()) throw new Error('not a chat-input command');
      return found;
    }

    beforeAll(async () => {
      session = await sessionToken(service, ada.id);
    });

    it('shows a modal and awaits what is filled in', async () => {
      const interaction = await used('feedback');
      const modal = new ModalBuilder()
        .setCustomId('feedback')
        .setTitle('Feedback')
        .addLabelComponents(
          new LabelBuilder()
            .setLabel('What did you like?')
            .setTextInputComponent(new TextInputBuilder().setCustomId('liked').setStyle(TextInputStyle.Paragraph)),
          new LabelBuilder()
            .setLabel('Where?')
            .setStringSelectMenuComponent(
              new StringSelectMenuBuilder().setCustomId('map').addOptions({ label: 'The quay', value: 'quay' }),
            ),
          new LabelBuilder()
            .setLabel('With whom?')
            .setUserSelectMenuComponent(new UserSelectMenuBuilder().setCustomId('who')),
        );
      const submitted = interaction.awaitModalSubmit({ time: 5000 });
      await interaction.showModal(modal);
      const components = [
        { type: 18, component: { type: 4, custom_id: 'liked', value: 'The harbour' } },
        { type: 18, component: { type: 3, custom_id: 'map', values: ['quay'] } },
        { type: 18, component: { type: 5, custom_id: 'who', values: [edsger.id] } },
      ];
      await send({ type: 5, data: { id: interaction.id, custom_id: 'feedback', components } });
      const submission = await submitted;
      expect(submission.customId).toBe('feedback');
      expect(submission.isFromMessage()).toBe(false);
      expect(submission.fields.getTextInputValue('liked')).toBe('The harbour');
      expect(submission.fields.getStringSelectValues('map')).toEqual(['quay']);
      expect(submission.fields.getSelectedUsers('who')?.first()?.username).toBe(edsger.username);
      const response = await submission.reply({ content: 'Thank you', withResponse: true });
      expect(response.resource?.message?.content).toBe('Thank you');
      await expect(interaction.followUp('And?')).rejects.toMatchObject({ code: 10015 });
    });

    it('sends files, which can be fetched, and keeps or replaces them in an edit', async () => {
      const interaction = await used('chart');
      const chart = new AttachmentBuilder(Buffer.from('Here be dragons'), {
        name: 'chart.txt',
        description: 'A chart',
      });
      const response = await interaction.reply({ files: [chart], withResponse: true });
      const attachment = response.resource?.message?.attachments.first();
      expect(attachment).toMatchObject({ name: 'chart.txt', size: 15, description: 'A chart' });
      expect(await (await fetch(attachment?.url ?? '')).text()).toBe('Here be dragons');
      const files = [{ attachment: Buffer.from('And here'), name: 'more.txt' }];
      const added = await interaction.editReply({ files, attachments: attachment ? [attachment] : [] });
      expect(added.attachments.map(({ name }) => name)).toEqual(['chart.txt', 'more.txt']);
      const replaced = await interaction.editReply({ files });
      expect(replaced.attachments.map(({ name }) => name)).toEqual(['more.txt']);
    });

    it('collects the use of a button and of a select, and edits their message', async () => {
      const interaction = await used('ask');
      const join = new ButtonBuilder().setCustomId('join').setLabel('Join').setStyle(ButtonStyle.Primary);
      const where = new ChannelSelectMenuBuilder().setCustomId('where');
      const response = await interaction.reply({
        content: 'Who comes?',
        components: [
          new ActionRowBuilder<ButtonBuilder>().addComponents(join),
          new ActionRowBuilder<ChannelSelectMenuBuilder>().addComponents(where),
        ],
        withResponse: true,
      });
      const message = response.resource?.message;
      if (!message) throw new Error('there is no message');

      const pressed = message.awaitMessageComponent({ componentType: ComponentType.Button, time: 5000 });
      await send({ type: 3, message_id: message.id, data: { component_type: 2, custom_id: 'join' } });
      const press = await pressed;
      expect(press.component).toMatchObject({ type: ComponentType.Button, label: 'Join' });
      expect(press.message.id).toBe(message.id);
      await press.update({ content: 'Ada comes' });
      expect((await press.fetchReply()).content).toBe('Ada comes');

      const chosen = message.awaitMessageComponent({ componentType: ComponentType.ChannelSelect, time: 5000 });
      const [channel] = guild.channels;
      await send({
        type: 3,
        message_id: message.id,
        data: { component_type: 8, custom_id: 'where', values: [channel.id] },
      });
      const choice = await chosen;
      expect(choice.channels.first()?.id).toBe(channel.id);
      await choice.deferUpdate();
      await choice.editReply({ content: 'Off we go', components: [] });
      expect(await interaction.fetchReply()).toMatchObject({ content: 'Off we go', components: [] });
    });

    it('shows a modal for a button and updates the message with what is filled in', async () => {
      const interaction = await used('rename');
      const open = new ButtonBuilder().setCustomId('open').setLabel('Rename').setStyle(ButtonStyle.Secondary);
      const container = new ContainerBuilder()
        .addTextDisplayComponents(new TextDisplayBuilder().setContent('The Nameless'))
        .addActionRowComponents(new ActionRowBuilder<ButtonBuilder>().addComponents(open));
      await interaction.reply({ components: [container], flags: MessageFlags.IsComponentsV2 });
      const message = await interaction.fetchReply();
      const pressed = heard();
      await send({ type: 3, message_id: message.id, data: { component_type: 2, custom_id: 'open' } });
      const press = await pressed;
      if (!press.isButton()) throw new Error('not a button');
      const submitted = press.awaitModalSubmit({ time: 5000 });
      const input = new TextInputBuilder().setCustomId('name').setLabel('Name').setStyle(TextInputStyle.Short);
      const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input);
      await press.showModal(new ModalBuilder().setCustomId('name').setTitle('Name').addComponents(row));
      const components = [{ type: 1, components: [{ type: 4, custom_id: 'name', value: 'Nautilus' }] }];
      await send({ type: 5, data: { id: press.id, custom_id: 'name', components } });
      const submission = await submitted;
      if (!submission.isFromMessage()) throw new Error('not from a message');
      expect(submission.message.id).toBe(message.id);
      const name = submission.fields.getTextInputValue('name');
      await submission.update({ components: [new TextDisplayBuilder().setContent(name)] });
      expect((await interaction.fetchReply()).components).toMatchObject([{ type: 10, content: 'Nautilus' }]);
    });
  });
});

it('an unmodified discord.js client with two shards fetches members and resumes on the second, too', async () => {
  const distant = { id: String(1 << 22), name: 'Distant', owner_id: ada.id, applications: [application.id] };
  const service = await startService({
    fixtures: { ...starfall, guilds: [guild, { ...distant, members: [{ user_id: ada.id }] }] },
    limits: 'off',
  });
  // Its shards need not wait for each other's five seconds: limits are off.
  const buildStrategy: Build = manager => {
    manager.options.buildIdentifyThrottler = async () => ({ waitForIdentify: async () => {} });
    return new SimpleShardingStrategy(manager);
  };
  const { Guilds, GuildMembers } = GatewayIntentBits;
  const client = new Client({
    intents: [Guilds, GuildMembers],
    shards: [0, 1],
    ws: { buildStrategy },
    shardCount: 2,
    rest: { api: service.apiBase },
  });
  const ready = new Promise(resolve => client.once(Events.ClientReady, resolve));
  await client.login(application.bot_token);
  await ready;
  expect(client.guilds.cache.map(({ name, shardId }) => [name, shardId]).toSorted()).toEqual([
    ['Distant', 1],
    ['Harbour', 0],
  ]);
  const seen = await client.guilds.fetch(distant.id);
  expect([...(await seen.members.fetch()).keys()].toSorted()).toEqual([ada.id, application.id].toSorted());
  const resumed = new Set<number>();
  const all = new Promise<void>(resolve =>
    client.on(Events.ShardResume, shard => {
      if (resumed.add(shard).size === 2) resolve();
    }),
  );
  service.faults.add({ kind: 'reconnect', count: 2 });
  await all;
  await client.destroy();
  await service.close();
});

it('an unmodified discord.js client reads compressed payloads', async () => {
  const service = await startService({ fixtures: starfall, limits: 'off' });
  // It asks for a compressed stream and, as it finds no library for that, for compressed payloads instead.
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const buildStrategy: Build = manager => {
    manager.options.compression = CompressionMethod.ZlibStream;
    return new SimpleShardingStrategy(manager);
  };
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: service.apiBase },
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
  const answer = await fetch(`${service.controlBase}/users/${userId}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}` },
  });
  return ((await answer.json()) as { token: string }).token;
}
