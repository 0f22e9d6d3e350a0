/** The door `@rallypoint/sdk`: the client SDK for games. */
export type { IntegrationType } from '../model/command.ts';
export { commandTypes, integrationTypes, optionTypes } from '../model/command.ts';
export {
  ApiError,
  ArgumentError,
  GatewayError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
  TransportError,
  ValidationError,
} from '../model/errors.ts';
export type { Issue } from '../model/issue.ts';
export type { Metadata } from '../model/lobby.ts';
export { lobbyFlags, lobbyMemberFlags } from '../model/lobby.ts';
export { messageFlags, messageTypes } from '../model/message.ts';
export type {
  ApplicationId,
  ChannelId,
  GuildId,
  LobbyId,
  MessageId,
  Snowflake,
  UserId,
} from '../model/snowflake.ts';
export { deadlineMsDefault } from '../wire/http.ts';
export type { Cancel, Clock, Entropy, Fetch, Logger, Socket, SocketEvents, SocketFactory } from '../wire/ports.ts';
export { AuthorizationArgs } from './auth/authorization-args.ts';
export type { AuthorizationArgsFields } from './auth/authorization-fields.ts';
export type { AuthorizationGrant, AuthorizeOptions, RedirectWay } from './auth/authorizer.ts';
export {
  type AuthorizationCodeChallenge,
  type AuthorizationCodeVerifier,
  createAuthorizationCodeVerifier,
} from './auth/code-verifier.ts';
export type { OpenBrowser } from './auth/open-browser.ts';
export { getDefaultCommunicationScopes, getDefaultPresenceScopes } from './auth/scopes.ts';
export type { TokenRequest, TokenSet } from './auth/token-client.ts';
export type { CallOptions, OperationOptions, WaitReason, WaitSnapshot, WhenOffline } from './call-options.ts';
export { Client } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export { commandsRefreshMs } from './command/live-commands.ts';
export type {
  CommandChoiceSnapshot,
  CommandOptionSnapshot,
  CommandPlace,
  CommandSnapshot,
  CommandsSnapshot,
} from './command/snapshot.ts';
export type { ConnectionSnapshot, ConnectionStatus } from './connection-snapshot.ts';
export type { GuildChannel, GuildMinimal } from './guilds.ts';
export {
  type Keychain,
  type KeychainBackend,
  type KeychainHolder,
  type KeychainTier,
  keychainBackends,
  keychainTiers,
  type PlacedKeychain,
} from './keychain/keychain.ts';
export { type KeychainOptions, keychainDeadlineMsDefault } from './keychain/keychain-options.ts';
export { keychainLimits } from './keychain/names.ts';
export { openKeychain } from './keychain/open-keychain.ts';
export type { SafeStorage } from './keychain/safe-storage.ts';
export { messagesKeptMax } from './lobby/live-messages.ts';
export type { HistoryOptions, JoinOptions, LobbyInvite, SendOptions } from './lobby/operations.ts';
export type {
  LinkedChannelSnapshot,
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  UserSnapshot,
} from './lobby/snapshot.ts';
