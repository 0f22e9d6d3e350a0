import { limits } from '../../model/limits/limits.ts';
import type { RouteName } from '../../wire/routes.ts';
import { boolean, type Fields, integer, list, ref, text } from '../http/json-schema.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { SchemaName } from './schemas.ts';

/** What the document has about a route in addition to the route table. */
export interface Operation {
  /** The hosted service's own name where it has one. @see docs/spec/http.md#routes */
  readonly id: string;
  readonly summary: string;
  readonly query?: Fields;
  readonly request?: SchemaName;
  /** Body of every success but 204. */
  readonly answer?: SchemaName;
  /** Body of 400 and 401 if it is not the interface's usual error. */
  readonly errorBody?: SchemaName;
  /** Error statuses in addition to those that follow from the route. */
  readonly errorStatuses?: readonly number[];
}

const withLocalizations: Fields = {
  with_localizations: {
    ...boolean,
    default: false,
    description: 'Include the dictionaries of all locales instead of the texts for the caller’s locale',
  },
};

const withCounts: Fields = {
  with_counts: { ...boolean, default: false, description: 'Include the number of members' },
};

const memberLimit: Fields = {
  limit: { ...integer(1, serviceLimits.guildMembersPerPageMax), default: 1, description: 'The most to return' },
};

const directHistoryLimit: Fields = {
  limit: {
    ...integer(1, serviceLimits.directHistoryMessagesMax),
    default: serviceLimits.directHistoryMessagesDefault,
    description: 'The most to return',
  },
};
const inviteQuery: Fields = {
  channel_id: { ...ref('Snowflake'), description: 'The channel in which the invite was received' },
  message_id: { ...ref('Snowflake'), description: 'The invite; without it, the activity must be open to friends' },
};

const inThread: Fields = {
  thread_id: { ...ref('Snowflake'), description: 'Ignored, because there are no threads to send to' },
};
const waited: Fields = {
  wait: { ...boolean, default: false, description: 'Ignored, because the answer always waits for the message' },
  ...inThread,
};
const asComponents: Fields = {
  with_components: { ...boolean, default: false, description: 'Ignored, because components are always accepted' },
};
const noWebhook = 'the only webhooks are those of interactions, which have messages only';

