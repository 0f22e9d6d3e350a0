import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../src/model/guild.ts';
import { ada, ben, game, openService, type TestService } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const scope = 'identify applications.commands';

async function install(userId: string, guildId: string, changes = {}) {
  const authorizeUrl = service.authorizeUrl({ scope, ...changes });
  const decision = { authorizeUrl, userId, decision: 'approve', guildId } as const;
  return new URL((await service.authorization.decide(decision)).redirectTo).searchParams;
}

async function installed(): Promise<boolean> {
  return (await service.store.get('guilds', '5'))?.applications.includes(game.id) ?? false;
}

async function allowEveryone(permissions: bigint): Promise<void> {
  await service.store.transact('guild/5', async transaction => {
    const guild = await transaction.get('guilds', '5');
    if (!guild) throw new Error('The guild is gone.');
    const roles = guild.roles.map(role => ({ ...role, permissions: String(permissions) }));
    transaction.put('guilds', { ...guild, roles, applications: [] });
  });
}

describe('granting applications.commands with a guild', () => {
  it('is refused in an unknown guild, and gives no code', async () => {
    await expect(install(ada.id, '404')).rejects.toMatchObject({ reason: 'unknown_guild' });
  });

  it('is refused to a member who may not manage the guild', async () => {
    await expect(install(ben.id, '5')).rejects.toMatchObject({ reason: 'missing_permissions' });
    expect(await installed()).toBe(false);
  });

  it('puts the application into the guild and tells the application', async () => {
    const parameters = await install(ada.id, '5');
    expect(parameters.get('guild_id')).toBe('5');
    expect(await installed()).toBe(true);
    await install(ada.id, '5');
    expect((await service.store.get('guilds', '5'))?.applications).toEqual([game.id]);
  });

  it.each([
    ['MANAGE_GUILD', permissionBits.MANAGE_GUILD],
    ['ADMINISTRATOR', permissionBits.ADMINISTRATOR],
  ])('is allowed to a member with %s', async (_, bits) => {
    await allowEveryone(bits);
    await install(ben.id, '5');
    expect(await installed()).toBe(true);
  });

  it('puts it into no guild when it is installed for the user', async () => {
    await allowEveryone(permissionBits.ADMINISTRATOR);
    expect((await install(ben.id, '5', { integration_type: '1' })).has('guild_id')).toBe(false);
    expect(await installed()).toBe(false);
  });
});
