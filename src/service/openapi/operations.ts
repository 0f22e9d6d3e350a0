import { limits } from '../../model/limits/limits.ts';
import type { RouteName } from '../../wire/routes.ts';
import { serviceLimits } from '../support/service-limits.ts';
import { boolean, type Fields, integer, list, ref, text } from './json-schema.ts';
import type { SchemaName } from './schemas.ts';

/** What the document says of a route beyond the route table. */
export interface Operation {
  /** The hosted service's own name where it has one. @see docs/spec/http.md#routes */
  readonly id: string;
  readonly summary: string;
  readonly query?: Fields;
  readonly request?: SchemaName;
  /** Body of every success but 204. */
  readonly answer?: SchemaName;
  /** Body of 400 and 401 where that is not the interface's own. */
  readonly refusal?: SchemaName;
  /** Statuses of refusals beside those that follow from the route. */
  readonly refuses?: readonly number[];
}

const withLocalizations: Fields = {
  with_localizations: {
    ...boolean,
    default: false,
    description: 'Whole dictionaries instead of the one text for the reader',
  },
};

const withCounts: Fields = {
  with_counts: { ...boolean, default: false, description: 'Whether to tell how many members there are' },
};

const memberLimit: Fields = {
  limit: { ...integer(1, serviceLimits.guildMembersPerPageMax), default: 1, description: 'How many at most' },
};

const inThread: Fields = {
  thread_id: { ...ref('Snowflake'), description: 'Passed over: there are no threads to send to' },
};
const waited: Fields = {
  wait: { ...boolean, default: false, description: 'Passed over: messages are always waited for' },
  ...inThread,
};
const asComponents: Fields = {
  with_components: { ...boolean, default: false, description: 'Passed over: components are taken as they are' },
};
const noWebhook = 'there are none but those of interactions, which only have messages';

