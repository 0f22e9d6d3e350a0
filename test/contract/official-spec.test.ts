import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/model/oauth.ts';
import { type RouteName, routes } from '../../src/wire/routes.ts';
import { button, pick, row, stringSelect, text } from '../support/commands/components.ts';
import {
  openRouteWorld,
  type RouteAnswer,
  type RouteCall,
  type RouteWorld,
  routeNames,
  servingRouteNames,
} from '../support/http/every-route.ts';
import { type OfficialSpec, officialSpec, routeKey } from '../support/official-spec.ts';
import { botIssuedToken } from '../support/service/provisional.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const spec: OfficialSpec = await officialSpec();
const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada, grace] = starfall.users;

/** Where our answers differ from the file on purpose. Each is explained in docs/compatibility.md, "Known differences". */
const differences: Readonly<Record<string, readonly string[]>> = {
  getRoleConnection: ['.platform_name: never null'],
  getCurrentAuthorization: ['.scopes[]: never "sdk.social_layer"'],
};

/** Statuses that the file has and we never give, and why. */
const otherStatuses: Readonly<Partial<Record<RouteName, readonly string[]>>> = {
  // A webhook's message that is not waited for; messages of interactions always are.
  createFollowUp: ['204'],
};

const inFile = (name: RouteName) => spec.routes.has(routeKey(routes[name]));

/** What is wrong with an answer by the file, without what is so on purpose. */
function complaints(name: RouteName, { status, body }: RouteAnswer): readonly string[] {
  const answers = spec.routes.get(routeKey(routes[name]));
  const type = answers?.get(String(status)) ?? (status >= 400 && status < 500 ? answers?.get('4XX') : undefined);
  if (type === undefined) return [`${name} never answers ${status}`];
  if (status === 204) return body === undefined ? [] : ['204 has no body'];
  const known = differences[name] ?? [];
  // The file gives what is wrong at a field a number, in which the documentation and practice have a name.
  return spec
    .complaints(type, body)
    .filter(complaint => !known.includes(complaint) && !(status >= 400 && complaint.startsWith('.errors')));
}

