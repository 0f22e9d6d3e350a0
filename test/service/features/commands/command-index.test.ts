import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandIndex } from '../../../../src/model/command-index.ts';
import { permissionBits } from '../../../../src/model/guild.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { routePath } from '../../../../src/wire/routes.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const rival = { id: '800', name: 'Rival', owner_id: ada.id, bot_token: 'rival-bot-token' };
const minor = { id: '100000000000000012', username: 'minor', adult: false };
const guildId = '500';
const channels = { general: '501', adults: '502', hidden: '503', thread: '504', private: '700' };
const hidden = [{ id: guildId, type: 0 as const, deny: permissionBits.VIEW_CHANNEL.toString() }];
const fixtures = {
  applications: [...starfall.applications, rival],
  users: [...starfall.users, minor],
  guilds: [
    {
      id: guildId,
      owner_id: ada.id,
      applications: [application.id, rival.id],
      channels: [
        { id: channels.general },
        { id: channels.adults, nsfw: true },
        { id: channels.hidden, permission_overwrites: hidden },
        { id: channels.thread, type: 11, parent_id: channels.adults },
      ],
      members: [{ user_id: ada.id }, { user_id: grace.id }, { user_id: minor.id }],
    },
    { id: '600', owner_id: ada.id, channels: [{ id: '601' }] },
  ],
  direct_messages: [{ author_id: grace.id, recipient_id: edsger.id, content: 'Hello', channel_id: channels.private }],
};

const ids = { application_id: application.id, guild_id: guildId };
const globals = routePath('listGlobalCommands', ids);
const locals = routePath('listGuildCommands', ids);
const text = { description: 'x' };
const paths = {
  application: routePath('getApplicationCommandIndex', ids),
  guild: routePath('getGuildCommandIndex', ids),
  channel: (id: string) => routePath('getChannelCommandIndex', { channel_id: id }),
  user: routePath('getUserCommandIndex', {}),
};

let service: Service;
const sessions = new Map<string, string>();
const commandIds = new Map<string, string>();
beforeAll(async () => {
  service = await startService({ fixtures, clock: 'virtual', limits: 'off' });
  const put = async (path: string, list: object[], token: string = application.bot_token) => {
    const headers = { authorization: `Bot ${token}`, 'content-type': 'application/json' };
    const { status, body } = await callApi(
      service,
      'PUT',
      path,
      list.map(item => ({ integration_types: [0], ...item })),
      headers,
    );
    expect(status).toBe(200);
    for (const { name, id } of body as { name: string; id: string }[]) commandIds.set(name, id);
  };
  await put(globals, [
    { name: 'plain', ...text, name_localizations: { de: 'schlicht', fr: 'simple' } },
    { name: 'adult', ...text, nsfw: true },
    { name: 'managers', ...text, default_member_permissions: permissionBits.MANAGE_GUILD.toString() },
    { name: 'denied', ...text },
    { name: 'guilds-only', ...text, contexts: [0] },
    { name: 'dm-only', ...text, contexts: [1] },
    { name: 'own', ...text, integration_types: [1], contexts: [0, 1, 2] },
    { name: 'Wave', type: 2 },
    { name: 'Launch', type: 4, ...text },
  ]);
  await put(locals, [{ name: 'local', ...text }]);
  await put(`/applications/${rival.id}/commands`, [{ name: 'theirs', ...text }], rival.bot_token);
  const permissions = [{ id: grace.id, type: 2, permission: false }];
  const editor = await playerToken(service, ada.id, 'identify applications.commands.permissions.update');
  const path = routePath('replaceCommandPermissions', { ...ids, command_id: commandIds.get('denied') ?? '' });
  const headers = { authorization: `Bearer ${editor}`, 'content-type': 'application/json' };
  expect((await callApi(service, 'PUT', path, { permissions }, headers)).status).toBe(200);
  for (const { id } of [...starfall.users, minor]) sessions.set(id, await sessionToken(service, id));
});
afterAll(() => service.close());

const read = (path: string, userId: string, headers: Record<string, string> = {}) =>
  callApi(service, 'GET', path, undefined, { authorization: sessions.get(userId) ?? '', ...headers });
const namesOf = (body: unknown) => (body as CommandIndex).application_commands.map(({ name }) => name);
const names = async (path: string, userId: string) => namesOf((await read(path, userId)).body);

