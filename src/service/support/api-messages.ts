import type { ApiErrorName } from '../../model/errors/errors.ts';

/**
 * The message of each error in {@link apiErrors}. Clients compare codes and show messages.
 *
 * @see docs/spec/errors.md#error-codes
 */
export const apiMessages: Readonly<Record<ApiErrorName, string>> = {
  bad_request: '400: Bad Request',
  unauthorized: '401: Unauthorized',
  not_found: '404: Not Found',
  method_not_allowed: '405: Method Not Allowed',
  request_timeout: '408: Request Timeout',
  rate_limited: 'You are being rate limited.',
  account_locked: '423: Locked',
  foreign_origin: '403: Forbidden',
  misdirected_request: '421: Misdirected Request',
  headers_too_large: '431: Request Header Fields Too Large',
  unavailable: '503: Service Unavailable',
  internal_error: '500: Internal Server Error',
  unknown_application: 'Unknown Application',
  unknown_channel: 'Unknown Channel',
  unknown_guild: 'Unknown Guild',
  unknown_member: 'Unknown Member',
  unknown_message: 'Unknown Message',
  unknown_role: 'Unknown Role',
  unknown_user: 'Unknown User',
  unknown_webhook: 'Unknown Webhook',
  unknown_lobby: 'Unknown Lobby',
  unknown_interaction: 'Unknown interaction',
  unknown_command: 'Unknown application command',
  unknown_command_permissions: 'Unknown application command permissions',
  bots_not_allowed: 'Bots cannot use this endpoint',
  only_bots_allowed: 'Only bots can use this endpoint',
  not_your_application: 'You are not authorized to perform this action on this application',
  too_many_friends: 'Maximum number of friends reached (1000)',
  too_many_commands: 'Maximum number of application commands reached',
  too_many_command_creates: 'Max number of daily application command creates has been reached (200)',
  too_many_blocks: 'Maximum number of blocked users reached (5000)',
  request_too_large: 'Request entity too large',
  command_name_taken: 'An application command with that name already exists',
  already_acknowledged: 'Interaction has already been acknowledged.',
  already_in_guild: 'The user is already in the guild',
  not_a_lobby_member: 'Only members of the lobby can do this',
  blocked: 'internal network error',
  too_many_follow_ups: 'Maximum number of follow-up messages reached (5)',
  missing_access: 'Missing Access',
  empty_message: 'Cannot send an empty message',
  missing_permissions: 'Missing Permissions',
  invalid_access_token: 'Invalid OAuth2 access token',
  missing_scope: 'Missing required OAuth2 scope',
  invalid_webhook_token: 'Invalid Webhook Token',
  invalid_form_body: 'Invalid Form Body',
  invalid_api_version: 'Invalid API version provided',
  invalid_json: 'The request body contains invalid JSON.',
  invalid_user_type: 'Invalid user type',
  channel_not_linkable: 'This channel cannot be linked to a lobby',
  channel_already_linked: 'This channel is already linked to another lobby',
  entry_point_missing:
    "You cannot remove this app's Entry Point command in a bulk update operation. " +
    'Please include the Entry Point command in your update request or delete it separately.',
  lobby_link_refused: 'Only members with the flag CanLinkLobby can do this',
  lobby_not_linked: 'The lobby is not linked to a channel',
  friend_requests_disabled: 'The user does not accept friend requests',
  friend_request_blocked: 'Friend request blocked',
  bots_have_no_friends: 'Bots cannot have friends',
  friend_request_to_self: 'Cannot send a friend request to self',
  unknown_username: 'No users with that username exist',
  no_friend_request: 'There is no incoming friend request from the user',
  not_friends: 'You need to be friends with the user to do this',
  already_friends: 'You are already friends with the user',
  no_common_application: 'The user has not authorized this application',
  application_not_authorized: 'The user is no longer authorized with this application',
  overloaded: 'API resource is currently overloaded. Try again a little later',
  // Unspecified, from here on: the messages of the hosted service are not known.
  provisional_accounts_disabled: 'The application may not use provisional accounts',
  identity_token_expired: 'The ID token has expired',
  identity_token_wrong_issuer: 'The ID token has the wrong issuer',
  identity_token_wrong_audience: 'The ID token has the wrong audience',
  identity_token_too_old: 'The ID token was issued too long ago',
  no_unique_username: 'No unique username was found in time; try again',
  wrong_client_secret: 'Wrong client secret',
  identity_provider_not_found: 'The OIDC configuration was not found',
  identity_keys_not_found: 'The JWKS was not found',
  account_not_provisional: 'The account is not provisional; authorize by OAuth2',
  invalid_identity_keys: 'The JWKS is invalid',
  invalid_merge_source: 'There is no such provisional account to be merged',
  invalid_merge_destination: 'Nothing can be merged into this account',
  merge_source_banned: 'The provisional account is banned',
  invalid_identity_token: 'The JWT is invalid',
  too_many_identities: 'The account has too many identities',
  identity_token_without_key_id: 'The JWT names no key (kid)',
};

/**
 * Codes and messages of faults that no rule finds, because they depend on the service's state.
 *
 * @see docs/spec/errors.md#field-error-codes
 */
export const serviceFieldErrors = {
  CONTENT_TYPE_INVALID: (expected: string) => `Expected "Content-Type" header to be one of {'${expected}'}.`,
  COMPONENT_VALIDATION_FAILED: () => 'Component validation failed',
  APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID: () => 'The specified interactions endpoint URL could not be verified.',
  // Unspecified: the hosted service's messages for these faults are not known.
  LOBBIES_PER_USER_MAX: (max: number) => `The user is already in ${max} lobbies of this application`,
  ID_UNKNOWN: (what: string) => `There is no such ${what} here`,
  URL_ADDRESS_PRIVATE: () => 'Must not lead to a private address.',
  // The two that a client gets for a command it should reload.
  INTERACTION_APPLICATION_COMMAND_INVALID: () => 'Invalid interaction application command',
  INTERACTION_APPLICATION_COMMAND_INVALID_VERSION: () => 'This command is outdated, please try again in a few minutes',
} as const;
