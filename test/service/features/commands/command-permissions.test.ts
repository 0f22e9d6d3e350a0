import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import { permissionBits } from '../../../../src/model/guild.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { allChannelsId, type GuildCommandPermissions } from '../../../../src/model/overwrite.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { routePath } from '../../../../src/wire/routes.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { clientToken, playerToken, sessionToken } from '../../../support/service/tokens.ts';

const { MANAGE_GUILD, MANAGE_ROLES, ADMINISTRATOR, USE_APPLICATION_COMMANDS, VIEW_CHANNEL } = permissionBits;
const [application] = starfall.applications;
const [owner] = starfall.users;
const scope = 'applications.commands.permissions.update';
const textOf = (...bits: bigint[]) => bits.reduce((all, bit) => all | bit, 0n).toString();

// Roles from the lowest to the highest: what each may, and one member of each beside the owner and a plain member.
const roles = {
  low: { id: '201', permissions: '0' },
  editor: { id: '202', permissions: textOf(MANAGE_GUILD, MANAGE_ROLES) },
  high: { id: '203', permissions: '0' },
  guildOnly: { id: '204', permissions: textOf(MANAGE_GUILD) },
  rolesOnly: { id: '205', permissions: textOf(MANAGE_ROLES) },
  admin: { id: '206', permissions: textOf(ADMINISTRATOR) },
  top: { id: '207', permissions: '0' },
};
const people = {
  plain: '301',
  low: '302',
  editor: '303',
  high: '304',
  guildOnly: '305',
  rolesOnly: '306',
  admin: '307',
};
const stranger = '310';
const channels = { open: '401', closed: '402', unmanaged: '403', thread: '404' };
const guildId = '500';
const everyone = guildId;
const deny = (bits: bigint) => [{ id: everyone, type: 0 as const, deny: bits.toString() }];

const world = {
  applications: [
    ...starfall.applications,
    { id: '700', name: 'Rival', owner_id: owner.id, bot_token: 'rival-bot-token' },
  ],
  users: [...starfall.users, ...[...Object.values(people), stranger].map(id => ({ id, username: `user${id}` }))],
  guilds: [
    ...starfall.guilds,
    {
      id: guildId,
      owner_id: owner.id,
      applications: [application.id],
      roles: [{ id: everyone, permissions: textOf(VIEW_CHANNEL, USE_APPLICATION_COMMANDS) }, ...Object.values(roles)],
      channels: [
        { id: channels.open },
        { id: channels.closed, permission_overwrites: deny(VIEW_CHANNEL) },
        { id: channels.unmanaged, permission_overwrites: deny(MANAGE_ROLES) },
        { id: channels.thread, type: 11 },
      ],
      members: [
        { user_id: owner.id },
        ...Object.entries(people).map(([name, user_id]) => ({
          user_id,
          roles: name === 'plain' ? [] : [roles[name as keyof typeof roles].id],
        })),
      ],
    },
    { id: '600', owner_id: owner.id, applications: [application.id], members: [{ user_id: people.editor }] },
    { id: '601', owner_id: owner.id, applications: [], members: [{ user_id: people.editor }] },
  ],
};

let service: Service;
let global: Command;
let local: Command;
const bearers = new Map<string, Record<string, string>>();
beforeAll(async () => {
  service = await startService({ fixtures: world, clock: 'virtual', limits: 'off' });
});
afterAll(() => service.close());

const ids = { application_id: application.id, guild_id: guildId };
const globals = routePath('listGlobalCommands', ids);
const locals = routePath('listGuildCommands', ids);
const listPath = routePath('listCommandPermissions', ids);
const pathOf = (id: string, guild = guildId) =>
  routePath('getCommandPermissions', { ...ids, guild_id: guild, command_id: id });

beforeEach(async () => {
  global = (await callApi(service, 'POST', globals, { name: 'everywhere', description: 'x' })).body as Command;
  local = (await callApi(service, 'POST', locals, { name: 'here', description: 'x' })).body as Command;
});
afterEach(async () => {
  await Promise.all([global, local].map(({ id }) => callApi(service, 'DELETE', `${globals}/${id}`)));
  await callApi(service, 'PUT', locals, []);
  await edit(application.id, []);
});