describe('the commands a user may use', () => {
  it('in a guild are those of all its applications, without what anything denies', async () => {
    expect(await names(paths.guild, ada.id)).toEqual([
      'Launch',
      'plain',
      'adult',
      'managers',
      'denied',
      'guilds-only',
      'Wave',
      'local',
      'theirs',
    ]);
    expect(await names(paths.guild, grace.id)).toEqual([
      'Launch',
      'plain',
      'adult',
      'guilds-only',
      'Wave',
      'local',
      'theirs',
    ]);
    expect(await names(paths.guild, minor.id)).toEqual([
      'Launch',
      'plain',
      'denied',
      'guilds-only',
      'Wave',
      'local',
      'theirs',
    ]);
  });

  it('in a channel follow its age and what it shows', async () => {
    expect(await names(paths.channel(channels.general), grace.id)).not.toContain('adult');
    expect(await names(paths.channel(channels.adults), grace.id)).toContain('adult');
    expect(await names(paths.channel(channels.thread), grace.id)).toContain('adult');
    expect(await names(paths.channel(channels.adults), minor.id)).not.toContain('adult');
    expect(await names(paths.channel(channels.hidden), grace.id)).toEqual([]);
    expect(await names(paths.channel(channels.hidden), ada.id)).toContain('plain');
  });

  it('do not show a group without subcommands, nor a command that has nothing else', async () => {
    const group = (name: string, options: object[] = []) => ({ type: 2, name, ...text, options });
    const subcommand = { type: 1, name: 'get', ...text };
    const list = [
      { name: 'mixed', ...text, options: [group('empty'), group('full', [subcommand]), subcommand] },
      { name: 'nothing', ...text, options: [group('empty')] },
    ];
    for (const item of list) expect((await callApi(service, 'POST', locals, item)).status).toBe(201);
    for (const path of [paths.guild, paths.channel(channels.general)]) {
      const found = (await read(path, ada.id)).body as CommandIndex;
      expect(namesOf(found)).not.toContain('nothing');
      const mixed = found.application_commands.find(({ name }) => name === 'mixed');
      expect(mixed?.options?.map(({ name }) => name)).toEqual(['full', 'get']);
    }
    const { body } = await callApi(service, 'GET', locals);
    const stored = body as { id: string; name: string }[];
    for (const { name } of list) {
      const id = stored.find(command => command.name === name)?.id;
      expect((await callApi(service, 'DELETE', `${locals}/${id}`)).status).toBe(204);
    }
  });

  it("in the bot's direct messages are those offered there", async () => {
    const expected = ['Launch', 'plain', 'adult', 'managers', 'denied', 'dm-only', 'Wave'];
    expect(await names(paths.application, grace.id)).toEqual(expected);
    expect(await names(paths.application, minor.id)).toEqual(expected.filter(name => name !== 'adult'));
  });

  it('by an installation of their own are those made for it, in guilds and anywhere', async () => {
    expect(await names(paths.user, edsger.id)).toEqual([]);
    expect(await read(paths.application, edsger.id)).toMatchObject({ status: 403, body: { code: 50001 } });
    await playerToken(service, edsger.id, 'identify applications.commands', { integration_type: '1' });
    expect(await names(paths.user, edsger.id)).toEqual(['own']);
    expect(await names(paths.application, edsger.id)).toEqual(['own']);
    expect(await names(paths.channel(channels.private), edsger.id)).toEqual(['own']);
    expect(await names(paths.channel(channels.private), grace.id)).toEqual([]);
    expect((await read(paths.channel(channels.private), ada.id)).status).toBe(404);
    await playerToken(service, grace.id, 'identify applications.commands', { integration_type: '1' });
    expect(await names(paths.guild, grace.id)).toContain('own');
  });
});

