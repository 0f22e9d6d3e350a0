import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../../src/model/guild.ts';
import { limits } from '../../../../../src/model/limits/limits.ts';
import {
  ada,
  ben,
  type Form,
  game,
  guild,
  openService,
  query,
  site,
  siteRequest,
  type TestService,
} from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

async function install(userId: string, guildId: string | null | undefined, changes = {}): Promise<URLSearchParams> {
  const url = service.authorizeUrl({ scope: 'identify applications.commands', ...changes });
  return new URL(await service.decide(url, userId, 'approve', guildId)).searchParams;
}

async function installed(): Promise<readonly string[]> {
  const { guilds } = await service.content();
  return guilds.find(({ id }) => id === guild.id)?.applications ?? [];
}

describe('granting applications.commands with a guild', () => {
  it('is rejected in an unknown guild', async () => {
    await expect(install(ada.id, '404')).rejects.toMatchObject({ status: 404, message: 'Unknown Guild' });
  });

  it('is rejected for a member who may not manage the guild', async () => {
    await expect(install(ben.id, guild.id)).rejects.toMatchObject({ status: 403, message: 'Missing Permissions' });
    expect(await installed()).toEqual([]);
  });

  it('installs the application in the guild once and reports the guild', async () => {
    for (let time = 0; time < 2; time++) expect((await install(ada.id, guild.id)).get('guild_id')).toBe(guild.id);
    expect(await installed()).toEqual([game.id]);
  });

  it.each(['MANAGE_GUILD', 'ADMINISTRATOR'] as const)('is allowed to a member with %s', async name => {
    const role = { id: '6', permissions: String(permissionBits[name]) };
    await service.addFixtures({ guilds: [{ ...guild, roles: [role], members: [{ user_id: ben.id, roles: ['6'] }] }] });
    await install(ben.id, guild.id);
    expect(await installed()).toEqual([game.id]);
  });

  it('puts it into no guild when it is installed for the user', async () => {
    expect((await install(ada.id, guild.id, { integration_type: '1' })).has('guild_id')).toBe(false);
    expect(await installed()).toEqual([]);
  });

  it('puts it into no guild when it cannot be installed in guilds', async () => {
    expect((await install(ada.id, guild.id, siteRequest)).has('guild_id')).toBe(false);
    expect(await installed()).toEqual([]);
  });

  it('puts it into no guild when no such scope is asked for', async () => {
    expect((await install(ada.id, guild.id, { scope: 'identify' })).has('guild_id')).toBe(false);
    expect(await installed()).toEqual([]);
  });
});

/** A link with nothing but this in it. */
function link(fields: Form): string {
  return `${service.web}/oauth2/authorize?${query({ client_id: game.id, ...fields })}`;
}

async function follow(fields: Form, guildId?: string | null, userId: string = ada.id): Promise<URL> {
  return new URL(await service.decide(link(fields), userId, 'approve', guildId));
}

const faulty = (message: string) => ({ status: 400, message });
const invalidScope = faulty('The requested scope is invalid, unknown, or malformed.');
const codeGrantRequired = 'Integration requires code grant';
const bot = { scope: 'bot' };
const commands = { scope: 'applications.commands' };

