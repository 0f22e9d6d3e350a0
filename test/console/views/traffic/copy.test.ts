import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlOf } from '../../../../src/console/views/traffic/copy/curl.ts';
import { literalOf } from '../../../../src/console/views/traffic/copy/literal.ts';
import { sdkCallOf, sdkCodeOf } from '../../../../src/console/views/traffic/copy/sdk-code.ts';
import { testCodeOf } from '../../../../src/console/views/traffic/copy/test-code.ts';
import { createWorld, type World } from '../../../../src/testing/index.ts';
import type { TrafficDetails, TrafficRequest } from '../../../../src/wire/control/traffic.ts';
import type { RouteName } from '../../../../src/wire/routes.ts';
import { requestEntry } from '../../../support/console/made-traffic.ts';
import { needs } from '../../../support/runs/parts.ts';

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
    expect(code).toContain('await assert.rejects(backend.lobbies.create({}), { status: 400');
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

  async function controlGet(path: string): Promise<unknown> {
    const { controlBase, controlToken } = world.service;
    return (await fetch(`${controlBase}${path}`, { headers: { authorization: `Bearer ${controlToken}` } })).json();
  }

  it('makes the same call again', async () => {
    const { backend } = world;
    const lobby = await backend.lobbies.create({ metadata: { map: 'harbour' } });
    const command = await backend.commands.create({ name: 'rally', description: 'Calls everybody' });
    const user = world.user('ada').id;
    const { guilds } = (await controlGet('/guilds')) as { guilds: { id: string }[] };
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
