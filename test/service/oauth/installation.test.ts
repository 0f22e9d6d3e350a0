import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../src/model/guild.ts';
import { ada, ben, game, guild, openService, siteRequest, type TestService } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

async function install(userId: string, guildId: string, changes = {}): Promise<URLSearchParams> {
  const url = service.authorizeUrl({ scope: 'identify applications.commands', ...changes });
  return new URL(await service.decide(url, userId, 'approve', guildId)).searchParams;
}

async function installed(): Promise<readonly string[]> {
  const { guilds } = await service.content();
  return guilds.find(({ id }) => id === guild.id)?.applications ?? [];
}

describe('granting applications.commands with a guild', () => {
  it('is refused in an unknown guild', async () => {
    await expect(install(ada.id, '404')).rejects.toMatchObject({ status: 404, message: 'Unknown Guild' });
  });

  it('is refused to a member who may not manage the guild', async () => {
    await expect(install(ben.id, guild.id)).rejects.toMatchObject({ status: 403, message: 'Missing Permissions' });
    expect(await installed()).toEqual([]);
  });

  it('puts the application into the guild once and tells it', async () => {
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
