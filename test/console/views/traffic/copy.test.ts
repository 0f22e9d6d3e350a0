import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userToken } from '../../../../src/backend/index.ts';
import { curlOf } from '../../../../src/console/views/traffic/copy/curl.ts';
import { literalOf } from '../../../../src/console/views/traffic/copy/literal.ts';
import { sdkCallOf, sdkCodeOf } from '../../../../src/console/views/traffic/copy/sdk-code.ts';
import { testCodeOf } from '../../../../src/console/views/traffic/copy/test-code.ts';
import { createWorld, type World } from '../../../../src/testing/index.ts';
import type { TrafficDetails, TrafficRequest } from '../../../../src/wire/control/traffic.ts';
import type { RouteName } from '../../../../src/wire/routes.ts';
import { requestEntry } from '../../../support/console/made-traffic.ts';
import { needs } from '../../../support/runs/parts.ts';
import { control } from '../../../support/service/control-client.ts';

const posix = await needs('posix');
const hostile = `'; touch /tmp/owned; echo "$(id)" \`id\` \\ \n \u2028 \${process.exit()} */ </script>`;

describe('a call that is copied from the traffic', () => {
  it.skipIf(posix.missing)(`is one command of curl, whatever a player wrote in it${posix.note}`, () => {
    const details = detailsOf({ target: `/api/v10/lobbies/1?x=${hostile}` }, { [hostile]: hostile });
    const [given = '', ...args] = argumentsOf(curlOf(details, 'http://127.0.0.1:1'));
    expect([given, ...args]).toEqual([
      '-X',
      'PUT',
      `http://127.0.0.1:1/api/v10/lobbies/1?x=${hostile}`,
      '-H',
      'authorization: Bot SECRET',
      '-H',
      'content-type: application/json',
      '--data-raw',
      JSON.stringify({ [hostile]: hostile }),
    ]);
  });

  it.skipIf(posix.missing)(`that is a form is sent as a form${posix.note}`, () => {
    const details = detailsOf(
      { caller: null },
      { grant_type: 'refresh_token', scope: 'a b&c' },
      'application/x-www-form-urlencoded',
    );
    expect(argumentsOf(curlOf(details, 'http://h')).at(-1)).toBe('grant_type=refresh_token&scope=a+b%26c');
  });

  it('keeps every value as it is when it becomes a literal', () => {
    const value = {
      [hostile]: [hostile, 1.5, null, true, { __proto__x: 1 }],
      ['__proto__']: 1,
      nested: { deep: ['a'.repeat(100)] },
    };
    expect(new Function(`return ${literalOf(value)};`)()).toEqual(value);
  });

  it('names in its test what was answered', () => {
    const code = testCodeOf(
      detailsOf(
        { route: 'createLobby', method: 'POST', target: '/api/v10/lobbies', status: 400, error_code: 50035 },
        {},
      ),
    );
    expect(code).toContain("test('createLobby is answered with 400'");
    expect(code).toContain("await assert.rejects(backend.lobbies.create({}), { code: 'invalid_form_body' });");
  });

  it('is a request by fetch where the SDK has no method of its own', () => {
    const details = detailsOf({ route: 'getGuild', method: 'GET', target: '/api/v10/guilds/5' }, null);
    expect(sdkCodeOf(details, 'http://h')).toContain("await fetch('http://h/api/v10/guilds/5', {");
  });
});