/** Headers of Starfall acting for the user. */
async function bearer(userId: string, scopes = `identify ${scope}`): Promise<Record<string, string>> {
  const key = `${userId} ${scopes}`;
  const known = bearers.get(key);
  if (known) return known;
  const token = await playerToken(service, userId, scopes);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  bearers.set(key, headers);
  return headers;
}

const read = (path: string, headers: Record<string, string> = botHeaders) =>
  callApi(service, 'GET', path, undefined, headers);
async function edit(id: string, permissions: unknown, as = owner.id as string, guild = guildId) {
  return callApi(service, 'PUT', pathOf(id, guild), { permissions }, await bearer(as));
}
const allow = (id: string, type = 1) => ({ id, type, permission: true });
const forbid = (id: string, type = 1) => ({ id, type, permission: false });
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: number }).code];
const ok = [200, undefined];
const noAccess = [403, 50001];

describe("a command's permissions", () => {
  it('are answered as they were set, read one by one and together, the application-wide among them', async () => {
    expect(codeOf(await read(pathOf(global.id)))).toEqual([404, 10066]);
    expect((await read(listPath)).body).toEqual([]);
    const permissions = [allow(roles.low.id), forbid(people.plain, 2), forbid(channels.open, 3)];
    const set = await edit(global.id, permissions);
    expect(set).toMatchObject({ status: 200 });
    expect(set.body).toEqual({ id: global.id, application_id: application.id, guild_id: guildId, permissions });
    await edit(local.id, [forbid(everyone)]);
    await edit(application.id, [forbid(allChannelsId(guildId), 3)]);
    expect((await read(pathOf(global.id))).body).toEqual(set.body);
    expect(((await read(listPath)).body as GuildCommandPermissions[]).map(({ id }) => id)).toEqual(
      [global.id, local.id, application.id].toSorted((a, b) => Number(BigInt(a) - BigInt(b))),
    );
    expect((await read(pathOf(application.id))).body).toMatchObject({ id: application.id, permissions: [{ type: 3 }] });
  });

  it('are replaced as a whole, and cleared by an empty list', async () => {
    await edit(global.id, [allow(roles.low.id), allow(roles.high.id)]);
    await edit(global.id, [forbid(roles.high.id)]);
    expect((await read(pathOf(global.id))).body).toMatchObject({ permissions: [forbid(roles.high.id)] });
    expect(await edit(global.id, [])).toMatchObject({ status: 200, body: { id: global.id, permissions: [] } });
    expect(codeOf(await read(pathOf(global.id)))).toEqual([404, 10066]);
    expect((await read(listPath)).body).toEqual([]);
  });

  it('belong to one guild each', async () => {
    await edit(global.id, [forbid(everyone)]);
    expect(codeOf(await read(pathOf(global.id, '600')))).toEqual([404, 10066]);
    expect(codeOf(await read(pathOf(local.id, '600')))).toEqual([404, 10063]);
    expect(codeOf(await edit(local.id, [], owner.id, '600'))).toEqual([404, 10063]);
  });

  it('cannot be set in a batch: 405', async () => {
    const batch = await callApi(service, 'PUT', listPath, [], await bearer(owner.id));
    expect(batch).toMatchObject({ status: 405, body: { message: '405: Method Not Allowed', code: 0 } });
  });

  it.each([
    ['an unknown command', () => '12345'],
    ["another application's id", () => '700'],
  ])('of %s are unknown', async (_, id) => {
    expect(codeOf(await read(pathOf(id())))).toEqual([404, 10063]);
    expect(codeOf(await edit(id(), []))).toEqual([404, 10063]);
  });
});