/** A row for every route. */
export const operations: Readonly<Record<RouteName, Operation>> = {
  getGateway: { id: 'get_gateway', summary: 'Get the address of the gateway', answer: 'Gateway' },
  getGatewayBot: {
    id: 'get_bot_gateway',
    summary: 'Get the address of the gateway and the bot’s session limits',
    answer: 'GatewayBot',
  },
  getOpenApi: { id: 'get_openapi', summary: 'Get this document', answer: 'OpenApi' },

  listGlobalCommands: {
    id: 'list_application_commands',
    summary: 'List global commands',
    query: withLocalizations,
    answer: 'Commands',
  },
  createGlobalCommand: {
    id: 'create_application_command',
    summary: 'Create a global command, or overwrite the one with the same type and name',
    request: 'CommandInput',
    answer: 'Command',
  },
  replaceGlobalCommands: {
    id: 'bulk_set_application_commands',
    summary: 'Replace all global commands',
    request: 'CommandList',
    answer: 'Commands',
  },
  getGlobalCommand: { id: 'get_application_command', summary: 'Get a global command', answer: 'Command' },
  editGlobalCommand: {
    id: 'update_application_command',
    summary: 'Edit a global command',
    request: 'CommandEdit',
    answer: 'Command',
  },
  deleteGlobalCommand: { id: 'delete_application_command', summary: 'Delete a global command' },

  listGuildCommands: {
    id: 'list_guild_application_commands',
    summary: 'List the commands of a guild',
    query: withLocalizations,
    answer: 'Commands',
  },
  createGuildCommand: {
    id: 'create_guild_application_command',
    summary: 'Create a guild command, or overwrite the one with the same type and name',
    request: 'CommandInput',
    answer: 'Command',
  },
  replaceGuildCommands: {
    id: 'bulk_set_guild_application_commands',
    summary: 'Replace all commands of a guild',
    request: 'CommandList',
    answer: 'Commands',
  },
  getGuildCommand: { id: 'get_guild_application_command', summary: 'Get a command of a guild', answer: 'Command' },
  editGuildCommand: {
    id: 'update_guild_application_command',
    summary: 'Edit a command of a guild',
    request: 'CommandEdit',
    answer: 'Command',
  },
  deleteGuildCommand: { id: 'delete_guild_application_command', summary: 'Delete a command of a guild' },

  listCommandPermissions: {
    id: 'list_guild_application_command_permissions',
    summary: 'List the overwrites of all commands in a guild',
    answer: 'GuildCommandPermissionsList',
  },
  getCommandPermissions: {
    id: 'get_guild_application_command_permissions',
    summary: 'Get the overwrites of a command in a guild',
    answer: 'GuildCommandPermissions',
  },
  replaceCommandPermissions: {
    id: 'set_guild_application_command_permissions',
    summary: 'Replace the overwrites of a command in a guild',
    request: 'OverwritesInput',
    answer: 'GuildCommandPermissions',
  },

  getApplicationCommandIndex: {
    id: 'get_application_application_command_index',
    summary: 'List the commands of an application that the user may use with its bot',
    answer: 'CommandIndex',
  },
  getChannelCommandIndex: {
    id: 'get_channel_application_command_index',
    summary: 'List the commands that the user may use in a channel',
    answer: 'CommandIndex',
  },
  getGuildCommandIndex: {
    id: 'get_guild_application_command_index',
    summary: 'List the commands that the user may use in a guild',
    answer: 'CommandIndex',
  },
  getUserCommandIndex: {
    id: 'get_user_application_command_index',
    summary: 'List the commands of the applications that the user has installed',
    answer: 'CommandIndex',
  },

  createLobby: { id: 'create_lobby', summary: 'Create a lobby', request: 'LobbyInput', answer: 'Lobby' },
  getLobby: { id: 'get_lobby', summary: 'Get a lobby with its members', answer: 'Lobby' },
  editLobby: { id: 'edit_lobby', summary: 'Edit a lobby', request: 'LobbyInput', answer: 'Lobby' },
  deleteLobby: { id: 'delete_lobby', summary: 'Delete a lobby; idempotent' },
  putLobbyMember: {
    id: 'add_lobby_member',
    summary: 'Add a member to a lobby, or update the member',
    request: 'LobbyMemberInput',
    answer: 'LobbyMember',
  },
  deleteLobbyMember: { id: 'delete_lobby_member', summary: 'Remove a member from a lobby; idempotent' },

  joinLobby: {
    id: 'create_or_join_lobby',
    summary: 'Join the lobby with a secret, or create it',
    request: 'LobbyJoinInput',
    answer: 'Lobby',
  },
  leaveLobby: { id: 'leave_lobby', summary: 'Leave a lobby that was created with a secret; idempotent' },
  bulkUpdateLobbyMembers: {
    id: 'bulk_update_lobby_members',
    summary: 'Add, update and remove members of a lobby atomically',
    request: 'LobbyMemberChanges',
    answer: 'LobbyMembers',
  },
  linkLobbyChannel: {
    id: 'edit_lobby_channel_link',
    summary: 'Link a channel to a lobby; without a channel, unlink it',
    request: 'LobbyLinkInput',
    answer: 'Lobby',
  },
  createLobbyMessage: {
    id: 'create_lobby_message',
    summary: 'Send a message to a lobby',
    request: 'LobbyMessageInput',
    answer: 'LobbyMessage',
  },
  listLobbyMessages: {
    id: 'get_lobby_messages',
    summary: 'List the last messages of a lobby, newest first',
    query: {
      limit: {
        ...integer(1, limits.lobbyHistoryMessagesMax),
        default: limits.lobbyHistoryMessagesDefault,
        description: 'The most to return',
      },
    },
    answer: 'LobbyMessages',
  },
  setLobbyModerationMetadata: {
    id: 'update_lobby_message_external_moderation_metadata',
    summary: 'Replace the moderation metadata of a message',
    request: 'ModerationMetadata',
  },
  createOwnLobbyInvite: {
    id: 'create_linked_lobby_guild_invite_for_self',
    summary: 'Create an invite for yourself to the guild of the linked channel',
    answer: 'LobbyInvite',
  },
  createLobbyInvite: {
    id: 'create_linked_lobby_guild_invite_for_user',
    summary: 'Create an invite for a user to the guild of the linked channel',
    answer: 'LobbyInvite',
  },
  listOwnGuilds: {
    id: 'list_my_guilds',
    summary: 'List the guilds of the user or bot, by id',
    query: {
      before: ref('Snowflake'),
      after: ref('Snowflake'),
      limit: { ...integer(1, 200), default: 200 },
      ...withCounts,
    },
    answer: 'OwnGuilds',
  },
  getOwnMember: { id: 'get_my_guild_member', summary: 'Get the user as a member of a guild', answer: 'GuildMember' },
  leaveGuild: { id: 'leave_guild', summary: 'Leave a guild' },
  getGuild: { id: 'get_guild', summary: 'Get a guild that the bot is in', query: withCounts, answer: 'Guild' },
  listGuildChannels: {
    id: 'list_guild_channels',
    summary: 'List the channels of a guild, in their order',
    query: {
      with_can_link_lobby: {
        ...boolean,
        default: false,
        description: 'Include which channels the user may link',
      },
    },
    answer: 'Channels',
  },

  listActiveThreads: {
    id: 'get_active_guild_threads',
    summary: 'List the active threads of a guild',
    answer: 'ThreadList',
  },
  listGuildRoles: { id: 'list_guild_roles', summary: 'List the roles of a guild', answer: 'Roles' },
  getGuildRole: { id: 'get_guild_role', summary: 'Get a role of a guild', answer: 'Role' },
  listGuildMembers: {
    id: 'list_guild_members',
    summary: 'List the members of a guild, by id',
    query: { after: ref('Snowflake'), ...memberLimit },
    answer: 'GuildMembers',
  },
  searchGuildMembers: {
    id: 'search_guild_members',
    summary: 'Search the members of a guild by the beginning of their username or nickname',
    query: { query: text(1), ...memberLimit },
    answer: 'GuildMembers',
  },
  getGuildMember: { id: 'get_guild_member', summary: 'Get a member of a guild', answer: 'GuildMember' },
  getChannel: {
    id: 'get_channel',
    summary: 'Get a channel or thread of the bot’s guilds, or its direct messages with a user',
    answer: 'AnyChannel',
  },
  openDirectChannel: {
    id: 'create_dm',
    summary: 'Get the bot’s direct-message channel with a user',
    request: 'DirectChannelInput',
    answer: 'DirectChannel',
  },
  getUser: { id: 'get_user', summary: 'Get a user', answer: 'User' },

  invokeCommand: {
    id: 'create_interaction',
    summary: 'Use a command or a component, or submit a modal',
    request: 'Invocation',
  },
  createInteractionResponse: {
    id: 'create_interaction_response',
    summary: 'Answer an interaction',
    query: { with_response: { ...boolean, default: false, description: 'Include the result in the answer' } },
    request: 'InteractionCallback',
    answer: 'CallbackResponse',
  },
  createFollowUp: {
    id: 'execute_webhook',
    summary: 'Send a follow-up message',
    query: { ...waited, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  getOriginalResponse: {
    id: 'get_original_webhook_message',
    summary: 'Get the original answer of an interaction',
    query: inThread,
    answer: 'Message',
  },
  editOriginalResponse: {
    id: 'update_original_webhook_message',
    summary: 'Edit the original answer of an interaction',
    query: { ...inThread, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  deleteOriginalResponse: {
    id: 'delete_original_webhook_message',
    summary: 'Delete the original answer of an interaction',
    query: inThread,
  },
  getFollowUp: {
    id: 'get_webhook_message',
    summary: 'Get a follow-up message',
    query: inThread,
    answer: 'Message',
  },
  editFollowUp: {
    id: 'update_webhook_message',
    summary: 'Edit a follow-up message',
    query: { ...inThread, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  deleteFollowUp: {
    id: 'delete_webhook_message',
    summary: 'Delete a follow-up message',
    query: inThread,
  },
  getWebhook: { id: 'get_webhook', summary: `Get a webhook: ${noWebhook}` },
  editWebhook: { id: 'update_webhook', summary: `Edit a webhook: ${noWebhook}`, request: 'WebhookEdit' },
  deleteWebhook: { id: 'delete_webhook', summary: `Delete a webhook: ${noWebhook}` },
  getWebhookByToken: { id: 'get_webhook_by_token', summary: `Get the webhook of a token: ${noWebhook}` },
  editWebhookByToken: {
    id: 'update_webhook_by_token',
    summary: `Edit the webhook of a token: ${noWebhook}`,
    request: 'WebhookEdit',
  },
  deleteWebhookByToken: { id: 'delete_webhook_by_token', summary: `Delete the webhook of a token: ${noWebhook}` },
  executeGithubWebhook: {
    id: 'execute_github_compatible_webhook',
    summary: `Send a GitHub event to a webhook: ${noWebhook}`,
    query: waited,
    request: 'ForeignMessage',
  },
  executeSlackWebhook: {
    id: 'execute_slack_compatible_webhook',
    summary: `Send a Slack message to a webhook: ${noWebhook}`,
    query: waited,
    request: 'ForeignMessage',
  },

  getCurrentUser: { id: 'get_my_user', summary: 'Get the user of the credential', answer: 'CurrentUser' },
  editCurrentUser: {
    id: 'update_my_user',
    summary: 'Change the name of the bot; pictures are ignored',
    request: 'UserEdit',
    answer: 'CurrentUser',
  },
  listOwnEntitlements: {
    id: 'get_current_user_application_entitlements',
    summary: 'List what the user has bought from the application (always empty)',
    query: {
      sku_ids: { ...list(ref('Snowflake'), serviceLimits.skuIdsMax), description: 'Only these' },
      exclude_consumed: { ...boolean, default: false, description: 'Exclude consumed entitlements' },
    },
    answer: 'Entitlements',
  },
  getRoleConnection: {
    id: 'get_application_user_role_connection',
    summary: 'Get the role connection of the user',
    answer: 'RoleConnection',
  },
  replaceRoleConnection: {
    id: 'update_application_user_role_connection',
    summary: 'Replace the role connection of the user',
    request: 'RoleConnectionInput',
    answer: 'RoleConnection',
  },
  deleteRoleConnection: {
    id: 'delete_application_user_role_connection',
    summary: 'Delete the role connection of the user; idempotent',
  },
  getCurrentAuthorization: {
    id: 'get_my_oauth2_authorization',
    summary: 'Get the authorization of the access token',
    answer: 'CurrentAuthorization',
  },
  listOwnConnections: {
    id: 'list_my_connections',
    summary: 'List the user’s connected accounts of other services (always empty)',
    answer: 'Connections',
  },
  getOwnApplication: { id: 'get_my_application', summary: 'Get the application of the bot', answer: 'OwnApplication' },
  editOwnApplication: {
    id: 'update_my_application',
    summary: 'Change the description of the application, or the address for its interactions',
    request: 'ApplicationEdit',
    answer: 'OwnApplication',
  },
  getApplication: { id: 'get_application', summary: 'Get the application of the bot', answer: 'OwnApplication' },
  editApplication: {
    id: 'update_application',
    summary: 'Change the description of the application, or the address for its interactions',
    request: 'ApplicationEdit',
    answer: 'OwnApplication',
  },
  listRoleConnectionMetadata: {
    id: 'get_application_role_connections_metadata',
    summary: 'List the role connection metadata of the application',
    answer: 'RoleConnectionMetadataList',
  },
  replaceRoleConnectionMetadata: {
    id: 'update_application_role_connections_metadata',
    summary: 'Replace the role connection metadata of the application',
    request: 'RoleConnectionMetadataInput',
    answer: 'RoleConnectionMetadataList',
  },
  getCurrentApplication: {
    id: 'get_my_oauth2_application',
    summary: 'Get the application of the bot',
    answer: 'OwnApplication',
  },
  createToken: {
    id: 'create_token',
    summary: 'Exchange a grant for tokens',
    request: 'TokenRequest',
    answer: 'TokenResponse',
    errorBody: 'TokenRefusal',
    errorStatuses: [423],
  },
  revokeToken: {
    id: 'revoke_token',
    summary: 'Revoke a token and the tokens that were issued with it',
    request: 'RevocationRequest',
    answer: 'Nothing',
    errorBody: 'OAuthError',
  },
  startDevice: {
    id: 'start_device_authorization',
    summary: 'Start the sign-in of a device',
    request: 'DeviceStart',
    answer: 'DeviceAuthorization',
    errorBody: 'OAuthError',
  },
  verifyDevice: {
    id: 'verify_device_authorization',
    summary: 'Get the request of the device with a code',
    request: 'DeviceVerification',
    answer: 'DeviceRequest',
  },
  finishDevice: {
    id: 'finish_device_authorization',
    summary: 'Approve or deny the device with a code',
    request: 'DeviceDecision',
  },
  createProvisionalToken: {
    id: 'partner_sdk_token',
    summary: 'Issue a token for a provisional account, by a proof of identity',
    request: 'ProvisionalTokenInput',
    answer: 'ProvisionalTokenResponse',
    errorStatuses: [401, 403, 423],
  },
  createBotProvisionalToken: {
    id: 'bot_partner_sdk_token',
    summary: 'Issue a token for a provisional account, on behalf of the bot',
    request: 'BotProvisionalTokenInput',
    answer: 'ProvisionalTokenResponse',
    errorStatuses: [423],
  },
  createChildToken: {
    id: 'partner_sdk_child_token',
    summary: 'Exchange a publisher’s token for one of a child application',
    request: 'ChildTokenInput',
    answer: 'TokenResponse',
    errorStatuses: [401],
  },
  unmergeProvisionalAccount: {
    id: 'partner_sdk_unmerge_provisional_account',
    summary: 'Unmerge an identity from its full account',
    request: 'ProvisionalTokenInput',
    errorStatuses: [401, 403, 423],
  },
  unmergeBotProvisionalAccount: {
    id: 'bot_partner_sdk_unmerge_provisional_account',
    summary: 'Unmerge an external user from the full account',
    request: 'BotUnmergeInput',
    errorStatuses: [423],
  },
  editAccount: {
    id: 'update_my_account',
    summary: 'Change the user’s display name',
    request: 'AccountEdit',
    answer: 'CurrentUser',
  },
  getSigningKeys: { id: 'get_public_keys', summary: 'List the keys of ID tokens', answer: 'SigningKeys' },
  getUserInfo: { id: 'get_openid_connect_userinfo', summary: 'Get the OpenID claims of the user', answer: 'UserInfo' },
  postUserInfo: {
    id: 'post_openid_connect_userinfo',
    summary: 'Get the OpenID claims of the user',
    answer: 'UserInfo',
  },

  listRelationships: {
    id: 'list_my_relationships',
    summary: 'List the user’s friends, requests and blocked users',
    answer: 'Relationships',
  },
  requestRelationship: {
    id: 'create_my_relationship',
    summary: 'Send a friend request by username, or accept the other’s',
    request: 'RelationshipRequest',
    errorStatuses: [404],
  },
  putRelationship: {
    id: 'put_my_relationship',
    summary: 'Send a friend request, accept one, or block a user',
    request: 'RelationshipPut',
  },
  editRelationship: {
    id: 'update_my_relationship',
    summary: 'Give a friend a nickname',
    request: 'RelationshipEdit',
  },
  deleteRelationship: {
    id: 'delete_my_relationship',
    summary: 'End a friendship, reject or withdraw a request, or unblock a user; idempotent',
  },
  listGameRelationships: {
    id: 'list_my_game_relationships',
    summary: 'List the user’s friends and requests in the game',
    answer: 'GameRelationships',
  },
  requestGameRelationship: {
    id: 'create_my_game_relationship',
    summary: 'Send a friend request in the game by username, or accept the other’s',
    request: 'RelationshipRequest',
    errorStatuses: [404],
  },
  putGameRelationship: {
    id: 'put_my_game_relationship',
    summary: 'Send a friend request in the game, or accept one',
    request: 'GameRelationshipPut',
  },
  deleteGameRelationship: {
    id: 'delete_my_game_relationship',
    summary: 'End a friendship in the game, or reject or withdraw a request; idempotent',
  },
  putGameRelationshipOf: {
    id: 'put_my_game_relationship_of_application',
    summary: 'Send a friend request in a game, or accept one, by the user’s own client',
    request: 'GameRelationshipPut',
  },
  deleteGameRelationshipOf: {
    id: 'delete_my_game_relationship_of_application',
    summary: 'End a friendship in a game, or reject or withdraw a request, by the user’s own client',
  },

  // Unspecified: most of the hosted service's names for the routes of the social layer.
  createDirectMessage: {
    id: 'create_user_message',
    summary: 'Send a message, an invite or a request to join to a user',
    request: 'DirectMessageInput',
    answer: 'DirectMessage',
  },
  listDirectMessages: {
    id: 'list_user_messages',
    summary: 'List the messages of a conversation, newest first',
    query: directHistoryLimit,
    answer: 'PartialDirectMessages',
  },
  editDirectMessage: {
    id: 'update_user_message',
    summary: 'Edit an own message to a user',
    request: 'DirectMessageEdit',
    answer: 'DirectMessage',
  },
  deleteDirectMessage: { id: 'delete_user_message', summary: 'Delete an own message to a user' },
  listConversations: {
    id: 'list_user_message_summaries',
    summary: 'List the conversations of the user, newest first',
    answer: 'ConversationSummaries',
  },
  getDirectChannel: {
    id: 'get_user_dm_channel',
    summary: 'Get the channel of a conversation',
    answer: 'DirectMessageChannel',
  },
  setDirectModerationMetadata: {
    id: 'partner_sdk_set_dm_moderation_metadata',
    summary: 'Replace what the application notes about a message between two users, in either order',
    request: 'ModerationMetadata',
  },
  getActivitySecret: {
    id: 'get_user_activity_secret',
    summary: 'Get the secret by which a user can be joined in a game',
    query: inviteQuery,
    answer: 'ActivitySecret',
  },

  getApplicationProfile: {
    id: 'get_application_identity_profile',
    summary: 'Get what the application reports about a user',
    answer: 'ApplicationProfile',
    errorStatuses: [404],
  },
  editApplicationProfile: {
    id: 'update_application_identity_profile',
    summary: 'Change what the application reports about a user',
    request: 'ApplicationProfileEdit',
    answer: 'ApplicationProfile',
    errorStatuses: [404],
  },
  listPresences: {
    id: 'list_presences',
    summary: 'List the presences of the user’s friends who are not offline',
    answer: 'Presences',
  },
  editSettings: {
    id: 'update_my_settings',
    summary: 'Change the user’s status, and who may write to the user',
    request: 'SocialSettingsEdit',
    answer: 'SocialSettings',
  },
  putHeadlessSession: {
    id: 'create_headless_session',
    summary: 'Show an activity without a connection, or update the one that is shown',
    request: 'HeadlessSessionInput',
    answer: 'HeadlessSession',
  },
  deleteHeadlessSession: {
    id: 'delete_headless_session',
    summary: 'Show the activity no longer; idempotent',
    request: 'HeadlessSessionEnd',
  },
  subscribeActivities: {
    id: 'subscribe_user_activities',
    summary: 'See the activities of invites also while their users hide them',
    request: 'ActivitySubscriptions',
  },
  getActivityMetadata: {
    id: 'get_user_activity_metadata',
    summary: 'Get the addresses of the buttons of an activity',
    answer: 'ActivityMetadata',
    errorStatuses: [404],
  },
};
