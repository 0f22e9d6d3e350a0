import type { RateLimitBucket } from '../model/limits/limit-profiles.ts';

/**
 * Who may call a route.
 *
 * - `bot`: the application's bot token (`Authorization: Bot …`)
 * - `application:<scope>`: the application's client-credentials token with that scope
 * - `user:<scope>`: a user's OAuth2 token with that scope; `user:any` asks for no scope
 * - `session`: the user's own client
 * - `none`: no credential; the path or body proves who calls
 */
export type Credential = 'bot' | `application:${string}` | `user:${string}` | 'session' | 'none';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v10`; `{name}` stands for one segment, always an id unless `text` lists it. */
  readonly path: string;
  readonly credentials: readonly Credential[];
  /** Statuses of a successful answer; none where there is nothing that could be answered with. */
  readonly success: readonly number[];
  /** Media type of the request's body; absent when it has none. */
  readonly body?: 'json' | 'form';
  /** The body may be left out. */
  readonly bodyOptional?: true;
  /**
   * A form, URL-encoded or in parts, is taken for the JSON body that it stands for; its files belong to that or to its
   * `data`. Where the body has names of the caller's own, all its fields are `texts`.
   */
  readonly forms?: 'body' | 'data' | 'texts';
  /** What the call counts against, beside the global limit; absent: only the global one. */
  readonly bucket?: RateLimitBucket;
  /** Not counted against the global limit. */
  readonly exempt?: true;
  /** Path parameters that are free text, not ids. */
  readonly text?: readonly string[];
}

const commandWriter = ['bot', 'application:applications.commands.update'] as const;
const permissionReader = [
  ...commandWriter,
  'application:applications.commands.permissions.update',
  'user:applications.commands.permissions.update',
] as const;
const indexReader = ['session', 'user:any'] as const;
const commands = '/applications/{application_id}/commands';
const guildCommands = '/applications/{application_id}/guilds/{guild_id}/commands';
const guild = '/guilds/{guild_id}';
const lobby = '/lobbies/{lobby_id}';
const webhook = '/webhooks/{application_id}/{interaction_token}';
const member = `${lobby}/members/{user_id}`;
const roleConnectionMetadata = '/applications/{application_id}/role-connections/metadata';
const ownApplication = '/users/@me/applications/{application_id}';
const roleConnection = ['user:role_connections.write', 'application:role_connections.write'] as const;
const relationshipReader = ['user:relationships.read', 'session'] as const;
const relationshipWriter = ['user:relationships.write', 'session'] as const;
const relationship = '/users/@me/relationships/{user_id}';
const gameRelationship = '/users/@me/game-relationships/{user_id}';
const userInfo = '/oauth2/userinfo';
const userInfoReader = ['user:openid', 'application:openid'] as const;
const lobbyPlayer = ['user:lobbies.write'] as const;
const userMessages = '/users/{user_id}/messages';
const applicationProfile = '/applications/{application_id}/users/{user_id}/identities/{external_user_id}/profile';

/**
 * Every route of `/api/v10`, once: the clients call from this table, the service mounts it, the contract tests walk it.
 *
 * @see docs/spec/http.md#routes; docs/spec/oauth2.md#addresses
 */
export const routes = {
  getGateway: { method: 'GET', path: '/gateway', credentials: ['none'], success: [200] },
  getGatewayBot: { method: 'GET', path: '/gateway/bot', credentials: ['bot'], success: [200] },
  getOpenApi: { method: 'GET', path: '/openapi.json', credentials: ['none'], success: [200] },

  listGlobalCommands: {
    method: 'GET',
    path: commands,
    credentials: commandWriter,
    success: [200],
    bucket: 'command-read',
  },
  createGlobalCommand: {
    method: 'POST',
    path: commands,
    credentials: commandWriter,
    success: [200, 201],
    body: 'json',
    bucket: 'command-write',
  },
  replaceGlobalCommands: {
    method: 'PUT',
    path: commands,
    credentials: commandWriter,
    success: [200],
    body: 'json',
    bucket: 'command-bulk',
  },
  getGlobalCommand: {
    method: 'GET',
    path: `${commands}/{command_id}`,
    credentials: commandWriter,
    success: [200],
    bucket: 'command-read',
  },
  editGlobalCommand: {
    method: 'PATCH',
    path: `${commands}/{command_id}`,
    credentials: commandWriter,
    success: [200],
    body: 'json',
    bucket: 'command-write',
  },
  deleteGlobalCommand: {
    method: 'DELETE',
    path: `${commands}/{command_id}`,
    credentials: commandWriter,
    success: [204],
    bucket: 'command-write',
  },

  listGuildCommands: {
    method: 'GET',
    path: guildCommands,
    credentials: commandWriter,
    success: [200],
    bucket: 'command-read',
  },
  createGuildCommand: {
    method: 'POST',
    path: guildCommands,
    credentials: commandWriter,
    success: [200, 201],
    body: 'json',
    bucket: 'command-write',
  },
  replaceGuildCommands: {
    method: 'PUT',
    path: guildCommands,
    credentials: commandWriter,
    success: [200],
    body: 'json',
    bucket: 'command-bulk',
  },
  getGuildCommand: {
    method: 'GET',
    path: `${guildCommands}/{command_id}`,
    credentials: commandWriter,
    success: [200],
    bucket: 'command-read',
  },
  editGuildCommand: {
    method: 'PATCH',
    path: `${guildCommands}/{command_id}`,
    credentials: commandWriter,
    success: [200],
    body: 'json',
    bucket: 'command-write',
  },
  deleteGuildCommand: {
    method: 'DELETE',
    path: `${guildCommands}/{command_id}`,
    credentials: commandWriter,
    success: [204],
    bucket: 'command-write',
  },

  listCommandPermissions: {
    method: 'GET',
    path: `${guildCommands}/permissions`,
    credentials: permissionReader,
    success: [200],
    bucket: 'command-read',
  },
  getCommandPermissions: {
    method: 'GET',
    path: `${guildCommands}/{command_id}/permissions`,
    credentials: permissionReader,
    success: [200],
    bucket: 'command-read',
  },
  replaceCommandPermissions: {
    method: 'PUT',
    path: `${guildCommands}/{command_id}/permissions`,
    credentials: ['user:applications.commands.permissions.update'],
    success: [200],
    body: 'json',
    bucket: 'command-write',
  },

  getApplicationCommandIndex: {
    method: 'GET',
    path: '/applications/{application_id}/application-command-index',
    credentials: indexReader,
    success: [200],
  },
  getChannelCommandIndex: {
    method: 'GET',
    path: '/channels/{channel_id}/application-command-index',
    credentials: indexReader,
    success: [200],
  },
  getGuildCommandIndex: {
    method: 'GET',
    path: '/guilds/{guild_id}/application-command-index',
    credentials: indexReader,
    success: [200],
  },
  getUserCommandIndex: {
    method: 'GET',
    path: '/users/@me/application-command-index',
    credentials: indexReader,
    success: [200],
  },

  createLobby: {
    method: 'POST',
    path: '/lobbies',
    credentials: ['bot'],
    success: [201],
    body: 'json',
    bucket: 'lobby-create',
  },
  getLobby: { method: 'GET', path: lobby, credentials: ['bot'], success: [200], bucket: 'lobby-get' },
  editLobby: {
    method: 'PATCH',
    path: lobby,
    credentials: ['bot'],
    success: [200],
    body: 'json',
    bucket: 'lobby-edit',
  },
  deleteLobby: { method: 'DELETE', path: lobby, credentials: ['bot'], success: [204], bucket: 'lobby-delete' },
  putLobbyMember: {
    method: 'PUT',
    path: member,
    credentials: ['bot'],
    success: [200],
    body: 'json',
    bucket: 'lobby-member-add',
  },
  deleteLobbyMember: {
    method: 'DELETE',
    path: member,
    credentials: ['bot'],
    success: [204],
    bucket: 'lobby-member-remove',
  },

  joinLobby: {
    method: 'PUT',
    path: '/lobbies',
    credentials: lobbyPlayer,
    success: [200],
    body: 'json',
    bucket: 'lobby-join',
  },
  leaveLobby: { method: 'DELETE', path: `${lobby}/members/@me`, credentials: lobbyPlayer, success: [204] },
  bulkUpdateLobbyMembers: {
    method: 'POST',
    path: `${lobby}/members/bulk`,
    credentials: ['bot'],
    success: [200],
    body: 'json',
    bucket: 'lobby-member-bulk',
  },
  linkLobbyChannel: {
    method: 'PATCH',
    path: `${lobby}/channel-linking`,
    credentials: lobbyPlayer,
    success: [200],
    body: 'json',
    bodyOptional: true,
    bucket: 'lobby-link',
  },
  createLobbyMessage: {
    method: 'POST',
    path: `${lobby}/messages`,
    credentials: lobbyPlayer,
    success: [201],
    body: 'json',
    forms: 'body',
    bucket: 'lobby-message',
  },
  listLobbyMessages: { method: 'GET', path: `${lobby}/messages`, credentials: lobbyPlayer, success: [200] },
  setLobbyModerationMetadata: {
    method: 'PUT',
    path: `${lobby}/messages/{message_id}/moderation-metadata`,
    credentials: ['bot'],
    success: [204],
    body: 'json',
    forms: 'texts',
  },
  createOwnLobbyInvite: {
    method: 'POST',
    path: `${lobby}/members/@me/invites`,
    credentials: lobbyPlayer,
    success: [200],
    bucket: 'lobby-invite-own',
  },
  createLobbyInvite: {
    method: 'POST',
    path: `${member}/invites`,
    credentials: ['bot'],
    success: [200],
    bucket: 'lobby-invite',
  },
  listOwnGuilds: {
    method: 'GET',
    path: '/users/@me/guilds',
    credentials: ['user:guilds', 'application:guilds', 'bot'],
    success: [200],
  },
  getOwnMember: {
    method: 'GET',
    path: '/users/@me/guilds/{guild_id}/member',
    credentials: ['user:guilds.members.read', 'application:guilds.members.read'],
    success: [200],
  },
  leaveGuild: { method: 'DELETE', path: '/users/@me/guilds/{guild_id}', credentials: ['bot'], success: [204] },
  getGuild: { method: 'GET', path: guild, credentials: ['bot'], success: [200] },
  listGuildChannels: {
    method: 'GET',
    path: `${guild}/channels`,
    credentials: ['bot', 'user:guilds.channels.read'],
    success: [200],
  },
  listActiveThreads: { method: 'GET', path: `${guild}/threads/active`, credentials: ['bot'], success: [200] },
  listGuildRoles: { method: 'GET', path: `${guild}/roles`, credentials: ['bot'], success: [200] },
  getGuildRole: { method: 'GET', path: `${guild}/roles/{role_id}`, credentials: ['bot'], success: [200] },
  listGuildMembers: { method: 'GET', path: `${guild}/members`, credentials: ['bot'], success: [200] },
  searchGuildMembers: { method: 'GET', path: `${guild}/members/search`, credentials: ['bot'], success: [200] },
  getGuildMember: { method: 'GET', path: `${guild}/members/{user_id}`, credentials: ['bot'], success: [200] },
  getChannel: { method: 'GET', path: '/channels/{channel_id}', credentials: ['bot'], success: [200] },
  openDirectChannel: {
    method: 'POST',
    path: '/users/@me/channels',
    credentials: ['bot'],
    success: [200],
    body: 'json',
  },
  getUser: { method: 'GET', path: '/users/{user_id}', credentials: ['bot'], success: [200] },

  invokeCommand: {
    method: 'POST',
    path: '/interactions',
    credentials: ['session'],
    success: [204],
    body: 'json',
    forms: 'data',
  },
  createInteractionResponse: {
    method: 'POST',
    path: '/interactions/{interaction_id}/{interaction_token}/callback',
    credentials: ['none'],
    success: [200, 204],
    body: 'json',
    forms: 'data',
    exempt: true,
    text: ['interaction_token'],
  },
  createFollowUp: {
    method: 'POST',
    path: webhook,
    credentials: ['none'],
    success: [200],
    body: 'json',
    forms: 'body',
    exempt: true,
    text: ['interaction_token'],
  },
  getOriginalResponse: {
    method: 'GET',
    path: `${webhook}/messages/@original`,
    credentials: ['none'],
    success: [200],
    exempt: true,
    text: ['interaction_token'],
  },
  editOriginalResponse: {
    method: 'PATCH',
    path: `${webhook}/messages/@original`,
    credentials: ['none'],
    success: [200],
    body: 'json',
    forms: 'body',
    exempt: true,
    text: ['interaction_token'],
  },
  deleteOriginalResponse: {
    method: 'DELETE',
    path: `${webhook}/messages/@original`,
    credentials: ['none'],
    success: [204],
    exempt: true,
    text: ['interaction_token'],
  },
  getFollowUp: {
    method: 'GET',
    path: `${webhook}/messages/{message_id}`,
    credentials: ['none'],
    success: [200],
    exempt: true,
    text: ['interaction_token'],
  },
  editFollowUp: {
    method: 'PATCH',
    path: `${webhook}/messages/{message_id}`,
    credentials: ['none'],
    success: [200],
    body: 'json',
    forms: 'body',
    exempt: true,
    text: ['interaction_token'],
  },
  deleteFollowUp: {
    method: 'DELETE',
    path: `${webhook}/messages/{message_id}`,
    credentials: ['none'],
    success: [204],
    exempt: true,
    text: ['interaction_token'],
  },
  // Channels have no webhooks here: these are there to say so.
  getWebhook: { method: 'GET', path: '/webhooks/{webhook_id}', credentials: ['bot'], success: [] },
  editWebhook: { method: 'PATCH', path: '/webhooks/{webhook_id}', credentials: ['bot'], success: [], body: 'json' },
  deleteWebhook: { method: 'DELETE', path: '/webhooks/{webhook_id}', credentials: ['bot'], success: [] },
  getWebhookByToken: {
    method: 'GET',
    path: webhook,
    credentials: ['none'],
    success: [],
    text: ['interaction_token'],
  },
  editWebhookByToken: {
    method: 'PATCH',
    path: webhook,
    credentials: ['none'],
    success: [],
    body: 'json',
    text: ['interaction_token'],
  },
  deleteWebhookByToken: {
    method: 'DELETE',
    path: webhook,
    credentials: ['none'],
    success: [],
    text: ['interaction_token'],
  },
  executeGithubWebhook: {
    method: 'POST',
    path: `${webhook}/github`,
    credentials: ['none'],
    success: [],
    body: 'json',
    text: ['interaction_token'],
  },
  executeSlackWebhook: {
    method: 'POST',
    path: `${webhook}/slack`,
    credentials: ['none'],
    success: [],
    body: 'json',
    forms: 'body',
    text: ['interaction_token'],
  },

  getCurrentUser: {
    method: 'GET',
    path: '/users/@me',
    credentials: ['bot', 'user:identify', 'application:identify'],
    success: [200],
  },
  editCurrentUser: { method: 'PATCH', path: '/users/@me', credentials: ['bot'], success: [200], body: 'json' },
  listOwnEntitlements: {
    method: 'GET',
    path: `${ownApplication}/entitlements`,
    credentials: ['user:any', 'application:any'],
    success: [200],
  },
  getRoleConnection: {
    method: 'GET',
    path: `${ownApplication}/role-connection`,
    credentials: roleConnection,
    success: [200],
  },
  replaceRoleConnection: {
    method: 'PUT',
    path: `${ownApplication}/role-connection`,
    credentials: roleConnection,
    success: [200],
    body: 'json',
  },
  deleteRoleConnection: {
    method: 'DELETE',
    path: `${ownApplication}/role-connection`,
    credentials: roleConnection,
    success: [204],
  },
  listOwnConnections: {
    method: 'GET',
    path: '/users/@me/connections',
    credentials: ['user:connections', 'application:connections', 'bot'],
    success: [200],
  },
  getCurrentAuthorization: {
    method: 'GET',
    path: '/oauth2/@me',
    credentials: ['user:any', 'application:any'],
    success: [200],
  },
  getOwnApplication: { method: 'GET', path: '/applications/@me', credentials: ['bot'], success: [200] },
  editOwnApplication: {
    method: 'PATCH',
    path: '/applications/@me',
    credentials: ['bot'],
    success: [200],
    body: 'json',
  },
  getApplication: {
    method: 'GET',
    path: '/applications/{application_id}',
    credentials: ['bot'],
    success: [200],
  },
  editApplication: {
    method: 'PATCH',
    path: '/applications/{application_id}',
    credentials: ['bot'],
    success: [200],
    body: 'json',
  },
  listRoleConnectionMetadata: {
    method: 'GET',
    path: roleConnectionMetadata,
    credentials: ['bot'],
    success: [200],
  },
  replaceRoleConnectionMetadata: {
    method: 'PUT',
    path: roleConnectionMetadata,
    credentials: ['bot'],
    success: [200],
    body: 'json',
  },
  getCurrentApplication: { method: 'GET', path: '/oauth2/applications/@me', credentials: ['bot'], success: [200] },
  createToken: { method: 'POST', path: '/oauth2/token', credentials: ['none'], success: [200], body: 'form' },
  revokeToken: { method: 'POST', path: '/oauth2/token/revoke', credentials: ['none'], success: [200], body: 'form' },
  startDevice: {
    method: 'POST',
    path: '/oauth2/device/authorize',
    credentials: ['none'],
    success: [200],
    body: 'form',
  },
  verifyDevice: {
    method: 'POST',
    path: '/oauth2/device/verify',
    credentials: ['session'],
    success: [200],
    body: 'json',
  },
  finishDevice: {
    method: 'POST',
    path: '/oauth2/device/finish',
    credentials: ['session'],
    success: [204],
    body: 'json',
  },
  createProvisionalToken: {
    method: 'POST',
    path: '/partner-sdk/token',
    credentials: ['none'],
    success: [200],
    body: 'json',
  },
  createBotProvisionalToken: {
    method: 'POST',
    path: '/partner-sdk/token/bot',
    credentials: ['bot'],
    success: [200],
    body: 'json',
  },
  createChildToken: {
    method: 'POST',
    path: '/partner-sdk/child-token',
    credentials: ['none'],
    success: [200],
    body: 'json',
  },
  unmergeProvisionalAccount: {
    method: 'POST',
    path: '/partner-sdk/provisional-accounts/unmerge',
    credentials: ['none'],
    success: [204],
    body: 'json',
  },
  unmergeBotProvisionalAccount: {
    method: 'POST',
    path: '/partner-sdk/provisional-accounts/unmerge/bot',
    credentials: ['bot'],
    success: [204],
    body: 'json',
  },
  editAccount: {
    method: 'PATCH',
    path: '/users/@me/account',
    credentials: ['user:any'],
    success: [200],
    body: 'json',
  },
  getSigningKeys: { method: 'GET', path: '/oauth2/keys', credentials: ['none'], success: [200] },
  getUserInfo: { method: 'GET', path: userInfo, credentials: userInfoReader, success: [200] },
  // OpenID Connect Core, section 5.3.1. The token is in the header; a body is ignored.
  postUserInfo: { method: 'POST', path: userInfo, credentials: userInfoReader, success: [200] },

  // Relationships.
  listRelationships: {
    method: 'GET',
    path: '/users/@me/relationships',
    credentials: relationshipReader,
    success: [200],
  },
  requestRelationship: {
    method: 'POST',
    path: '/users/@me/relationships',
    credentials: relationshipWriter,
    success: [204],
    body: 'json',
  },
  putRelationship: {
    method: 'PUT',
    path: relationship,
    credentials: relationshipWriter,
    success: [204],
    body: 'json',
    bodyOptional: true,
  },
  editRelationship: { method: 'PATCH', path: relationship, credentials: ['session'], success: [204], body: 'json' },
  deleteRelationship: { method: 'DELETE', path: relationship, credentials: relationshipWriter, success: [204] },
  listGameRelationships: {
    method: 'GET',
    path: '/users/@me/game-relationships',
    credentials: ['user:relationships.read'],
    success: [200],
  },
  requestGameRelationship: {
    method: 'POST',
    path: '/users/@me/game-relationships',
    credentials: ['user:relationships.write'],
    success: [204],
    body: 'json',
  },
  putGameRelationship: {
    method: 'PUT',
    path: gameRelationship,
    credentials: ['user:relationships.write'],
    success: [204],
    body: 'json',
    bodyOptional: true,
  },
  deleteGameRelationship: {
    method: 'DELETE',
    path: gameRelationship,
    credentials: ['user:relationships.write'],
    success: [204],
  },
  // As the two above, for the user's own client, which has to name the game.
  putGameRelationshipOf: {
    method: 'PUT',
    path: `${gameRelationship}/{application_id}`,
    credentials: ['session'],
    success: [204],
    body: 'json',
    bodyOptional: true,
  },
  deleteGameRelationshipOf: {
    method: 'DELETE',
    path: `${gameRelationship}/{application_id}`,
    credentials: ['session'],
    success: [204],
  },

  // Messages between users, and invites to activities.
  createDirectMessage: {
    method: 'POST',
    path: userMessages,
    credentials: ['user:dm_channels.messages.write', 'user:activities.invites.write', 'session'],
    success: [200],
    body: 'json',
    bucket: 'direct-message',
  },
  listDirectMessages: {
    method: 'GET',
    path: userMessages,
    credentials: ['user:dm_channels.messages.read', 'session'],
    success: [200],
  },
  editDirectMessage: {
    method: 'PATCH',
    path: `${userMessages}/{message_id}`,
    credentials: ['user:dm_channels.messages.write', 'session'],
    success: [200],
    body: 'json',
  },
  deleteDirectMessage: {
    method: 'DELETE',
    path: `${userMessages}/{message_id}`,
    credentials: ['user:dm_channels.messages.write', 'session'],
    success: [204],
  },
  listConversations: {
    method: 'GET',
    path: '/partner-sdk/users/@me/channels',
    credentials: ['user:dm_channels.read', 'session'],
    success: [200],
  },
  getDirectChannel: {
    method: 'GET',
    path: '/users/@me/dms/{user_id}',
    credentials: ['user:dm_channels.read', 'session'],
    success: [200],
  },
  setDirectModerationMetadata: {
    method: 'PUT',
    path: '/partner-sdk/dms/{user_id_1}/{user_id_2}/messages/{message_id}/moderation-metadata',
    credentials: ['bot'],
    success: [204],
    body: 'json',
  },
  getActivitySecret: {
    method: 'GET',
    path: '/users/{user_id}/sessions/{session_id}/activities/{application_id}/1',
    credentials: ['user:activities.read', 'session'],
    success: [200],
    text: ['session_id'],
  },

  // Presence: settings, sessions without a connection, subscriptions.
  listPresences: {
    method: 'GET',
    path: '/presences',
    credentials: ['user:activities.read', 'user:presences.read', 'session'],
    success: [200],
  },
  editSettings: {
    method: 'PATCH',
    path: '/users/@me/settings',
    credentials: ['user:activities.write', 'session'],
    success: [200],
    body: 'json',
  },
  putHeadlessSession: {
    method: 'POST',
    path: '/users/@me/headless-sessions',
    credentials: ['user:activities.write'],
    success: [200],
    body: 'json',
  },
  deleteHeadlessSession: {
    method: 'POST',
    path: '/users/@me/headless-sessions/delete',
    credentials: ['user:activities.write'],
    success: [204],
    body: 'json',
  },
  subscribeActivities: {
    method: 'POST',
    path: '/users/@me/activities/subscribe',
    credentials: ['user:activities.read', 'session'],
    success: [204],
    body: 'json',
  },
  getApplicationProfile: {
    method: 'GET',
    path: applicationProfile,
    credentials: ['bot'],
    success: [200],
    text: ['external_user_id'],
  },
  editApplicationProfile: {
    method: 'PATCH',
    path: applicationProfile,
    credentials: ['bot'],
    success: [200],
    body: 'json',
    text: ['external_user_id'],
  },
  getActivityMetadata: {
    method: 'GET',
    path: '/users/{user_id}/sessions/{session_id}/activities/{application_id}/metadata',
    credentials: ['user:any', 'session'],
    success: [200, 204],
    text: ['session_id'],
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** Names between braces of a path, as a union. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** What fills the path of a route. */
export type PathParameters<Name extends RouteName> = {
  readonly [Parameter in PathParameter<(typeof routes)[Name]['path']>]: string;
};

/** The version this package speaks. */
export const apiVersion = 10;

/** Fills a route's path; every value is percent-encoded. */
export function routePath<Name extends RouteName>(name: Name, parameters: PathParameters<Name>): string {
  const values = parameters as Readonly<Record<string, string>>;
  // Fixed text and parameter names take turns.
  return pieces[name].reduce(
    (path, piece, i) => path + (i % 2 === 0 ? piece : encodeURIComponent(values[piece] ?? '')),
  );
}

/** `PUT /lobbies/{lobby_id}/members/{user_id}`: how errors and logs name a route. */
export function routeLabel(name: RouteName): string {
  return labels[name];
}

// Worked out once: every call asks for them.
const names = Object.keys(routes) as RouteName[];
const pieces = tableOf(({ path }) => path.split(/[{}]/));
const labels = tableOf(({ method, path }) => `${method} ${path}`);

function tableOf<Value>(read: (route: Route) => Value): Readonly<Record<RouteName, Value>> {
  return Object.fromEntries(names.map(name => [name, read(routes[name])])) as Record<RouteName, Value>;
}
