import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  ArgumentError,
  allChannelsId,
  type Backend,
  createBackend,
  defineCommand,
  everyoneId,
  overwriteTypes,
  router,
  userToken,
  ValidationError,
} from '../../src/backend/index.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { times } from '../support/commands/command-samples.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada, grace] = starfall.users;
const scope = 'identify applications.commands.permissions.update';
const absent = '123456789012345678';

let service: Service;
let backend: Backend;
let token: string;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  const { id: applicationId, bot_token: botToken } = application;
  backend = createBackend({ applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' });
});
afterAll(async () => {
  backend.close();
  await service.close();
});
beforeEach(async () => {
  await service.reset();
  token = await playerToken(service, ada.id, scope);
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const rally = { name: 'rally', description: 'Calls your party together' };
const denyGrace = { id: grace.id, type: overwriteTypes.USER, permission: false } as const;

describe('overwrites', () => {
  it('are replaced by a user, and read back by the application', async () => {
    const { overwrites, commands } = backend;
    const { command } = await commands.inGuild(guild.id).create(rally);
    expect(await overwrites.get(guild.id, command.id)).toBeUndefined();
    const entries = [
      denyGrace,
      { id: everyoneId(guild.id), type: overwriteTypes.ROLE, permission: true },
      { id: allChannelsId(guild.id), type: overwriteTypes.CHANNEL, permission: true },
    ] as const;
    const replaced = await overwrites.replace(guild.id, command.id, entries, userToken(token));
    expect(replaced).toEqual({
      id: command.id,
      application_id: application.id,
      guild_id: guild.id,
      permissions: entries,
    });
    expect(await overwrites.get(guild.id, command.id)).toEqual(replaced);
    expect(await overwrites.list(guild.id)).toEqual([replaced]);
    await overwrites.replace(guild.id, command.id, [], userToken(token));
    expect(await overwrites.list(guild.id)).toEqual([]);
  });

  it('can be of all the application’s commands, under its own id', async () => {
    await backend.overwrites.replace(guild.id, application.id, [denyGrace], userToken(token));
    expect(await backend.overwrites.get(guild.id, application.id)).toMatchObject({ permissions: [denyGrace] });
  });

  it('reject the 101st entry and a fault in one before sending', async () => {
    const many = times(limits.commandPermissionsMax + 1, i => ({ ...denyGrace, id: `${i + 1}` }));
    expect(await failureOf(backend.overwrites.replace(guild.id, '1', many, userToken(token)))).toBeInstanceOf(
      ValidationError,
    );
    const twice = [denyGrace, denyGrace];
    expect(await failureOf(backend.overwrites.replace(guild.id, '1', twice, userToken(token)))).toBeInstanceOf(
      ValidationError,
    );
    expect(await failureOf(backend.overwrites.replace('x', '1', [], userToken(token)))).toBeInstanceOf(ArgumentError);
  });

  it('name the token they need when they get another one', async () => {
    const { command } = await backend.commands.create(rally);
    const replace = (given: string) =>
      failureOf(backend.overwrites.replace(guild.id, command.id, [], userToken(given)));
    const botRefused = await replace(application.bot_token);
    expect(botRefused).toBeInstanceOf(ApiError);
    expect((botRefused as ApiError).message).toMatch(/OAuth2 access token/);
    expect((botRefused as ApiError).message).not.toContain(application.bot_token);
    const withoutScope = await playerToken(service, ada.id, 'identify');
    expect(await replace(withoutScope)).toMatchObject({
      code: 'missing_scope',
      message: expect.stringContaining('applications.commands.permissions.update'),
    });
    const notManaging = await playerToken(service, grace.id, scope);
    expect(await replace(notManaging)).toMatchObject({
      code: 'missing_access',
      message: expect.stringContaining('MANAGE_GUILD'),
    });
  });

  it('reject a token that no header carries', () => {
    for (const bad of ['', 'a b', 'a\n', 'Bearer x']) {
      expect(() => userToken(bad)).toThrow(expect.objectContaining({ code: 'invalid_credential' }));
    }
  });

  it('do not send a token that no header carries, and do not repeat it', async () => {
    for (const bad of ['a\nb', '€', '', undefined]) {
      const failure = await failureOf(backend.overwrites.replace(guild.id, '1', [], bad as never));
      expect(failure).toMatchObject({ name: 'ArgumentError', code: 'invalid_credential' });
      if (bad) expect((failure as Error).message).not.toContain(bad);
    }
  });

  it('reject a permission question that is none', async () => {
    for (const question of [undefined, null, 'x', {}, { guild }, { guild, command: rally }]) {
      const failure = await failureOf(backend.overwrites.explain(question as never));
      expect(failure).toMatchObject({ name: 'ArgumentError', code: 'invalid_argument' });
    }
  });

  it('answer a permission question from what is registered', async () => {
    const { command } = await backend.commands.create(rally);
    await backend.overwrites.replace(guild.id, command.id, [denyGrace], userToken(token));
    const place = {
      id: guild.id,
      owner_id: ada.id,
      roles: [{ id: guild.id, permissions: String(2n ** 54n - 1n - 8n) }],
      channels: [{ ...guild.channels[0], nsfw: false, parent_id: null, permission_overwrites: [] }],
    };
    const ask = (user_id: string) =>
      backend.overwrites.explain({ command, guild: place, member: { user_id, roles: [], adult: true } });
    expect(await ask(grace.id)).toMatchObject({ allowed: false, decidedBy: 'member', overwrites: [denyGrace] });
    expect(await ask(ada.id)).toMatchObject({ allowed: true, decidedBy: 'administrator' });
  });
});

describe('a plan for a guild', () => {
  it('warns of overwrites that a rename or delete would drop, and only of those', async () => {
    const commands = backend.commands.inGuild(guild.id);
    const names = ['a', 'b', 'c', 'd'];
    await commands.deploy(await commands.plan(names.map(name => ({ name, description: name }))));
    for (const { id, name } of await commands.list()) {
      if (name === 'a' || name === 'c') await backend.overwrites.replace(guild.id, id, [denyGrace], userToken(token));
    }
    const plan = await commands.plan([
      { name: 'x', description: 'a', formerName: 'a' },
      { name: 'y', description: 'b', formerName: 'b' },
    ]);
    expect(plan.warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'permissions_lost: Renaming a to x drops its permission overwrites.',
      'permissions_lost: Deleting c drops its permission overwrites.',
    ]);
    await commands.deploy(plan);
    expect(await backend.overwrites.list(guild.id)).toEqual([]);
  });

  it('is made without those warnings where the credential cannot read overwrites', async () => {
    const { id: applicationId, client_secret: clientSecret } = application;
    const other = createBackend({ applicationId, clientSecret, baseUrl: service.webBase });
    const commands = other.commands.inGuild(guild.id);
    expect((await commands.deploy(await commands.plan([rally]))).isInSync).toBe(true);
    expect(await failureOf(other.commands.inGuild(absent).plan([rally]))).toBeInstanceOf(ApiError);
    other.close();
  });
});

describe('a routed command', () => {
  it('is used by a player and answered by its handler', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const command = defineCommand(rally, async ({ options, reply, payload }) => {
      await reply({ content: 'On the way!' });
      resolve(`${payload.data?.name} ${JSON.stringify(options)}`);
    });
    await backend.commands.deploy(await backend.commands.plan([command]));
    const listener = await backend.interactions.listen(router([command]));
    const registered = (await backend.commands.list()).find(({ name }) => name === 'rally');
    if (!registered) throw new Error('It is registered.');
    await useCommand(service, registered, ada.id);
    expect(await promise).toBe('rally {}');
    listener.close();
  });
});