describe('a command index', () => {
  it('shows the applications of its commands and no dictionaries', async () => {
    const { body } = await read(paths.guild, minor.id);
    expect(Object.keys(body as object)).toEqual(['applications', 'application_commands', 'version']);
    expect(body).toMatchObject({
      applications: [
        { id: application.id, name: 'Starfall', icon: null, description: '', bot: { id: application.id, bot: true } },
        { id: rival.id },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('localizations');
  });

  it.each([
    [ada.id, {}, 'schlicht'],
    [ada.id, { 'accept-language': 'fr' }, 'simple'],
    [ada.id, { 'accept-language': 'tlh' }, 'schlicht'],
    [ada.id, { 'accept-language': 'fr', 'x-discord-locale': 'en-US' }, undefined],
    [grace.id, {}, undefined],
    [grace.id, { 'x-service-locale': 'de' }, 'schlicht'],
  ])('is in the language of the header, then of the browser, then of the user: %s %j', async (user, headers, name) => {
    const { body } = await read(paths.guild, user, headers);
    expect((body as CommandIndex).application_commands.find(command => command.name === 'plain')?.name_localized).toBe(
      name,
    );
  });

  it('has the same version while it is the same, and another when anything in it changes', async () => {
    const version = async () => ((await read(paths.guild, minor.id)).body as CommandIndex).version;
    const first = await version();
    expect(first).toMatch(/^[1-9]\d*$/);
    expect(await version()).toBe(first);
    await callApi(service, 'PATCH', `${globals}/${commandIds.get('plain')}`, { description: 'y' });
    const second = await version();
    expect(second).not.toBe(first);
    await callApi(service, 'PATCH', `${globals}/${commandIds.get('plain')}`, { default_member_permissions: '0' });
    expect(await version()).not.toBe(second);
    await callApi(service, 'PATCH', `${globals}/${commandIds.get('plain')}`, {
      default_member_permissions: null,
      ...text,
    });
  });

  it.each([
    [paths.channel('601'), 404, 10003],
    [paths.channel('999'), 404, 10003],
    ['/guilds/999/application-command-index', 404, 10004],
    ['/guilds/600/application-command-index', 403, 50001],
    ['/applications/999/application-command-index', 404, 10002],
    [`/applications/${rival.id}/application-command-index`, 200, undefined],
  ])('of %s is answered %i %s', async (path, status, code) => {
    const answer = await read(path, minor.id);
    expect([answer.status, (answer.body as { code?: number }).code]).toEqual([status, code]);
  });

  it("is for users: a game's player sees its own application's commands, a bot none", async () => {
    const headers = { authorization: `Bearer ${await playerToken(service, minor.id)}` };
    const asPlayer = (path: string) => callApi(service, 'GET', path, undefined, headers);
    expect(namesOf((await asPlayer(paths.guild)).body)).not.toContain('theirs');
    expect(namesOf((await asPlayer(paths.channel(channels.general))).body)).toContain('plain');
    expect((await asPlayer(paths.application)).status).toBe(200);
    expect(await asPlayer(`/applications/${rival.id}/application-command-index`)).toMatchObject({
      status: 403,
      body: { code: 20012 },
    });
    expect(await callApi(service, 'GET', paths.guild)).toMatchObject({ status: 403, body: { code: 20001 } });
  });
});

describe('a change of what the index shows', () => {
  const heardBy = async (token: string) => GatewayClient.identified(service.gateway, { token });
  const told = ({ frames }: GatewayClient, name: string) => frames.filter(({ t }) => t === name).map(({ d }) => d);

  it("is announced to the user's own client and to the players of that application, in the guilds they are in", async () => {
    const own = await heardBy(sessions.get(minor.id) ?? '');
    const player = await heardBy(`Bearer ${await playerToken(service, minor.id)}`);
    const outsider = await heardBy(`Bearer ${await playerToken(service, edsger.id)}`);
    const all = [own, player, outsider];
    const settle = () => Promise.all(all.map(client => client.beat()));
    const index = (client: GatewayClient) => told(client, 'APPLICATION_COMMAND_INDEX_UPDATE');

    const path = `${locals}/${commandIds.get('local')}`;
    await callApi(service, 'PATCH', path, { description: 'y' });
    await callApi(service, 'PATCH', path, { description: 'y' });
    await callApi(service, 'PATCH', path, { name: 'Not Valid' });
    await settle();
    const inGuild = { application_id: application.id, guild_id: guildId };
    expect(all.map(index)).toEqual([[inGuild], [inGuild], []]);

    await callApi(service, 'PATCH', `${globals}/${commandIds.get('plain')}`, { description: 'z' });
    const theirs = { authorization: `Bot ${rival.bot_token}`, 'content-type': 'application/json' };
    await callApi(service, 'POST', `/applications/${rival.id}/commands`, { name: 'more', ...text }, theirs);
    await settle();
    const everywhere = { application_id: application.id };
    expect(all.map(client => index(client).slice(client === outsider ? 0 : 1))).toEqual([
      [everywhere, { application_id: rival.id }],
      [everywhere],
      [everywhere],
    ]);
    await Promise.all(all.map(client => client.end()));
  });

  it('is announced with the overwrites that changed', async () => {
    const own = await heardBy(sessions.get(minor.id) ?? '');
    const outsider = await heardBy(sessions.get(edsger.id) ?? '');
    await callApi(service, 'PATCH', `${globals}/${commandIds.get('denied')}`, { name: 'renamed' });
    await Promise.all([own.beat(), outsider.beat()]);
    const expected = {
      id: commandIds.get('denied'),
      application_id: application.id,
      guild_id: guildId,
      permissions: [],
    };
    expect(told(own, 'APPLICATION_COMMAND_PERMISSIONS_UPDATE')).toEqual([expected]);
    expect(told(outsider, 'APPLICATION_COMMAND_PERMISSIONS_UPDATE')).toEqual([]);
    await Promise.all([own.end(), outsider.end()]);
  });
});
