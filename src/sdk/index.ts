/** The entry point `@rallypoint/sdk`: the client SDK for games. */
export type { IntegrationType } from '../model/command.ts';
export { commandTypes, integrationTypes, optionTypes } from '../model/command.ts';
export {
  type AnyRallypointError,
  ApiError,
  ArgumentError,
  GatewayError,
  isRallypointError,
  KeychainError,
  OAuthError,
  RallypointError,
  type RallypointErrorCode,
  RateLimitError,
  RedirectError,
  TransportError,
  ValidationError,
} from '../model/errors/errors.ts';
export type { Issue } from '../model/errors/issue.ts';
export { type ExternalAuth, type ExternalAuthType, externalAuthTypes } from '../model/external-auth.ts';
export type { Metadata } from '../model/lobby.ts';
export { lobbyFlags, lobbyMemberFlags } from '../model/lobby.ts';
export { messageFlags, messageTypes } from '../model/message.ts';
export type { MetadataSchemas, StandardIssue, StandardResult, StandardSchema } from '../model/metadata-schema.ts';
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
export type { AuthorizationArgsFields } from '../wire/oauth/authorization-fields.ts';
export type { AuthorizationCodeChallenge } from '../wire/oauth/pkce-form.ts';
export {
  AuthorizationArgs,
  getDefaultCommunicationScopes,
  getDefaultPresenceScopes,
} from './auth/authorization-args.ts';
export type { AuthorizationGrant, AuthorizeOptions, RedirectWay } from './auth/authorizer.ts';
export { type AuthorizationCodeVerifier, createAuthorizationCodeVerifier } from './auth/code-verifier.ts';
export type {
  DeviceAuthorizationArgs,
  DeviceOptions,
  DeviceProgress,
  DeviceState,
} from './auth/device-flow.ts';
export { type AccessToken, expirationNoticeMs, type TokenExpiration } from './auth/held-token.ts';
export type { OpenBrowser } from './auth/open-browser.ts';
export { type RedirectPage, type RedirectPageContent, redirectPageBytesMax } from './auth/redirect-page.ts';
export type { RefreshOptions, TokenRequest } from './auth/token-client.ts';
export type { RenewToken } from './auth/token-renewal.ts';
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
  CredentialsClient,
  CredentialsOptions,
  CredentialsSnapshot,
  SignInOptions,
  SignOutOptions,
} from './credentials/credentials.ts';
export { openCredentials } from './credentials/open-credentials.ts';
export type { ProcessLockKind } from './credentials/process-lock.ts';
export type { EndReason } from './credentials/refresh.ts';
export type { KeptTokens } from './credentials/stored-credential.ts';
export type { GuildChannel, GuildMinimal } from './guilds.ts';
export {
  type Keychain,
  type KeychainBackend,
  type KeychainLocation,
  type KeychainOptions,
  type KeychainTier,
  keychainBackends,
  keychainDeadlineMsDefault,
  keychainTiers,
  type OpenedKeychain,
  type SafeStorage,
} from './keychain/keychain.ts';
export { keychainLimits } from './keychain/names.ts';
export { openKeychain } from './keychain/open-keychain.ts';
export {
  type ClientEvent,
  type ClientEventDetails,
  type ClientEventTarget,
  type EventSource,
  toEventTarget,
} from './live/event-target.ts';
export { messagesKeptMax } from './lobby/live-messages.ts';
export type { LobbyCollection } from './lobby/lobby-collection.ts';
export type { LobbyHandle, MetadataChange } from './lobby/lobby-handle.ts';
export type { ClientNewsEvent, LobbyNewsEvent } from './lobby/lobby-news.ts';
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
export type { RedirectReceiver, RedirectTarget } from './redirect/listen.ts';
export { listenForRedirects, type RedirectListenerOptions, type SchemeReceiver } from './redirect/listen.ts';
export { registerScheme, unregisterScheme } from './redirect/registration/register.ts';
export type { RegisteredScheme, RegisterOptions, UnregisterOptions } from './redirect/registration/registrar.ts';
export type { Conversation, DirectSendOptions } from './social/conversation.ts';
export type { DirectMessages, MessageSummary } from './social/direct-messages.ts';
export type { FriendOptions, FriendRequestOptions, Friends } from './social/friends.ts';
export { type InviteOptions, type Invites, inviteLifeMs } from './social/invites.ts';
export type { PlayerPresence } from './social/presence.ts';
export type {
  ActivitySnapshot,
  ApplicationProfileSnapshot,
  ConversationSnapshot,
  DirectMessageEntry,
  DirectMessageSnapshot,
  FriendGroup,
  FriendRequestsSnapshot,
  FriendsSnapshot,
  InviteSnapshot,
  LaunchSnapshot,
  OnlineStatus,
  OutgoingDirectMessageSnapshot,
  OwnPresenceSnapshot,
  OwnSessionSnapshot,
  PresenceSnapshot,
  RelationshipKind,
  RelationshipSnapshot,
  RichPresence,
  SocialEvent,
  SocialUnavailable,
  SocialUserSnapshot,
  UserStatus,
} from './social/snapshot.ts';
export type { PictureType, Users } from './social/users.ts';
export type { CallSnapshot, CallStatus, VoiceServerSnapshot, VoiceSettings } from './voice/snapshot.ts';
export type { VoiceCall } from './voice/voice-call.ts';
export type { CallJoinOptions } from './voice/voice-calls.ts';
