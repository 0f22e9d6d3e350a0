/** The door `@rallypoint/sdk`: the client SDK for games. */
export type { IntegrationType } from '../model/command.ts';
export { integrationTypes } from '../model/command.ts';
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
export type { ApplicationId, LobbyId, Snowflake, UserId } from '../model/snowflake.ts';
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
export { type CallOptions, Client, type ClientOptions } from './client.ts';
export type { ConnectionSnapshot, ConnectionStatus } from './connection-snapshot.ts';
export { type Keychain, type KeychainTier, keychainTiers } from './keychain/keychain.ts';
export { type KeychainOptions, openKeychain } from './keychain/open-keychain.ts';
export type { LobbyMemberSnapshot, LobbySnapshot, LobbyState } from './lobby/snapshot.ts';