describe('SDK code that is copied from the traffic', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ users: ['ada'] });
  });
  afterAll(() => world?.close());

  it('makes the same call again', async () => {
    const { backend } = world;
    const lobby = await backend.lobbies.create({ metadata: { map: 'harbour' } });
    const command = await backend.commands.create({ name: 'rally', description: 'Calls everybody' });
    const user = world.user('ada').id;
    const { guilds } = await control(world.service, 'GET /guilds');
    const guild = guilds[0]?.id ?? expect.fail();
    const lobbyPath = `/api/v10/lobbies/${lobby.id}`;
    const commandsPath = `/api/v10/applications/${world.applicationId}/commands`;
    const guildPath = `/api/v10/applications/${world.applicationId}/guilds/${guild}/commands`;
    const made: readonly (readonly [RouteName, string, string, unknown?])[] = [
      ['createLobby', 'POST', '/api/v10/lobbies', { metadata: { note: hostile } }],
      ['getLobby', 'GET', lobbyPath],
      ['editLobby', 'PATCH', lobbyPath, { metadata: { map: 'reef' } }],
      ['putLobbyMember', 'PUT', `${lobbyPath}/members/${user}`, { metadata: { team: 'red' } }],
      ['bulkUpdateLobbyMembers', 'POST', `${lobbyPath}/members/bulk`, [{ id: user, metadata: { team: 'blue' } }]],
      ['deleteLobbyMember', 'DELETE', `${lobbyPath}/members/${user}`],
      ['deleteLobby', 'DELETE', lobbyPath],
      ['listGlobalCommands', 'GET', commandsPath],
      ['getGlobalCommand', 'GET', `${commandsPath}/${command.command.id}`],
      ['editGlobalCommand', 'PATCH', `${commandsPath}/${command.command.id}`, { description: 'Calls all' }],
      ['createGuildCommand', 'POST', guildPath, { name: 'crew', description: 'Lists the crew' }],
      ['listCommandPermissions', 'GET', `${guildPath}/permissions`],
      ['replaceGlobalCommands', 'PUT', commandsPath, []],
    ];
    for (const [route, method, target, body = null] of made) {
      const call = sdkCallOf(detailsOf({ route, method, target }, body));
      world.traffic.clear();
      await new Function('backend', `return ${call?.code};`)(backend);
      expect(world.traffic.calls().map(({ route, body }) => ({ route, ...(body !== undefined && { body }) }))).toEqual([
        { route, ...(body !== null && { body }) },
      ]);
    }
  });
});

describe('a test that is copied from the traffic', () => {
  let world: World;
  let lobbyId: string;
  beforeAll(async () => {
    world = await createWorld({ users: ['ada', 'grace'] });
  });
  afterAll(() => world?.close());

  /** The details of the last request of the route, as the console receives them. */
  async function lastOf(route: RouteName): Promise<TrafficDetails> {
    const { entries } = await control(world.service, 'GET /traffic', { route });
    const id = entries.at(-1)?.id ?? expect.fail(`No request of ${route}`);
    return control(world.service, 'GET /traffic/{id}', { id: String(id) });
  }

  const as = {
    bot: () => ({ kind: 'bot', application_id: world.applicationId }),
    game: () => ({ kind: 'user', application_id: world.applicationId, user_id: world.user('ada').id }),
    client: () => ({ kind: 'session', user_id: world.user('ada').id }),
  };
  const calls: readonly (readonly [RouteName, keyof typeof as, string, () => string, (() => unknown)?])[] = [
    ['createLobby', 'bot', 'POST', () => '/lobbies', () => ({ members: [{ id: world.user('grace').id }] })],
    ['createLobby', 'bot', 'POST', () => '/lobbies', () => ({ members: 1 })],
    ['getLobby', 'bot', 'GET', () => `/lobbies/${lobbyId}`],
    ['getLobby', 'bot', 'GET', () => '/lobbies/404'],
    ['putLobbyMember', 'bot', 'PUT', () => `/lobbies/${lobbyId}/members/${world.user('grace').id}`, () => ({})],
    ['createLobbyMessage', 'game', 'POST', () => `/lobbies/${lobbyId}/messages`, () => ({ content: hostile })],
    ['joinLobby', 'game', 'PUT', () => '/lobbies', () => ({ secret: 'a secret' })],
    ['createGlobalCommand', 'bot', 'POST', () => `/applications/${world.applicationId}/commands`, () => rally],
    ['editGlobalCommand', 'bot', 'PATCH', () => commandPath, () => ({ description: 'Other' })],
    ['getCurrentUser', 'game', 'GET', () => '/users/@me'],
    ['putRelationship', 'client', 'PUT', () => `/users/@me/relationships/${world.user('grace').id}`, () => ({})],
    ['getLobby', 'game', 'GET', () => `/lobbies/${lobbyId}`],
  ];
  const rally = { name: 'rally', description: 'Calls everybody' };
  let commandPath: string;

  it('runs as it is, in a world of its own, and finds what was recorded', async () => {
    await control(world.service, 'GET /traffic');
    const { body } = await control(
      world.service,
      'POST /call',
      {},
      {
        ...{ as: as.bot(), method: 'POST', path: '/lobbies' },
        body: { members: [{ id: world.user('ada').id }] },
      },
    );
    lobbyId = (body as { id: string }).id;
    const { command } = await world.backend.commands.create({ name: 'other', description: 'Another' });
    commandPath = `/applications/${world.applicationId}/commands/${command.id}`;
    for (const [route, kind, method, path, sent] of calls) {
      const call = { as: as[kind](), method, path: path(), ...(sent && { body: sent() }) };
      await control(world.service, 'POST /call', {}, call);
      const code = testCodeOf(await lastOf(route));
      await expect(run(code), code).resolves.toBeUndefined();
    }
  });
});