/** A row for every route. */
export const operations: Readonly<Record<RouteName, Operation>> = {
  getGateway: { id: 'get_gateway', summary: 'Where the gateway is', answer: 'Gateway' },
  getGatewayBot: {
    id: 'get_bot_gateway',
    summary: 'Where the gateway is, and how often a bot may connect',
    answer: 'GatewayBot',
  },
  getOpenApi: { id: 'get_openapi', summary: 'This document', answer: 'OpenApi' },

  listGlobalCommands: {
    id: 'list_application_commands',
    summary: 'All global commands',
    query: withLocalizations,
    answer: 'Commands',
  },
  createGlobalCommand: {
    id: 'create_application_command',
    summary: 'Creates a global command, or overwrites the one of that type and name',
    request: 'CommandInput',
    answer: 'Command',
  },
  replaceGlobalCommands: {
    id: 'bulk_set_application_commands',
    summary: 'Makes these all global commands there are',
    request: 'CommandList',
    answer: 'Commands',
  },
  getGlobalCommand: { id: 'get_application_command', summary: 'A global command', answer: 'Command' },
  editGlobalCommand: {
    id: 'update_application_command',
    summary: 'Edits a global command',
    request: 'CommandEdit',
    answer: 'Command',
  },
  deleteGlobalCommand: { id: 'delete_application_command', summary: 'Deletes a global command' },

  listGuildCommands: {
    id: 'list_guild_application_commands',
    summary: 'All commands of a guild',
    query: withLocalizations,
    answer: 'Commands',
  },
  createGuildCommand: {
    id: 'create_guild_application_command',
    summary: 'Creates a command in a guild, or overwrites the one of that type and name',
    request: 'CommandInput',
    answer: 'Command',
  },
  replaceGuildCommands: {
    id: 'bulk_set_guild_application_commands',
    summary: 'Makes these all commands of the guild there are',
    request: 'CommandList',
    answer: 'Commands',
  },
  getGuildCommand: { id: 'get_guild_application_command', summary: 'A command of a guild', answer: 'Command' },
  editGuildCommand: {
    id: 'update_guild_application_command',
    summary: 'Edits a command of a guild',
    request: 'CommandEdit',
    answer: 'Command',
  },
  deleteGuildCommand: { id: 'delete_guild_application_command', summary: 'Deletes a command of a guild' },

  listCommandPermissions: {
    id: 'list_guild_application_command_permissions',
    summary: 'The overwrites of all commands in a guild',
    answer: 'GuildCommandPermissionsList',
  },
  getCommandPermissions: {
    id: 'get_guild_application_command_permissions',
    summary: 'The overwrites of a command in a guild',
    answer: 'GuildCommandPermissions',
  },
  replaceCommandPermissions: {
    id: 'set_guild_application_command_permissions',
    summary: 'Replaces the overwrites of a command in a guild',
    request: 'OverwritesInput',
    answer: 'GuildCommandPermissions',
  },

  getApplicationCommandIndex: {
    id: 'get_application_application_command_index',
    summary: 'The commands that a user may use with an application’s bot',
    answer: 'CommandIndex',
  },
  getChannelCommandIndex: {
    id: 'get_channel_application_command_index',
    summary: 'The commands that a user may use in a channel',
    answer: 'CommandIndex',
  },
  getGuildCommandIndex: {
    id: 'get_guild_application_command_index',
    summary: 'The commands that a user may use in a guild',
    answer: 'CommandIndex',
  },
  getUserCommandIndex: {
    id: 'get_user_application_command_index',
    summary: 'The commands of the applications that a user installed',
    answer: 'CommandIndex',
  },

  createLobby: { id: 'create_lobby', summary: 'Creates a lobby', request: 'LobbyInput', answer: 'Lobby' },
  getLobby: { id: 'get_lobby', summary: 'A lobby with its members', answer: 'Lobby' },
  editLobby: { id: 'edit_lobby', summary: 'Edits a lobby', request: 'LobbyInput', answer: 'Lobby' },
  deleteLobby: { id: 'delete_lobby', summary: 'Deletes a lobby; safe to repeat' },
  putLobbyMember: {
    id: 'add_lobby_member',
    summary: 'Adds a member to a lobby, or updates it',
    request: 'LobbyMemberInput',
    answer: 'LobbyMember',
  },
  deleteLobbyMember: { id: 'delete_lobby_member', summary: 'Removes a member from a lobby; safe to repeat' },

  joinLobby: {
    id: 'create_or_join_lobby',
    summary: 'Joins the lobby of a secret, or creates it',
    request: 'LobbyJoinInput',
    answer: 'Lobby',
  },
  leaveLobby: { id: 'leave_lobby', summary: 'Leaves a lobby that was made with a secret; safe to repeat' },
  bulkUpdateLobbyMembers: {
    id: 'bulk_update_lobby_members',
    summary: 'Adds, updates and removes members of a lobby at once',
    request: 'LobbyMemberChanges',
    answer: 'LobbyMembers',
  },
  linkLobbyChannel: {
    id: 'edit_lobby_channel_link',
    summary: 'Links a channel to a lobby or, without one, unlinks it',
    request: 'LobbyLinkInput',
    answer: 'Lobby',
  },
  createLobbyMessage: {
    id: 'create_lobby_message',
    summary: 'Sends a message to a lobby',
    request: 'LobbyMessageInput',
    answer: 'LobbyMessage',
  },
  listLobbyMessages: {
    id: 'get_lobby_messages',
    summary: 'The last messages of a lobby, the newest first',
    query: {
      limit: {
        ...integer(1, limits.lobbyHistoryMessagesMax),
        default: limits.lobbyHistoryMessagesDefault,
        description: 'How many at most',
      },
    },
    answer: 'LobbyMessages',
  },
  setLobbyModerationMetadata: {
    id: 'update_lobby_message_external_moderation_metadata',
    summary: 'Replaces what is noted about a message',
    request: 'ModerationMetadata',
  },
  createOwnLobbyInvite: {
    id: 'create_linked_lobby_guild_invite_for_self',
    summary: 'Invites oneself to the guild of the linked channel',
    answer: 'LobbyInvite',
  },
  createLobbyInvite: {
    id: 'create_linked_lobby_guild_invite_for_user',
    summary: 'Invites a user to the guild of the linked channel',
    answer: 'LobbyInvite',
  },
  listOwnGuilds: {
    id: 'list_my_guilds',
    summary: 'The guilds that the user or bot is in, by id',
    query: {
      before: ref('Snowflake'),
      after: ref('Snowflake'),
      limit: { ...integer(1, 200), default: 200 },
      ...withCounts,
    },
    answer: 'OwnGuilds',
  },
  getOwnMember: { id: 'get_my_guild_member', summary: 'The user as a member of a guild', answer: 'GuildMember' },
  leaveGuild: { id: 'leave_guild', summary: 'Takes the bot out of a guild' },
  getGuild: { id: 'get_guild', summary: 'A guild that the bot is in', query: withCounts, answer: 'Guild' },
  listGuildChannels: {
    id: 'list_guild_channels',
    summary: 'The channels of a guild, in their order there',
    query: {
      with_can_link_lobby: {
        ...boolean,
        default: false,
        description: 'Whether to tell a user which ones it could link',
      },
    },
    answer: 'Channels',
  },

  listActiveThreads: { id: 'get_active_guild_threads', summary: 'The threads of a guild', answer: 'ThreadList' },
  listGuildRoles: { id: 'list_guild_roles', summary: 'The roles of a guild', answer: 'Roles' },
  getGuildRole: { id: 'get_guild_role', summary: 'A role of a guild', answer: 'Role' },
  listGuildMembers: {
    id: 'list_guild_members',
    summary: 'The members of a guild, by id',
    query: { after: ref('Snowflake'), ...memberLimit },
    answer: 'GuildMembers',
  },
  searchGuildMembers: {
    id: 'search_guild_members',
    summary: 'The members of a guild whose username or nickname begins so',
    query: { query: text(1), ...memberLimit },
    answer: 'GuildMembers',
  },
  getGuildMember: { id: 'get_guild_member', summary: 'A member of a guild', answer: 'GuildMember' },
  getChannel: {
    id: 'get_channel',
    summary: 'A channel or thread of a guild that the bot is in, or its direct messages with a user',
    answer: 'AnyChannel',
  },
  openDirectChannel: {
    id: 'create_dm',
    summary: 'The bot’s direct messages with a user',
    request: 'DirectChannelInput',
    answer: 'DirectChannel',
  },
  getUser: { id: 'get_user', summary: 'A user', answer: 'User' },

  invokeCommand: {
    id: 'create_interaction',
    summary: 'Uses a command or a component, or submits a modal',
    request: 'Invocation',
  },
  createInteractionResponse: {
    id: 'create_interaction_response',
    summary: 'Answers an interaction',
    query: { with_response: { ...boolean, default: false, description: 'Whether to be told what came of it' } },
    request: 'InteractionCallback',
    answer: 'CallbackResponse',
  },
  createFollowUp: {
    id: 'execute_webhook',
    summary: 'Sends another message for an interaction',
    query: { ...waited, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  getOriginalResponse: {
    id: 'get_original_webhook_message',
    summary: 'The message that an interaction was answered with',
    query: inThread,
    answer: 'Message',
  },
  editOriginalResponse: {
    id: 'update_original_webhook_message',
    summary: 'Edits the message that an interaction was answered with',
    query: { ...inThread, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  deleteOriginalResponse: {
    id: 'delete_original_webhook_message',
    summary: 'Deletes the message that an interaction was answered with',
    query: inThread,
  },
  getFollowUp: {
    id: 'get_webhook_message',
    summary: 'A message of an interaction',
    query: inThread,
    answer: 'Message',
  },
  editFollowUp: {
    id: 'update_webhook_message',
    summary: 'Edits a message of an interaction',
    query: { ...inThread, ...asComponents },
    request: 'MessageInput',
    answer: 'Message',
  },
  deleteFollowUp: {
    id: 'delete_webhook_message',
    summary: 'Deletes a message of an interaction',
    query: inThread,
  },
  getWebhook: { id: 'get_webhook', summary: `A webhook: ${noWebhook}` },
  editWebhook: { id: 'update_webhook', summary: `Edits a webhook: ${noWebhook}`, request: 'WebhookEdit' },
  deleteWebhook: { id: 'delete_webhook', summary: `Deletes a webhook: ${noWebhook}` },
  getWebhookByToken: { id: 'get_webhook_by_token', summary: `The webhook of a token: ${noWebhook}` },
  editWebhookByToken: {
    id: 'update_webhook_by_token',
    summary: `Edits the webhook of a token: ${noWebhook}`,
    request: 'WebhookEdit',
  },
  deleteWebhookByToken: { id: 'delete_webhook_by_token', summary: `Deletes the webhook of a token: ${noWebhook}` },
  executeGithubWebhook: {
    id: 'execute_github_compatible_webhook',
    summary: `Sends what GitHub tells a webhook: ${noWebhook}`,
    query: waited,
    request: 'ForeignMessage',
  },
  executeSlackWebhook: {
    id: 'execute_slack_compatible_webhook',
    summary: `Sends what Slack tells a webhook: ${noWebhook}`,
    query: waited,
    request: 'ForeignMessage',
  },

  getCurrentUser: { id: 'get_my_user', summary: 'The user that the credential stands for', answer: 'CurrentUser' },
  editCurrentUser: {
    id: 'update_my_user',
    summary: 'Changes the name of the bot; pictures are passed over',
    request: 'UserEdit',
    answer: 'CurrentUser',
  },
  listOwnEntitlements: {
    id: 'get_current_user_application_entitlements',
    summary: 'What the user has bought from the application: nothing',
    query: {
      sku_ids: { ...list(ref('Snowflake'), serviceLimits.skuIdsMax), description: 'Of these alone' },
      exclude_consumed: { ...boolean, default: false, description: 'Not what is used up' },
    },
    answer: 'Entitlements',
  },
  getRoleConnection: {
    id: 'get_application_user_role_connection',
    summary: 'What the application says of the user elsewhere',
    answer: 'RoleConnection',
  },
  replaceRoleConnection: {
    id: 'update_application_user_role_connection',
    summary: 'Replaces what the application says of the user elsewhere',
    request: 'RoleConnectionInput',
    answer: 'RoleConnection',
  },
  deleteRoleConnection: {
    id: 'delete_application_user_role_connection',
    summary: 'Takes back what the application says of the user elsewhere; safe to repeat',
  },
  getCurrentAuthorization: {
    id: 'get_my_oauth2_authorization',
    summary: 'What the access token stands for',
    answer: 'CurrentAuthorization',
  },
  listOwnConnections: {
    id: 'list_my_connections',
    summary: 'The accounts of other services that the user has connected: none',
    answer: 'Connections',
  },
  getOwnApplication: { id: 'get_my_application', summary: 'The application whose bot it is', answer: 'OwnApplication' },
  editOwnApplication: {
    id: 'update_my_application',
    summary: 'Changes the description of the application, or where its interactions go',
    request: 'ApplicationEdit',
    answer: 'OwnApplication',
  },
  getApplication: { id: 'get_application', summary: 'The application whose bot it is', answer: 'OwnApplication' },
  editApplication: {
    id: 'update_application',
    summary: 'Changes the description of the application, or where its interactions go',
    request: 'ApplicationEdit',
    answer: 'OwnApplication',
  },
  listRoleConnectionMetadata: {
    id: 'get_application_role_connections_metadata',
    summary: 'What guilds can ask of the role connections of the application’s users',
    answer: 'RoleConnectionMetadataList',
  },
  replaceRoleConnectionMetadata: {
    id: 'update_application_role_connections_metadata',
    summary: 'Replaces what guilds can ask of the role connections of the application’s users',
    request: 'RoleConnectionMetadataInput',
    answer: 'RoleConnectionMetadataList',
  },
  getCurrentApplication: {
    id: 'get_my_oauth2_application',
    summary: 'The application whose bot it is',
    answer: 'OwnApplication',
  },
  createToken: {
    id: 'create_token',
    summary: 'Exchanges a grant for tokens',
    request: 'TokenRequest',
    answer: 'TokenResponse',
    refusal: 'TokenRefusal',
    refuses: [423],
  },
  revokeToken: {
    id: 'revoke_token',
    summary: 'Ends a token and what was issued with it',
    request: 'RevocationRequest',
    answer: 'Nothing',
    refusal: 'OAuthError',
  },
  startDevice: {
    id: 'start_device_authorization',
    summary: 'Gives a device the codes that it is signed in by',
    request: 'DeviceStart',
    answer: 'DeviceAuthorization',
    refusal: 'OAuthError',
  },
  verifyDevice: {
    id: 'verify_device_authorization',
    summary: 'What the device with a code asks its user for',
    request: 'DeviceVerification',
    answer: 'DeviceRequest',
  },
  finishDevice: {
    id: 'finish_device_authorization',
    summary: 'Answers the device with a code',
    request: 'DeviceDecision',
  },
  createProvisionalToken: {
    id: 'partner_sdk_token',
    summary: 'A provisional account’s token, for a proof of who the player is elsewhere',
    request: 'ProvisionalTokenInput',
    answer: 'ProvisionalTokenResponse',
    refuses: [401, 403, 423],
  },
  createBotProvisionalToken: {
    id: 'bot_partner_sdk_token',
    summary: 'A provisional account’s token, by the word of the bot',
    request: 'BotProvisionalTokenInput',
    answer: 'ProvisionalTokenResponse',
    refuses: [423],
  },
  createChildToken: {
    id: 'partner_sdk_child_token',
    summary: 'Exchanges a token for one of an application that belongs to the publisher’s',
    request: 'ChildTokenInput',
    answer: 'TokenResponse',
    refuses: [401],
  },
  unmergeProvisionalAccount: {
    id: 'partner_sdk_unmerge_provisional_account',
    summary: 'Gives an identity a provisional account again',
    request: 'ProvisionalTokenInput',
    refuses: [401, 403, 423],
  },
  unmergeBotProvisionalAccount: {
    id: 'bot_partner_sdk_unmerge_provisional_account',
    summary: 'Gives an external user a provisional account again',
    request: 'BotUnmergeInput',
    refuses: [423],
  },
  editAccount: {
    id: 'update_my_account',
    summary: 'Changes what others see a provisional account as',
    request: 'AccountEdit',
    answer: 'CurrentUser',
  },
  getSigningKeys: { id: 'get_public_keys', summary: 'The keys of ID tokens', answer: 'SigningKeys' },
  getUserInfo: { id: 'get_openid_connect_userinfo', summary: 'OpenID’s claims about the user', answer: 'UserInfo' },
};