describe('the entries of an edit', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${10_000 + n}`, type: 2, permission: true }));

  beforeAll(async () => {
    const users = many(limits.commandPermissionsMax + 1).map(({ id }) => ({ id, username: `extra${id}` }));
    await fetch(`${service.controlBase}/fixtures`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ users }),
    });
  });

  it('are at most 100', async () => {
    const max = limits.commandPermissionsMax;
    expect(codeOf(await edit(global.id, many(max - 1)))).toEqual(ok);
    expect(codeOf(await edit(global.id, many(max)))).toEqual(ok);
    expect(await edit(global.id, many(max + 1))).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { permissions: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } } },
    });
  });

  it.each([
    [allow('999'), 'There is no such role here'],
    [allow('999', 3), 'There is no such channel here'],
    [allow(allChannelsId(guildId)), 'There is no such role here'],
    [allow(everyone, 3), 'There is no such channel here'],
    [allow(channels.thread, 3), 'There is no such channel here'],
    [allow(roles.low.id, 3), 'There is no such channel here'],
  ])('name what is there: %j', async (entry, message) => {
    const answer = await edit(global.id, [allow(roles.low.id), entry]);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { permissions: { 1: { id: { _errors: [{ message }] } } } } },
    });
    expect(codeOf(await read(pathOf(global.id)))).toEqual([404, 10066]);
  });

  it('may be about everyone, all channels, and a user who is no member or unknown', async () => {
    const entries = [forbid(everyone), allow(allChannelsId(guildId), 3), forbid(stranger, 2), allow('999', 2)];
    expect((await edit(global.id, entries)).body).toMatchObject({ permissions: entries });
  });

  it('are kept as ids in text, without unknown fields', async () => {
    const entry = { id: Number(roles.low.id), type: 1, permission: true, name: 'low' };
    expect((await edit(global.id, [entry])).body).toMatchObject({ permissions: [allow(roles.low.id)] });
  });

  it.each([undefined, null, {}, { permissions: null }, { permissions: {} }, { permissions: [{}] }, []])(
    'are asked for: %j',
    async body => {
      const answer = await callApi(service, 'PUT', pathOf(global.id), body ?? 'null', await bearer(owner.id));
      expect(codeOf(answer)).toEqual([400, 50035]);
    },
  );
});

describe('a credential that may not edit permissions', () => {
  const put = (headers: Record<string, string>, path = pathOf(global.id)) =>
    callApi(service, 'PUT', path, { permissions: [] }, { 'content-type': 'application/json', ...headers });

  it("is a bot's token, and the message names the accepted credential", async () => {
    const answer = await put(botHeaders);
    expect(codeOf(answer)).toEqual([403, 20001]);
    expect((answer.body as { message: string }).message).toMatch(
      /^Bots cannot use this endpoint.*user's access token.*applications\.commands\.permissions\.update/,
    );
  });

  it('is one of client credentials, though it has the scope', async () => {
    const token = await clientToken(service, scope);
    expect(codeOf(await put({ authorization: `Bearer ${token}` }))).toEqual([403, 20001]);
  });

  it('is a token without the scope, and none at all', async () => {
    expect(codeOf(await put(await bearer(owner.id, 'identify')))).toEqual([403, 50026]);
    expect(codeOf(await put({}))).toEqual([401, 0]);
    expect(codeOf(await put({ authorization: 'Bearer nonsense' }))).toEqual([401, 0]);
  });

  it("is a user's own client, or a token of another application", async () => {
    expect(codeOf(await put({ authorization: await sessionToken(service, owner.id) }))).toEqual(noAccess);
    const elsewhere = routePath('replaceCommandPermissions', {
      application_id: '700',
      guild_id: guildId,
      command_id: global.id,
    });
    expect(codeOf(await put(await bearer(owner.id), elsewhere))).toEqual([403, 20012]);
  });
});

describe('who may edit permissions', () => {
  it.each([
    ['the owner', owner.id, ok],
    ['an administrator', people.admin, ok],
    ['one who manages guild and roles', people.editor, ok],
    ['one who manages only the guild', people.guildOnly, noAccess],
    ['one who manages only roles', people.rolesOnly, noAccess],
    ['a plain member', people.plain, noAccess],
    ['no member', stranger, noAccess],
  ])('%s', async (_, user, expected) => {
    expect(codeOf(await edit(global.id, [allow(roles.low.id)], user))).toEqual(expected);
  });

  it.each([
    ['in a guild without the application', '601'],
    ['in a guild that is not there', '602'],
  ])('nobody %s', async (_, guild) => {
    expect(codeOf(await edit(global.id, [], people.editor, guild))).toEqual(noAccess);
  });

  it('not one who cannot use the command', async () => {
    await edit(global.id, [forbid(roles.editor.id)]);
    const refused = await edit(global.id, [], people.editor);
    expect(codeOf(refused)).toEqual(noAccess);
    expect((refused.body as { message: string }).message).toBe('Missing Access: the user cannot use the command.');
    expect(codeOf(await edit(local.id, [], people.editor))).toEqual(ok);
    await edit(application.id, [forbid(people.editor, 2)]);
    for (const id of [local.id, application.id]) expect(codeOf(await edit(id, [], people.editor))).toEqual(noAccess);
    expect(codeOf(await edit(application.id, [], people.admin))).toEqual(ok);
    await callApi(service, 'PATCH', `${locals}/${local.id}`, { default_member_permissions: '0' });
    expect(codeOf(await edit(local.id, [], people.editor))).toEqual(noAccess);
  });

  it('not locked out by a channel, which says nothing about the user', async () => {
    await edit(global.id, [forbid(allChannelsId(guildId), 3)]);
    expect(codeOf(await edit(global.id, [], people.editor))).toEqual(ok);
  });

  it.each([
    ['a role below', allow(roles.low.id), ok],
    ['the own role', allow(roles.editor.id), noAccess],
    ['a role above', allow(roles.high.id), noAccess],
    ['everyone', allow(everyone), ok],
    ['oneself', forbid(people.editor, 2), ok],
    ['a member without roles', forbid(people.plain, 2), ok],
    ['a member of a role below', forbid(people.low, 2), ok],
    ['a member of a role above', forbid(people.high, 2), noAccess],
    ['the owner', forbid(owner.id, 2), noAccess],
    ['a user who is no member', forbid(stranger, 2), ok],
    ['a channel', forbid(channels.open, 3), ok],
    ['a channel out of sight', forbid(channels.closed, 3), noAccess],
    ['a channel whose permissions are not to be managed', forbid(channels.unmanaged, 3), noAccess],
    ['all channels, when two are not to be managed', forbid(allChannelsId(guildId), 3), noAccess],
  ])('of those for %s', async (_, entry, expected) => {
    expect(codeOf(await edit(global.id, [entry], people.editor))).toEqual(expected);
    expect(codeOf(await edit(global.id, [entry], owner.id))).toEqual(ok);
  });

  it('an administrator keeps to the order of the roles, too', async () => {
    expect(codeOf(await edit(global.id, [allow(roles.top.id)], people.admin))).toEqual(noAccess);
    expect(codeOf(await edit(global.id, [forbid(allChannelsId(guildId), 3)], people.admin))).toEqual(ok);
  });
});

describe('who may read permissions', () => {
  beforeEach(async () => {
    await edit(global.id, [forbid(everyone)]);
  });

  it.each([
    ['client credentials for commands', 'applications.commands.update', ok],
    ['client credentials for permissions', scope, ok],
    ['client credentials for something else', 'identify', [403, 50026]],
  ])('%s', async (_, scopes, expected) => {
    const headers = { authorization: `Bearer ${await clientToken(service, scopes)}` };
    for (const path of [listPath, pathOf(global.id)]) expect(codeOf(await read(path, headers))).toEqual(expected);
  });

  it('a member, by a token with the scope', async () => {
    expect(codeOf(await read(pathOf(global.id), await bearer(people.plain)))).toEqual(ok);
    expect(codeOf(await read(pathOf(global.id), await bearer(stranger)))).toEqual(noAccess);
    expect(codeOf(await read(listPath, await bearer(people.plain, 'identify')))).toEqual([403, 50026]);
  });

  it('no other application, and no one in a guild without the application', async () => {
    expect(codeOf(await read(listPath, { authorization: 'Bot rival-bot-token' }))).toEqual([403, 20012]);
    for (const guild of ['601', '602']) {
      const path = routePath('listCommandPermissions', { ...ids, guild_id: guild });
      expect(codeOf(await read(path))).toEqual([404, 10004]);
      expect(codeOf(await read(pathOf(global.id, guild)))).toEqual([404, 10004]);
    }
  });
});

describe('permissions end', () => {
  const left = async () => ((await read(listPath)).body as GuildCommandPermissions[]).map(({ id }) => id);
  const body = { description: 'x' };
  beforeEach(async () => {
    for (const id of [global.id, local.id, application.id]) await edit(id, [forbid(everyone)]);
    await edit(global.id, [forbid('600')], owner.id, '600');
  });

  it.each([
    ['a rename', () => callApi(service, 'PATCH', `${globals}/${global.id}`, { name: 'renamed' })],
    ['a deletion', () => callApi(service, 'DELETE', `${globals}/${global.id}`)],
    ['a rename in bulk', () => bulk(globals, { id: global.id, name: 'renamed', ...body })],
    ['being left out of a bulk write', () => bulk(globals)],
    ['being replaced in bulk by a command of another type', () => bulk(globals, { type: 2, name: 'everywhere' })],
  ])('by %s, in every guild', async (_, change) => {
    expect((await change()).status).toBeLessThan(300);
    expect(await left()).toEqual(expect.arrayContaining([local.id, application.id]));
    expect(await left()).not.toContain(global.id);
    const elsewhere = await read(routePath('listCommandPermissions', { ...ids, guild_id: '600' }));
    expect(elsewhere.body).toEqual([]);
  });

  it('of a command in a guild likewise', async () => {
    await callApi(service, 'PATCH', `${locals}/${local.id}`, { name: 'renamed' });
    expect(await left()).not.toContain(local.id);
  });

  it.each([
    [
      'an edit of anything else',
      () => callApi(service, 'PATCH', `${globals}/${global.id}`, { name: 'everywhere', ...body, nsfw: true }),
    ],
    ['being overwritten', () => callApi(service, 'POST', globals, { name: 'everywhere', description: 'y' })],
    ['a bulk write that keeps the name', () => bulk(globals, { name: 'everywhere', description: 'y' })],
    ['a bulk write of another scope', () => bulk(locals)],
    ['an edit that is refused', () => callApi(service, 'PATCH', `${globals}/${global.id}`, { name: 'Bad Name' })],
  ])('not by %s', async (_, change) => {
    await change();
    expect(await left()).toContain(global.id);
  });

  /** Replaces a scope's list, with the entry point in it where there is one. */
  async function bulk(path: string, ...items: object[]) {
    const launch = ((await read(path)).body as Command[]).filter(({ type }) => type === 4);
    return callApi(service, 'PUT', path, [...launch, ...items]);
  }
});

describe('the event', () => {
  it("goes to the application's bots, by shard and without any intent, and tells of an end as of an edit", async () => {
    const bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
    const shard = (BigInt(guildId) >> 22n) % 2n;
    const others = await GatewayClient.identified(service.gateway, {
      token: application.bot_token,
      shard: [Number(1n - shard), 2],
    });
    const rival = await GatewayClient.identified(service.gateway, { token: 'rival-bot-token' });
    const set = await edit(global.id, [forbid(everyone)]);
    expect(await bot.dispatch('APPLICATION_COMMAND_PERMISSIONS_UPDATE')).toEqual(set.body);
    await callApi(service, 'PATCH', `${globals}/${global.id}`, { name: 'renamed' });
    const gone = await bot.frame(({ d }) => (d as GuildCommandPermissions | null)?.permissions?.length === 0);
    expect(gone).toMatchObject({
      t: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
      d: { id: global.id, guild_id: guildId },
    });
    await Promise.all([others.beat(), rival.beat()]);
    for (const client of [others, rival]) expect(client.names).not.toContain('APPLICATION_COMMAND_PERMISSIONS_UPDATE');
    await Promise.all([bot, others, rival].map(client => client.end()));
  });

  it('does not come for an edit that was rejected', async () => {
    const bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
    await edit(global.id, [forbid(everyone)], people.plain);
    await edit(global.id, [{}]);
    await bot.beat();
    expect(bot.names).not.toContain('APPLICATION_COMMAND_PERMISSIONS_UPDATE');
    await bot.end();
  });
});
