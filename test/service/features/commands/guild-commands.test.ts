import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { routePath } from '../../../../src/wire/routes.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const rival = { id: '100000000000000002', bot_token: 'rival-bot-token', name: 'Rival', owner_id: starfall.users[0].id };
const otherGuild = { id: '100000000000000006', applications: [rival.id], owner_id: starfall.users[0].id };
const ids = { application_id: application.id, guild_id: guild.id };
const here = routePath('listGuildCommands', ids);
const everywhere = routePath('listGlobalCommands', ids);
const roll = { name: 'roll', description: 'Roll the dice' };
const one = (name: 'getGuildCommand' | 'editGuildCommand' | 'deleteGuildCommand', { id }: Pick<Command, 'id'>) =>
  routePath(name, { ...ids, command_id: id });

let service: Service;
const start = (limits: 'standard' | 'off') =>
  startService({
    fixtures: {
      ...starfall,
      applications: [...starfall.applications, rival],
      guilds: [...starfall.guilds, otherGuild],
    },
    clock: 'virtual',
    limits,
  });
beforeAll(async () => {
  service = await start('off');
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  callApi(service, method, path, body, headers);
const created = async (body: object, path = here) => (await call('POST', path, body)).body as Command;
const namesIn = async (path: string) => ((await call('GET', path)).body as Command[]).map(({ name }) => name);

beforeEach(async () => {
  await call('PUT', here, []);
});

describe('the commands of a guild', () => {
  it('are created with 201, overwritten with 200, read, edited and deleted', async () => {
    const creation = await call('POST', routePath('createGuildCommand', ids), roll);
    expect(creation.status).toBe(201);
    const command = creation.body as Command;
    const again = await call('POST', here, { ...roll, nsfw: true });
    expect(again).toMatchObject({ status: 200, body: { id: command.id, nsfw: true } });
    expect((await call('GET', one('getGuildCommand', command))).body).toEqual(again.body);
    const edit = await call('PATCH', one('editGuildCommand', command), { nsfw: false });
    expect(edit).toMatchObject({ status: 200, body: { id: command.id, nsfw: false } });
    expect((await call('DELETE', one('deleteGuildCommand', command))).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect(await call(method, one('getGuildCommand', command), method === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 404,
        body: { code: 10063 },
      });
    }
  });

  it('are answered with the fields of a guild, in their order, and none of the global ones', async () => {
    const given = { ...roll, contexts: [1], integration_types: [1], dm_permission: false, handler: null };
    const { body } = await call('POST', here, { ...given, options: [], default_permission: true });
    expect(Object.keys(body as object)).toEqual([
      'id',
      'application_id',
      'version',
      'default_member_permissions',
      'type',
      'name',
      'name_localizations',
      'description',
      'description_localizations',
      'guild_id',
      'nsfw',
    ]);
    expect(body).toMatchObject({ guild_id: guild.id, default_member_permissions: null, nsfw: false });
  });

  it('keep ids and versions through a bulk write that changes nothing, and lose what it leaves out', async () => {
    const [keep, drop] = [await created(roll), await created({ ...roll, name: 'drop' })];
    const path = routePath('replaceGuildCommands', ids);
    const { status, body } = await call('PUT', path, [
      { ...keep, description: keep.description },
      { type: 2, name: 'Wave' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([keep, { type: 2, name: 'Wave', guild_id: guild.id }]);
    expect(await namesIn(here)).not.toContain(drop.name);
  });

  it('stand beside global ones and those of other applications of the same name', async () => {
    const [global, local] = [await created(roll, everywhere), await created(roll)];
    expect(local.id).not.toBe(global.id);
    expect((await call('GET', one('getGuildCommand', global))).status).toBe(404);
    expect(await call('PATCH', one('editGuildCommand', local), { name: 'throw' })).toMatchObject({ status: 200 });
    expect(await namesIn(everywhere)).toContain('roll');
    await call('DELETE', `${everywhere}/${global.id}`);
  });

  it('are not to be renamed onto another of their type', async () => {
    const [command] = [await created(roll), await created({ ...roll, name: 'throw' })];
    expect(await call('PATCH', one('editGuildCommand', command), { name: 'throw' })).toMatchObject({
      status: 400,
      body: { code: 40041 },
    });
    await created({ type: 2, name: 'wave' });
    expect((await call('PATCH', one('editGuildCommand', command), { name: 'wave' })).status).toBe(200);
  });

  it('cannot be entry points', async () => {
    const entry = { ...roll, type: 4 };
    expect(await call('POST', here, entry)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { type: { _errors: [{ code: 'APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID' }] } } },
    });
    expect(await call('PUT', here, [roll, entry])).toMatchObject({
      status: 400,
      body: { errors: { 1: { type: {} } } },
    });
    expect(await namesIn(here)).toEqual([]);
  });

  it.each([
    [1, limits.commandsPerScope[1]],
    [2, limits.commandsPerScope[2]],
    [3, limits.commandsPerScope[3]],
  ] as const)('of type %i are at most %i, apart from the global ones', async (type, max) => {
    const command = (n: number) => (type === 1 ? { ...roll, name: `n${n}` } : { type, name: `N ${n}` });
    const many = (count: number) => Array.from({ length: count }, (_, n) => command(n));
    expect((await call('PUT', here, many(max - 1))).status).toBe(200);
    expect((await call('POST', here, command(max - 1))).status).toBe(201);
    expect(await call('POST', here, command(max))).toMatchObject({
      status: 400,
      body: { code: 30032, message: `Maximum number of application commands reached (${max})` },
    });
    expect((await call('POST', here, command(0))).status).toBe(200);
    expect(await call('PUT', here, many(max + 1))).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call('PUT', here, many(max))).status).toBe(200);
  });

  it('are listed in the language asked for, or with all translations', async () => {
    await created({ ...roll, name_localizations: { de: 'wurf', fr: 'roll' } });
    const listed = async (query: string, headers: Record<string, string>) => {
      const answer = await call('GET', here + query, undefined, {
        authorization: `Bot ${application.bot_token}`,
        ...headers,
      });
      const [{ name_localized, name_localizations }] = answer.body as [Command];
      return name_localized ?? name_localizations;
    };
    expect(await listed('', { 'x-service-locale': 'de' })).toBe('wurf');
    expect(await listed('', { 'x-discord-locale': 'nonsense', 'x-service-locale': 'de' })).toBe('wurf');
    expect(await listed('?with_localizations=0', { 'accept-language': 'fr;q=0.5, de-CH;q=0.4' })).toBeUndefined();
    expect(await listed('', { 'accept-language': 'tlh, de-CH;q=0.4, fr;q=0.1' })).toBe('wurf');
    expect(await listed('', {})).toBeUndefined();
    expect(await listed('?with_localizations=True', {})).toEqual({ de: 'wurf' });
    expect(await call('GET', `${here}?with_localizations=2`)).toMatchObject({ status: 400, body: { code: 50035 } });
  });
});

describe('a guild without the application', () => {
  it.each([otherGuild.id, '999'])('is unknown to reads and closed to writes: %s', async guildId => {
    const path = routePath('listGuildCommands', { ...ids, guild_id: guildId });
    for (const at of [path, `${path}/1`]) {
      expect(await call('GET', at)).toMatchObject({ status: 404, body: { code: 10004 } });
    }
    for (const [method, at, body] of [
      ['POST', path, roll],
      ['PUT', path, []],
      ['PATCH', `${path}/1`, {}],
      ['DELETE', `${path}/1`, undefined],
    ] as const) {
      expect(await call(method, at, body)).toMatchObject({ status: 403, body: { code: 50001 } });
    }
  });

  it("is no way to another application's commands", async () => {
    const headers = { authorization: `Bot ${rival.bot_token}`, 'content-type': 'application/json' };
    const mine = await created(roll, everywhere);
    expect(await call('GET', here, undefined, headers)).toMatchObject({ status: 403, body: { code: 20012 } });
    const theirs = routePath('getGuildCommand', {
      application_id: rival.id,
      guild_id: otherGuild.id,
      command_id: mine.id,
    });
    expect(await call('GET', theirs, undefined, headers)).toMatchObject({ status: 404, body: { code: 10063 } });
    await call('DELETE', `${everywhere}/${mine.id}`);
  });
});

describe('the daily creates', () => {
  it('are counted for each guild, and for what is global, apart', async () => {
    const limited = await start('standard');
    const put = (path: string, from: number) =>
      callApi(
        limited,
        'PUT',
        path,
        Array.from({ length: 100 }, (_, n) => ({ ...roll, name: `n${from + n}` })),
      );
    const spent = async (path: string) => [await put(path, 0), await put(path, 100), await put(path, 101)];
    expect((await spent(here)).map(({ status }) => status)).toEqual([200, 200, 429]);
    const rivals = { authorization: `Bot ${rival.bot_token}`, 'content-type': 'application/json' };
    const other = routePath('createGuildCommand', { application_id: rival.id, guild_id: otherGuild.id });
    expect((await callApi(limited, 'POST', other, roll, rivals)).status).toBe(201);
    expect((await callApi(limited, 'POST', everywhere, roll)).status).toBe(201);
    await limited.clock.advance(431_000);
    expect(await put(here, 101)).toMatchObject({ status: 429, body: { code: 30034, global: false } });
    await limited.clock.advance(1_000);
    expect((await put(here, 101)).status).toBe(200);
    await limited.close();
  });
});