describe('what the service answers, by the hosted service’s public OpenAPI file', () => {
  let world: RouteWorld;
  beforeAll(async () => {
    world = await openRouteWorld();
  });
  afterAll(() => world.close());

  it.each(servingRouteNames.filter(inFile))('%s has every field, each of its type', async name => {
    expect(complaints(name, await world.call(name, await world.sample(name)))).toEqual([]);
  });

  it.each(servingRouteNames.filter(inFile))('%s succeeds with the same statuses', name => {
    const statuses = [...(spec.routes.get(routeKey(routes[name])) ?? [])].map(([status]) => status);
    const known = otherStatuses[name] ?? [];
    const theirs = statuses.filter(status => status.startsWith('2') && !known.includes(status));
    expect(theirs).toEqual(routes[name].success.map(String));
  });

  it.each(routeNames.filter(inFile).filter(name => routes[name].path.includes('_id}')))(
    '%s refuses ids that are none, and ids of nothing, as the file says',
    async name => {
      const { params, ...rest } = await world.sample(name);
      const ids = [...routes[name].path.matchAll(/\{(\w+_id)\}/g)].map(([, parameter = '']) => parameter);
      for (const id of ['x', '42']) {
        const all = { ...params, ...Object.fromEntries(ids.map(parameter => [parameter, id])) };
        const answer = await world.call(name, { ...rest, params: all });
        if (answer.status >= 400) expect(complaints(name, answer)).toEqual([]);
      }
    },
  );

  it.each(routeNames.filter(inFile).filter(name => 'body' in routes[name]))(
    '%s refuses a body as the file says',
    async name => {
      const { params = {} } = await world.sample(name);
      for (const body of ['7', '{', '{"name":1,"metadata":1,"type":"x","permissions":1,"content":1,"members":1}']) {
        const answer = await world.call(name, { params, body });
        if (answer.status >= 400) expect(complaints(name, answer)).toEqual([]);
      }
    },
  );

  const kinds: readonly [title: string, name: RouteName, call: () => RouteCall | Promise<RouteCall>][] = [
    ['direct messages', 'getChannel', () => ({ params: { channel_id: grace.id } })],
    ['a thread', 'getChannel', async () => ({ params: { channel_id: await thread() } })],
    [
      'a linked channel',
      'getChannel',
      async () => {
        await world.call('linkLobbyChannel', await world.sample('linkLobbyChannel'));
        return { params: { channel_id: guild.channels[0].id } };
      },
    ],
    [
      'a lobby with a linked channel',
      'getLobby',
      async () => {
        const { params = {} } = await world.sample('getLobby');
        await world.call('linkLobbyChannel', await world.sample('linkLobbyChannel'));
        return { params };
      },
    ],
    [
      'threads',
      'listActiveThreads',
      async () => {
        await thread();
        return { params: { guild_id: guild.id } };
      },
    ],
    [
      'the channels, asked by a bot',
      'listGuildChannels',
      () => ({ params: { guild_id: guild.id }, authorization: `Bot ${application.bot_token}` }),
    ],
    ['the guilds of a bot', 'listOwnGuilds', () => ({ authorization: `Bot ${application.bot_token}` })],
    ['a guild without counts', 'getGuild', () => ({ params: { guild_id: guild.id } })],
    ['a bot', 'getUser', () => ({ params: { user_id: application.id } })],
    ['a bot as a member', 'getGuildMember', () => ({ params: { guild_id: guild.id, user_id: application.id } })],
    [
      'a player',
      'getCurrentUser',
      async () => ({ authorization: `Bearer ${await playerToken(world.service, ada.id, 'identify email')}` }),
    ],
    [
      'a provisional account',
      'getCurrentUser',
      async () => ({ authorization: `Bearer ${(await botIssuedToken(world.service, 'somebody')).access_token}` }),
    ],
    [
      'an authorization without identify',
      'getCurrentAuthorization',
      async () => ({ authorization: `Bearer ${await playerToken(world.service, ada.id, 'guilds')}` }),
    ],
    ['a deferred answer', 'createInteractionResponse', () => answering({ type: 5 })],
    [
      'a modal',
      'createInteractionResponse',
      () =>
        answering({
          type: 9,
          data: { custom_id: 'm', title: 'x', components: [row({ type: 4, custom_id: 'a', label: 'A', style: 1 })] },
        }),
    ],
    ['an activity', 'createInteractionResponse', () => answering({ type: 12 })],
    [
      'rows of components',
      'createInteractionResponse',
      () =>
        answering({
          type: 4,
          data: {
            content: 'x',
            components: [
              row(button('a'), button('b', { id: 1 })),
              row(stringSelect('c', ['d'])),
              row(pick('USER_SELECT', 'e')),
            ],
          },
        }),
    ],
    [
      'components of every other kind',
      'createInteractionResponse',
      () =>
        answering({
          type: 4,
          data: {
            flags: 1 << 15,
            components: [
              { type: 17, components: [text(), { type: 14 }, row(button('a'))] },
              { type: 9, components: [text()], accessory: { type: 11, media: { url: 'https://example.com/a.png' } } },
              { type: 12, items: [{ media: { url: 'https://example.com/b.png' } }] },
            ],
          },
        }),
    ],
  ];

  async function answering(body: object): Promise<RouteCall> {
    return { ...(await world.sample('createInteractionResponse')), body };
  }

  async function thread(): Promise<string> {
    const channels = [{ type: 11, name: 'a thread', parent_id: guild.channels[0].id }];
    const answer = await fetch(`${world.service.controlBase}/fixtures`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.service.controlToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ guilds: [{ id: guild.id, channels: [...guild.channels, ...channels] }] }),
    });
    const { guilds } = (await answer.json()) as { guilds: readonly { channels: readonly { id: string }[] }[] };
    return guilds[0]?.channels.at(-1)?.id ?? '';
  }

  it.each(kinds)('shows %s with every field (%s)', async (_, name, call) => {
    const answer = await world.call(name, await call());
    expect(answer.status).toBe(200);
    expect(complaints(name, answer)).toEqual([]);
  });

  it('differs where it is said to, and nowhere else', async () => {
    for (const [name, known] of Object.entries(differences) as [RouteName, readonly string[]][]) {
      const { status, body } = await world.call(name, await world.sample(name));
      const type = spec.routes.get(routeKey(routes[name]))?.get(String(status)) ?? '';
      expect(spec.complaints(type, body)).toEqual(known);
    }
  });

  it('lists for a bot only scopes that the file knows', async () => {
    const { body } = await callApi(world.service, 'GET', '/applications/@me');
    const { eligible_oauth2_scopes: eligible } = body as { eligible_oauth2_scopes: readonly string[] };
    const isKnown = (scope: string) => spec.complaints('OAuth2Scopes', scope).length === 0;
    // Nobody can grant these here: one is the application's own, one needs a secret, one has nothing to point to.
    const never = ['applications.commands.update', 'role_connections.write', 'webhook.incoming'];
    expect(eligible).toEqual(scopes.filter(scope => isKnown(scope) && !never.includes(scope)));
  });

  it('says how many are too many as the file says', async () => {
    const limited = await openRouteWorld({ limits: 'development' });
    let answer: RouteAnswer;
    do answer = await limited.call('createLobby', { body: {} });
    while (answer.status === 201);
    await limited.close();
    expect(answer.status).toBe(429);
    expect(spec.complaints('RatelimitedResponse', answer.body)).toEqual([]);
  });
});
