import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteName, routes } from '../../src/wire/routes.ts';
import { openRouteWorld, type RouteAnswer, type RouteWorld, routeNames } from '../support/http/every-route.ts';
import { documentOf, type OpenApiDocument, operationOf } from '../support/http/openapi-document.ts';
import { starfall } from '../support/service/starfall.ts';
import { clientToken, playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;

type Row = readonly [
  id: string,
  route: string,
  success: readonly number[],
  credentials: string,
  query: string,
  body: Body,
];
type Body = '' | 'J' | 'J/F/M';

/**
 * The operations that the service is measured by: id, method and path, statuses of success, who may call (`Bot`, an access
 * token with a scope or with `any`, or `none`: everybody), parameters of the query, media types of the body (JSON, URL-encoded
 * form, form in parts).
 *
 * @see docs/spec/http.md#routes
 */
const operations: readonly Row[] = [
  // Application (self)
  ['get_my_application', 'GET /applications/@me', [200], 'Bot', '', ''],
  ['update_my_application', 'PATCH /applications/@me', [200], 'Bot', '', 'J'],
  ['get_application', 'GET /applications/{application_id}', [200], 'Bot', '', ''],
  ['update_application', 'PATCH /applications/{application_id}', [200], 'Bot', '', 'J'],
  // Application commands
  [
    'list_application_commands',
    'GET /applications/{application_id}/commands',
    [200],
    'Bot, applications.commands.update',
    'with_localizations',
    '',
  ],
  [
    'create_application_command',
    'POST /applications/{application_id}/commands',
    [200, 201],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'bulk_set_application_commands',
    'PUT /applications/{application_id}/commands',
    [200],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'get_application_command',
    'GET /applications/{application_id}/commands/{command_id}',
    [200],
    'Bot, applications.commands.update',
    '',
    '',
  ],
  [
    'update_application_command',
    'PATCH /applications/{application_id}/commands/{command_id}',
    [200],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'delete_application_command',
    'DELETE /applications/{application_id}/commands/{command_id}',
    [204],
    'Bot, applications.commands.update',
    '',
    '',
  ],
  [
    'list_guild_application_commands',
    'GET /applications/{application_id}/guilds/{guild_id}/commands',
    [200],
    'Bot, applications.commands.update',
    'with_localizations',
    '',
  ],
  [
    'create_guild_application_command',
    'POST /applications/{application_id}/guilds/{guild_id}/commands',
    [200, 201],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'bulk_set_guild_application_commands',
    'PUT /applications/{application_id}/guilds/{guild_id}/commands',
    [200],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'list_guild_application_command_permissions',
    'GET /applications/{application_id}/guilds/{guild_id}/commands/permissions',
    [200],
    'Bot, applications.commands.permissions.update',
    '',
    '',
  ],
  [
    'get_guild_application_command',
    'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}',
    [200],
    'Bot, applications.commands.update',
    '',
    '',
  ],
  [
    'update_guild_application_command',
    'PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id}',
    [200],
    'Bot, applications.commands.update',
    '',
    'J',
  ],
  [
    'delete_guild_application_command',
    'DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}',
    [204],
    'Bot, applications.commands.update',
    '',
    '',
  ],
  [
    'get_guild_application_command_permissions',
    'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions',
    [200],
    'Bot, applications.commands.permissions.update',
    '',
    '',
  ],
  [
    'set_guild_application_command_permissions',
    'PUT /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions',
    [200],
    'Bot, applications.commands.permissions.update',
    '',
    'J',
  ],
  // Lobbies
  ['create_lobby', 'POST /lobbies', [201], 'Bot', '', 'J'],
  ['create_or_join_lobby', 'PUT /lobbies', [200], 'Bot, lobbies.write', '', 'J'],
  ['get_lobby', 'GET /lobbies/{lobby_id}', [200], 'Bot', '', ''],
  ['edit_lobby', 'PATCH /lobbies/{lobby_id}', [200], 'Bot', '', 'J'],
  ['delete_lobby', 'DELETE /lobbies/{lobby_id}', [204], 'Bot', '', ''],
  ['edit_lobby_channel_link', 'PATCH /lobbies/{lobby_id}/channel-linking', [200], 'Bot, lobbies.write', '', 'J'],
  ['leave_lobby', 'DELETE /lobbies/{lobby_id}/members/@me', [204], 'Bot, lobbies.write', '', ''],
  [
    'create_linked_lobby_guild_invite_for_self',
    'POST /lobbies/{lobby_id}/members/@me/invites',
    [200],
    'Bot, lobbies.write',
    '',
    '',
  ],
  ['bulk_update_lobby_members', 'POST /lobbies/{lobby_id}/members/bulk', [200], 'Bot', '', 'J'],
  ['add_lobby_member', 'PUT /lobbies/{lobby_id}/members/{user_id}', [200], 'Bot', '', 'J'],
  ['delete_lobby_member', 'DELETE /lobbies/{lobby_id}/members/{user_id}', [204], 'Bot', '', ''],
  [
    'create_linked_lobby_guild_invite_for_user',
    'POST /lobbies/{lobby_id}/members/{user_id}/invites',
    [200],
    'Bot',
    '',
    '',
  ],
  ['get_lobby_messages', 'GET /lobbies/{lobby_id}/messages', [200], 'Bot, lobbies.write', 'limit', ''],
  ['create_lobby_message', 'POST /lobbies/{lobby_id}/messages', [201], 'Bot, lobbies.write', '', 'J/F/M'],
  [
    'update_lobby_message_external_moderation_metadata',
    'PUT /lobbies/{lobby_id}/messages/{message_id}/moderation-metadata',
    [204],
    'Bot',
    '',
    'J/F/M',
  ],
  // Interactions
  [
    'create_interaction_response',
    'POST /interactions/{interaction_id}/{interaction_token}/callback',
    [200, 204],
    'none',
    'with_response',
    'J/F/M',
  ],
  // Webhooks
  ['get_webhook', 'GET /webhooks/{webhook_id}', [200], 'Bot', '', ''],
  ['update_webhook', 'PATCH /webhooks/{webhook_id}', [200], 'Bot', '', 'J'],
  ['delete_webhook', 'DELETE /webhooks/{webhook_id}', [204], 'Bot', '', ''],
  ['get_webhook_by_token', 'GET /webhooks/{webhook_id}/{webhook_token}', [200], 'none', '', ''],
  [
    'execute_webhook',
    'POST /webhooks/{webhook_id}/{webhook_token}',
    [200, 204],
    'none',
    'wait, thread_id, with_components',
    'J/F/M',
  ],
  ['update_webhook_by_token', 'PATCH /webhooks/{webhook_id}/{webhook_token}', [200], 'none', '', 'J'],
  ['delete_webhook_by_token', 'DELETE /webhooks/{webhook_id}/{webhook_token}', [204], 'none', '', ''],
  [
    'execute_github_compatible_webhook',
    'POST /webhooks/{webhook_id}/{webhook_token}/github',
    [204],
    'none',
    'wait, thread_id',
    'J',
  ],
  [
    'get_original_webhook_message',
    'GET /webhooks/{webhook_id}/{webhook_token}/messages/@original',
    [200],
    'none',
    'thread_id',
    '',
  ],
  [
    'update_original_webhook_message',
    'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original',
    [200],
    'none',
    'thread_id, with_components',
    'J/F/M',
  ],
  [
    'delete_original_webhook_message',
    'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original',
    [204],
    'none',
    'thread_id',
    '',
  ],
  [
    'get_webhook_message',
    'GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
    [200],
    'none',
    'thread_id',
    '',
  ],
  [
    'update_webhook_message',
    'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
    [200],
    'none',
    'thread_id, with_components',
    'J/F/M',
  ],
  [
    'delete_webhook_message',
    'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
    [204],
    'none',
    'thread_id',
    '',
  ],
  [
    'execute_slack_compatible_webhook',
    'POST /webhooks/{webhook_id}/{webhook_token}/slack',
    [200],
    'none',
    'wait, thread_id',
    'J/F/M',
  ],
  // OAuth2
  ['get_my_oauth2_authorization', 'GET /oauth2/@me', [200], 'Bot, any', '', ''],
  ['get_my_oauth2_application', 'GET /oauth2/applications/@me', [200], 'Bot', '', ''],
  ['get_public_keys', 'GET /oauth2/keys', [200], 'none', '', ''],
  ['get_openid_connect_userinfo', 'GET /oauth2/userinfo', [200], 'Bot, openid', '', ''],
  // Gateway
  ['get_gateway', 'GET /gateway', [200], 'none', '', ''],
  ['get_bot_gateway', 'GET /gateway/bot', [200], 'Bot', '', ''],
  // Current user
  ['get_my_user', 'GET /users/@me', [200], 'Bot, identify', '', ''],
  ['update_my_user', 'PATCH /users/@me', [200], 'Bot', '', 'J'],
  [
    'get_current_user_application_entitlements',
    'GET /users/@me/applications/{application_id}/entitlements',
    [200],
    'any',
    'sku_ids, exclude_consumed',
    '',
  ],
  [
    'get_application_user_role_connection',
    'GET /users/@me/applications/{application_id}/role-connection',
    [200],
    'role_connections.write',
    '',
    '',
  ],
  [
    'update_application_user_role_connection',
    'PUT /users/@me/applications/{application_id}/role-connection',
    [200],
    'role_connections.write',
    '',
    'J',
  ],
  [
    'delete_application_user_role_connection',
    'DELETE /users/@me/applications/{application_id}/role-connection',
    [204],
    'role_connections.write',
    '',
    '',
  ],
  ['create_dm', 'POST /users/@me/channels', [200], 'Bot', '', 'J'],
  ['list_my_connections', 'GET /users/@me/connections', [200], 'Bot, connections', '', ''],
  ['list_my_guilds', 'GET /users/@me/guilds', [200], 'Bot, guilds', 'before, after, limit, with_counts', ''],
  ['leave_guild', 'DELETE /users/@me/guilds/{guild_id}', [204], 'Bot', '', ''],
  ['get_my_guild_member', 'GET /users/@me/guilds/{guild_id}/member', [200], 'guilds.members.read', '', ''],
];

/** Where more is said than the OpenAPI document that the rows are of, which names bots nearly everywhere. @see docs/spec/lobbies.md#operations */
const closedToBots: ReadonlySet<string> = new Set([
  ...['create_or_join_lobby', 'leave_lobby', 'edit_lobby_channel_link', 'get_lobby_messages', 'create_lobby_message'],
  ...['create_linked_lobby_guild_invite_for_self', 'get_my_oauth2_authorization', 'get_openid_connect_userinfo'],
  // @see docs/spec/permissions.md#replacing
  'set_guild_application_command_permissions',
]);

/** What only a person does: an application's own token, which speaks for the owner elsewhere, is no player. */
const closedToApplications: ReadonlySet<string> = new Set([
  ...['create_or_join_lobby', 'leave_lobby', 'edit_lobby_channel_link', 'get_lobby_messages', 'create_lobby_message'],
  ...['create_linked_lobby_guild_invite_for_self', 'set_guild_application_command_permissions'],
]);

/** Scopes that this application does not get from a user: an application has the one for itself, and the other asks for a secret. */
const notFromUsers: ReadonlySet<string> = new Set(['applications.commands.update', 'role_connections.write']);

let world: RouteWorld;
let document: OpenApiDocument;
beforeAll(async () => {
  world = await openRouteWorld();
  document = await documentOf(world.service);
});
afterAll(() => world.close());

const sameShape = (text: string) => text.replace(/\{\w+\}/g, '{}');
const byShape = new Map(routeNames.map(name => [sameShape(`${routes[name].method} ${routes[name].path}`), name]));

function nameOf(route: string): RouteName {
  const name = byShape.get(sameShape(route));
  if (!name) throw new Error(`${route} is not served.`);
  return name;
}

/** `let in`, whatever came of it then, or the status and code of a refusal that is about who calls. */
function outcome({ status, body }: RouteAnswer): string {
  const { code } = (body ?? {}) as { code?: number };
  const isAboutCaller = (status === 401 && code === 0) || (status === 403 && callerCodes.has(code));
  return isAboutCaller ? `${status} ${code}` : 'let in';
}

const callerCodes: ReadonlySet<unknown> = new Set([20001, 20002, 50001, 50026]);
const unauthorized = '401 0';
const botsNotAllowed = '403 20001';
const onlyBots = '403 20002';
const missingScope = '403 50026';

it('are 67 operations, each once', () => {
  expect(operations).toHaveLength(67);
  expect(new Set(operations.map(([id]) => id)).size).toBe(67);
});

describe.each(operations)('%s', (id, route, success, credentials, query, body) => {
  const isOpen = credentials === 'none';
  const isForBots = isOpen || (/^Bot\b/.test(credentials) && !closedToBots.has(id));
  const scope = isOpen ? undefined : credentials.split(', ').find(one => one !== 'Bot');
  const isForApplications = !closedToApplications.has(id);

  /** What comes of a call as the route is meant, but by another caller; the empty text is nobody. */
  async function calledBy(authorization: string): Promise<string> {
    const name = nameOf(route);
    return outcome(await world.call(name, { ...(await world.sample(name)), authorization }));
  }

  it(`is ${route}, under that id and with those statuses`, () => {
    const name = nameOf(route);
    expect(operationOf(document, name).operationId).toBe(id);
    expect(success).toEqual(expect.arrayContaining([...routes[name].success]));
  });

  it(`takes the body ${body || 'of none'}`, () => {
    const json = 'application/json';
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    const types = { '': [], J: [json], 'J/F/M': [json, ...forms] }[body];
    expect(Object.keys(operationOf(document, nameOf(route)).requestBody?.content ?? {})).toEqual(types);
  });

  it(`is asked by ${query || 'nothing'} in the query, and rejects what these cannot be`, async () => {
    const name = nameOf(route);
    const names = query.split(', ').filter(Boolean);
    const told = operationOf(document, name).parameters.filter(parameter => parameter.in === 'query');
    expect(told.map(parameter => parameter.name).sort()).toEqual([...names].sort());
    for (const parameter of names) {
      const answer = await world.call(name, { ...(await world.sample(name)), query: `?${parameter}=!` });
      expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { [parameter]: {} } } });
    }
  });

  it(`is ${isOpen ? 'open to' : 'closed to'} who has no credential or a wrong one`, async () => {
    for (const wrong of ['', 'Bot wrong', 'Bearer wrong', 'wrong']) {
      expect(await calledBy(wrong)).toBe(isOpen ? 'let in' : unauthorized);
    }
  });

  it(`is ${isForBots ? 'open' : 'closed'} to bots`, async () => {
    expect(await calledBy(`Bot ${application.bot_token}`)).toBe(isForBots ? 'let in' : botsNotAllowed);
  });

  it(`asks a user’s token for ${scope ?? 'nothing that it could have'}`, async () => {
    const other = scope === 'openid' ? 'identify' : 'openid';
    const without = await calledBy(`Bearer ${await playerToken(world.service, ada.id, other)}`);
    if (isOpen || scope === 'any') expect(without).toBe('let in');
    else if (!scope || scope === 'applications.commands.update') expect(without).toBe(onlyBots);
    else expect(without).toBe(missingScope);
    if (!scope || scope === 'any' || notFromUsers.has(scope)) return;
    const granted = scope === 'lobbies.write' ? 'sdk.social_layer' : scope;
    expect(await calledBy(`Bearer ${await playerToken(world.service, ada.id, granted)}`)).toBe('let in');
  });

  it(`asks the application’s own token for ${isForApplications && scope ? scope : 'nothing that it could have'}`, async () => {
    const other = scope === 'openid' ? 'identify' : 'openid';
    const without = await calledBy(`Bearer ${await clientToken(world.service, other)}`);
    if (isOpen || scope === 'any') expect(without).toBe('let in');
    else if (!scope) expect(without).toBe(onlyBots);
    else expect(without).toBe(isForApplications ? missingScope : botsNotAllowed);
    if (!scope || scope === 'any') return;
    const withIt = await calledBy(`Bearer ${await clientToken(world.service, scope)}`);
    expect(withIt).toBe(isForApplications ? 'let in' : botsNotAllowed);
  });
});