describe('a test that is copied from a call about commands', () => {
  let world: World;
  let guildId: string;
  let channelId: string;
  beforeAll(async () => {
    world = await createWorld({ users: ['ada', 'grace'] });
    await control(world.service, 'GET /traffic');
    const { guilds } = await control(world.service, 'GET /guilds');
    guildId = guilds[0]?.id ?? expect.fail();
    channelId = guilds[0]?.channels[0]?.id ?? expect.fail();
  });
  afterAll(() => world?.close());

  async function copied(as: object, method: string, path: string, body?: unknown): Promise<string> {
    const call = { as, method, path, ...(body !== undefined && { body }) };
    const { traffic_id } = await control(world.service, 'POST /call', {}, call as never);
    const id = String(traffic_id ?? expect.fail());
    return testCodeOf(await control(world.service, 'GET /traffic/{id}', { id }));
  }
  const bot = () => ({ kind: 'bot', application_id: world.applicationId });

  it.each(['ada in a channel', 'ada in the direct messages'] as const)('that %s makes runs as it is', async where => {
    const ada = world.user('ada').id;
    const grace = world.user('grace').id;
    const spot = where === 'ada in a channel' ? { channel_id: channelId, guild_id: guildId } : { channel_id: ada };
    const { backend } = world;
    const define = async (command: object) => (await backend.commands.create(command as never)).command;
    const text = { type: 3, name: 'where', description: 'Place', required: true, autocomplete: true };
    const who = { type: 6, name: 'who', description: 'Player' };
    const plain = await define({ name: `plain-${spot.channel_id}`, description: 'Plain' });
    const full = await define({ name: `full-${spot.channel_id}`, description: 'With options', options: [text, who] });
    const nested = await define({
      name: `nested-${spot.channel_id}`,
      description: 'Nested',
      options: [
        {
          ...{ type: 2, name: 'crew', description: 'Group' },
          options: [
            { type: 1, name: 'add', description: 'Adds', options: [{ type: 4, name: 'count', description: 'Count' }] },
          ],
        },
      ],
    });
    const menu = await define({ name: `Menu ${spot.channel_id}`, type: 2 });
    const values = { where: { type: 3, name: 'where', value: hostile }, who: { type: 6, name: 'who', value: grace } };
    const count = [{ type: 4, name: 'count', value: 3 }];
    const uses: readonly (readonly [type: number, command: typeof plain, data?: object])[] = [
      [2, plain],
      [2, full, { options: [values.where, values.who] }],
      [2, full, { options: [values.who] }],
      [4, full, { options: [{ ...values.where, focused: true }] }],
      [2, nested, { options: [{ type: 2, name: 'crew', options: [{ type: 1, name: 'add', options: count }] }] }],
      [2, menu, { target_id: ada }],
      [2, { ...plain, id: '404' as never }],
    ];
    for (const [type, { id, version, name, type: kind }, more] of uses) {
      const data = { id, version, name, type: kind, ...more };
      const body = { type, application_id: world.applicationId, ...spot, nonce: 'console-1', data };
      const code = await copied({ kind: 'session', user_id: ada }, 'POST', '/interactions', body);
      await expect(run(code), code).resolves.toBeUndefined();
    }
  });

  it.each([
    ['a use of a component', { type: 3, data: { component_type: 2, custom_id: 'x' } }],
    ['a submitted modal', { type: 5, data: { id: '9', custom_id: 'x', components: [] } }],
    ['a command on a message', { type: 2, data: { id: '9', name: 'Report', type: 3, target_id: '8' } }],
    [
      'a role as an option',
      { type: 2, data: { id: '9', name: 'x', type: 1, options: [{ type: 8, name: 'r', value: '8' }] } },
    ],
    [
      'a file as an option',
      { type: 2, data: { id: '9', name: 'x', type: 1, options: [{ type: 11, name: 'f', value: '0' }] } },
    ],
  ])('does not exist for %s, which another world does not have', (_, body) => {
    const target = '/api/v10/interactions';
    expect(testCodeOf(detailsOf({ route: 'invokeCommand', method: 'POST', target, status: 204 }, body))).toBe('');
  });

  it('that a bot or a player makes to change a command runs as it is', async () => {
    const base = `/applications/${world.applicationId}`;
    const inGuild = `${base}/guilds/${guildId}/commands`;
    const crew = { name: 'crew', description: 'Lists the crew', name_localizations: { de: 'mannschaft' } };
    const { command: globalOne } = await world.backend.commands.create({ name: 'one', description: 'One' });
    const { command: guildOne } = await world.backend.commands
      .inGuild(guildId)
      .create({ name: 'two', description: '2' });
    const overwrites = { permissions: [{ id: world.user('grace').id, type: 2, permission: true }] };
    const owner = { kind: 'user', application_id: world.applicationId, user_id: world.user('ada').id };
    const player = { ...owner, scopes: ['applications.commands.permissions.update'] };
    const calls: readonly (readonly [object, string, string, unknown?])[] = [
      [bot(), 'POST', `${base}/commands`, crew],
      [bot(), 'POST', `${base}/commands`, { ...crew, name: '' }],
      [bot(), 'PUT', `${base}/commands`, [crew, { id: globalOne.id, name: 'one', description: '1' }]],
      [bot(), 'GET', `${base}/commands`],
      [bot(), 'GET', `${base}/commands/404`],
      [bot(), 'POST', inGuild, crew],
      [bot(), 'PUT', inGuild, [crew, { id: guildOne.id, name: 'two', description: 'Two' }]],
      [bot(), 'GET', inGuild],
      [bot(), 'GET', `${inGuild}/${guildOne.id}`],
      [bot(), 'PATCH', `${inGuild}/${guildOne.id}`, { description: 'Both' }],
      [bot(), 'GET', `${inGuild}/permissions`],
      [bot(), 'GET', `${inGuild}/${guildOne.id}/permissions`],
      [player, 'PUT', `${inGuild}/${guildOne.id}/permissions`, overwrites],
      [player, 'PUT', `${inGuild}/${world.applicationId}/permissions`, overwrites],
      [bot(), 'PUT', `${inGuild}/${guildOne.id}/permissions`, overwrites],
      [bot(), 'DELETE', `${inGuild}/${guildOne.id}`],
      [bot(), 'DELETE', `${base}/commands/${globalOne.id}`],
      [bot(), 'POST', `${base}/commands`, crew],
      [{ kind: 'session', user_id: world.user('ada').id }, 'GET', `/channels/${channelId}/application-command-index`],
    ];
    for (const [as, method, path, body] of calls) {
      const code = await copied(as, method, path, body);
      await expect(run(code), code).resolves.toBeUndefined();
    }
  });
});

/** Runs a copied test. */
async function run(code: string): Promise<void> {
  let work: (() => Promise<void>) | undefined;
  const test = (_: string, given: typeof work) => {
    work = given;
  };
  const names = { assert, test, createWorld, userToken };
  new Function(...Object.keys(names), code.replace(/^import .*$/gm, ''))(...Object.values(names));
  await work?.();
}

function detailsOf(fields: Partial<TrafficRequest>, body: unknown, type = 'application/json'): TrafficDetails {
  const headers = { 'content-type': type, authorization: 'Bot masked', host: 'h', 'sec-fetch-mode': 'cors' };
  return {
    entry: requestEntry(1, 0, fields),
    request: { headers: body === null ? {} : headers, body, bytes: 1, is_cut: false },
    answer: null,
    data: null,
    causes: [],
    effects: [],
  };
}

/** What a shell gives to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }; ${command}`;
  const output = execFileSync('sh', ['-c', script], { env: { BOT_TOKEN: 'SECRET' }, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}