describe('a link without response_type that asks for nothing but to install', () => {
  it.each([bot, commands, { scope: 'bot applications.commands' }])('%j adds it to the chosen guild', async fields => {
    const end = await follow(fields, guild.id);
    expect(end.origin + end.pathname).toBe(`${service.web}/oauth2/authorized`);
    expect(end.searchParams.get('guild_id')).toBe(guild.id);
    expect(end.searchParams.has('code')).toBe(false);
    expect(await installed()).toEqual([game.id]);
    const { authorizations, codes, tokens } = await service.content();
    expect([authorizations, codes, tokens]).toEqual([[], [], []]);
  });

  it('leads nowhere else, even with a redirect and a state', async () => {
    const fields = { ...bot, redirect_uri: 'https://game.example/callback', state: 's' };
    const end = await follow(fields, guild.id);
    expect(end.origin + end.pathname).toBe(`${service.web}/oauth2/authorized`);
    expect(end.searchParams.has('state')).toBe(false);
  });

  it('says so at its end when it was cancelled', async () => {
    const end = new URL(await service.decide(link(bot), ada.id, 'deny'));
    expect(end.pathname).toBe('/oauth2/authorized');
    expect(end.searchParams.get('error')).toBe('access_denied');
    expect(await installed()).toEqual([]);
  });

  it('needs a guild, and takes the one it names when none is chosen', async () => {
    const refusal = { status: 400, message: expect.stringContaining('guild_id') };
    await expect(follow(bot)).rejects.toMatchObject(refusal);
    await expect(follow({ ...bot, guild_id: guild.id }, null)).rejects.toMatchObject(refusal);
    await follow({ ...bot, guild_id: guild.id });
    expect(await installed()).toEqual([game.id]);
  });

  it('needs somebody who may manage the guild', async () => {
    const refusal = { status: 403, message: 'Missing Permissions' };
    await expect(follow(bot, guild.id, ben.id)).rejects.toMatchObject(refusal);
  });

  it('installs commands for the user alone, who need manage nothing', async () => {
    const end = await follow({ ...commands, integration_type: '1' }, guild.id, ben.id);
    expect(end.searchParams.has('guild_id')).toBe(false);
    expect(await installed()).toEqual([]);
    const { authorizations } = await service.content();
    expect(authorizations).toMatchObject([{ user_id: ben.id, scopes: ['applications.commands'] }]);
  });

  it.each<[Form, object]>([
    [{ ...bot, integration_type: '1' }, invalidScope],
    [{ scope: 'bot identify' }, faulty('Missing "response_type"')],
    [{ scope: 'nonsense' }, faulty('Missing "response_type"')],
    [{}, faulty('Missing "response_type"')],
    [{ ...bot, permissions: '-1' }, faulty('Invalid "permissions"')],
    [{ ...bot, permissions: 'ADMINISTRATOR' }, faulty('Invalid "permissions"')],
    [{ ...bot, permissions: String(limits.permissionBitsMax + 1n) }, faulty('Invalid "permissions"')],
    [{ ...bot, disable_guild_select: '1' }, faulty('Invalid "disable_guild_select"')],
    [{ ...bot, disable_guild_select: 'True' }, faulty('Invalid "disable_guild_select"')],
  ])('at fault (%j) is told on a page', async (fields, refusal) => {
    await expect(service.decide(link(fields), ada.id, 'approve', guild.id)).rejects.toMatchObject(refusal);
    const response = await fetch(link(fields), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it('is reported at the redirect if it is invalid and names one', async () => {
    const end = await follow({ scope: 'bot identify', redirect_uri: 'https://game.example/callback' });
    expect(end.host).toBe('game.example');
    expect(end.searchParams.get('error_description')).toBe('Missing "response_type"');
  });
});

describe('the permissions of a link', () => {
  async function botRoles(): Promise<readonly string[]> {
    const { guilds, guild_members } = await service.content();
    const member = guild_members.find(({ user_id }) => user_id === game.id);
    const roles = guilds.find(({ id }) => id === guild.id)?.roles ?? [];
    return roles
      .filter(({ id }) => member?.roles.includes(id))
      .map(({ name, permissions }) => `${name} ${permissions}`);
  }

  it('become a role of the bot, and come back with the guild', async () => {
    const end = await follow({ ...bot, permissions: '2048' }, guild.id);
    expect(end.searchParams.get('permissions')).toBe('2048');
    expect(await botRoles()).toEqual(['Starfall 2048']);
  });

  it('may be all there are', async () => {
    await follow({ ...bot, permissions: String(limits.permissionBitsMax) }, guild.id);
    expect(await botRoles()).toEqual([`Starfall ${limits.permissionBitsMax}`]);
  });

  it.each([{ ...bot }, { ...bot, permissions: '0' }, { ...commands, permissions: '8' }])(
    'are no role in %j',
    async fields => {
      await follow(fields, guild.id);
      expect(await botRoles()).toEqual([]);
    },
  );

  it('stay as they were where the bot has its role already', async () => {
    for (const permissions of ['8', '16']) await follow({ ...bot, permissions }, guild.id);
    expect(await botRoles()).toEqual(['Starfall 8']);
  });
});

describe('a guild that a link locks', () => {
  const other = { id: '6', name: 'Other', owner_id: ada.id };
  const locked = { ...bot, guild_id: guild.id, disable_guild_select: 'true' };

  it('overrides any other choice', async () => {
    await service.addFixtures({ guilds: [other] });
    for (const chosen of [other.id, undefined]) {
      expect((await follow(locked, chosen)).searchParams.get('guild_id')).toBe(guild.id);
    }
  });

  it('is one to choose from when the lock says false', async () => {
    await service.addFixtures({ guilds: [other] });
    const end = await follow({ ...locked, disable_guild_select: 'false' }, other.id);
    expect(end.searchParams.get('guild_id')).toBe(other.id);
  });
});

describe('a link with the application alone', () => {
  const install_params = { scopes: ['bot', 'applications.commands'], permissions: '3072' };

  it('does what the application’s settings say', async () => {
    await service.addFixtures({ applications: [{ ...game, install_params }] });
    const end = await follow({}, guild.id);
    expect(end.searchParams.get('permissions')).toBe('3072');
    expect(await installed()).toEqual([game.id]);
  });

  it.each([{ integration_type: '0' }, { redirect_uri: 'https://game.example/callback' }])(
    'and %j does not: that overrides them',
    async fields => {
      await service.addFixtures({ applications: [{ ...game, install_params }] });
      const end = await follow(fields, guild.id).catch((error: Error) => error);
      expect(end instanceof URL ? end.searchParams.get('error_description') : end.message).toBe(
        'Missing "response_type"',
      );
    },
  );

  it('and other scopes asks for those', async () => {
    await service.addFixtures({ applications: [{ ...game, install_params }] });
    expect((await follow(commands, guild.id)).searchParams.has('permissions')).toBe(false);
  });
});

describe('a bot that is added by exchanging a code alone', () => {
  const full = { response_type: 'code', scope: 'bot identify' };
  beforeEach(() => service.addFixtures({ applications: [{ ...game, bot_require_code_grant: true }] }));

  it('is rejected for a link', async () => {
    await expect(follow(bot, guild.id)).rejects.toMatchObject(faulty(codeGrantRequired));
  });

  it('is rejected where the token comes in the redirect', async () => {
    const url = service.authorizeUrl({
      ...full,
      response_type: 'token',
      redirect_uri: 'https://game.example/callback',
    });
    const end = new URL(await service.decide(url, ada.id, 'approve', guild.id));
    expect(new URLSearchParams(end.hash.slice(1)).get('error_description')).toBe(codeGrantRequired);
  });

  it('is added with a code', async () => {
    expect((await install(ada.id, guild.id, full)).has('code')).toBe(true);
  });

  it('leaves its commands to a link', async () => {
    await follow(commands, guild.id);
    expect(await installed()).toEqual([game.id]);
  });
});

describe('a bot added on the way to a code', () => {
  it('is in the redirect with the code, and again in the token response', async () => {
    const answer = await install(ada.id, guild.id, { scope: 'bot identify', permissions: '8' });
    expect(answer.get('guild_id')).toBe(guild.id);
    expect(answer.get('permissions')).toBe('8');
    const { body } = await service.exchange(answer.get('code') ?? '');
    expect(body).toMatchObject({ scope: 'bot identify', guild: { id: guild.id, name: guild.name } });
  });

  it('goes into the guild that the request names, unless another is chosen, or none', async () => {
    const other = { id: '6', name: 'Other', owner_id: ada.id };
    await service.addFixtures({ guilds: [other] });
    const named = { scope: 'bot identify', guild_id: guild.id };
    expect((await install(ada.id, undefined, named)).get('guild_id')).toBe(guild.id);
    expect((await install(ada.id, other.id, named)).get('guild_id')).toBe(other.id);
    expect((await install(ada.id, null, named)).has('guild_id')).toBe(false);
  });

  it('is missing when only commands were installed', async () => {
    const answer = await install(ada.id, guild.id);
    const { body } = await service.exchange(answer.get('code') ?? '');
    expect(body).not.toHaveProperty('guild');
  });
});

describe('an application that users alone can install', () => {
  it('is installed for the user by default', async () => {
    await follow({ client_id: site.id, ...commands });
    expect((await service.content()).authorizations).toMatchObject([{ application_id: site.id }]);
  });

  it('cannot ask for a bot', async () => {
    await expect(follow({ client_id: site.id, ...bot }, guild.id)).rejects.toMatchObject(invalidScope);
  });
});
