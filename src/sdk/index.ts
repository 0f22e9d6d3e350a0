/** The entry point `@rallypoint/sdk`: the client SDK for games. */
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
  RedirectError,
  TransportError,
  ValidationError,
} from '../model/errors/errors.ts';
export type { Issue } from '../model/errors/issue.ts';
export { type ExternalAuthType, externalAuthTypes } from '../model/external-auth.ts';
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
export { discordBaseUrl } from '../wire/addresses.ts';
export type {
  Cancel,
  Clock,
  Entropy,
  Fetch,
  Logger,
  Socket,
  SocketEvents,
  SocketFactory,
} from '../wire/clock/ports.ts';
export { deadlineMsDefault } from '../wire/http/http.ts';
export { AuthorizationArgs } from './auth/authorization-args.ts';
export type { AuthorizationArgsFields } from './auth/authorization-fields.ts';
export type { AuthorizationGrant, AuthorizeOptions, RedirectWay } from './auth/authorizer.ts';
export {
  type AuthorizationCodeChallenge,
  type AuthorizationCodeVerifier,
  createAuthorizationCodeVerifier,
} from './auth/code-verifier.ts';
export type {
  DeviceAuthorizationArgs,
  DeviceOptions,
  DeviceProgress,
  DeviceState,
} from './auth/device-flow.ts';
export type { ExternalAuth } from './auth/external-auth.ts';
export { type AccessToken, expirationNoticeMs, type TokenExpiration } from './auth/held-token.ts';
export type { OpenBrowser } from './auth/open-browser.ts';
export { getDefaultCommunicationScopes, getDefaultPresenceScopes } from './auth/scopes.ts';
export type { RefreshOptions, TokenRequest } from './auth/token-client.ts';
export type { TokenSet } from './auth/token-set.ts';
export type { OperationOptions, RequestOptions, WaitReason, WaitSnapshot, WhenOffline } from './call-options.ts';
export { Client, type ClientSignInOptions, type FetchUserOptions } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export { commandsRefreshMs } from './command/live-commands.ts';
export type {
  CommandChoiceSnapshot,
  CommandOptionSnapshot,
  CommandPlace,
  CommandSnapshot,
  CommandsSnapshot,
} from './command/snapshot.ts';
export type { ConnectionSnapshot, ConnectionStatus } from './connection/connection-snapshot.ts';
export type {
  AccessTokenOptions,
  Credentials,
  CredentialsSnapshot,
  SignInOptions,
  SignOutOptions,
} from './credentials/credentials.ts';
export type { CredentialsOptions } from './credentials/credentials-options.ts';
export type { CredentialsClient } from './credentials/keeper.ts';
export { openCredentials } from './credentials/open-credentials.ts';
export type { ProcessLockKind } from './credentials/process-lock.ts';
export type { EndReason } from './credentials/renewal.ts';
export type { KeptTokens } from './credentials/stored-credential.ts';
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
export type { LobbyCollection } from './lobby/lobby-collection.ts';
export type { LobbyHandle, MetadataChange } from './lobby/lobby-handle.ts';
export type { LobbyNewsEvent } from './lobby/lobby-news.ts';
export type { MetadataSchemas, StandardIssue, StandardResult, StandardSchema } from './lobby/metadata-schema.ts';
export type { JoinOptions, LobbyInviteSnapshot, SendOptions } from './lobby/operations.ts';
export type {
  LinkedChannelSnapshot,
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageEntry,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  LobbyVoiceStates,
  OutgoingMessageSnapshot,
  UserSnapshot,
  VoiceStateSnapshot,
} from './lobby/snapshot.ts';
export { type DoctorOptions, doctor } from './redirect/doctor/doctor.ts';
export { type Finding, type FindingCode, findingCodes } from './redirect/doctor/finding.ts';
export { listenForRedirects, type RedirectListenerOptions, type SchemeReceiver } from './redirect/listen.ts';
export type { RedirectReceiver, RedirectTarget } from './redirect/receiver.ts';
export { registerScheme, unregisterScheme } from './redirect/registration/register.ts';
export type { RegisteredScheme, RegisterOptions, UnregisterOptions } from './redirect/registration/registration.ts';
export type { CallSnapshot, CallStatus, VoiceServerSnapshot, VoiceSettings } from './voice/snapshot.ts';
export type { VoiceCall } from './voice/voice-call.ts';
export type { CallJoinOptions } from './voice/voice-calls.ts';
