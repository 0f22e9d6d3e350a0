/** The entry point `@rallypoint/sdk/electron/renderer`, for the pages of a game's windows. It needs nothing of Node.js. */
export {
  ApiError,
  ArgumentError,
  GatewayError,
  isRallypointError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
  RedirectError,
  TransportError,
  ValidationError,
} from '../../model/errors/errors.ts';
export { lobbyFlags, lobbyMemberFlags } from '../../model/lobby.ts';
export { messageFlags, messageTypes } from '../../model/message.ts';
export {
  type ClientEvent,
  type ClientEventDetails,
  type ClientEventTarget,
  type EventSource,
  toEventTarget,
} from '../live/event-target.ts';
export type { GameParts } from './shared-parts.ts';
export type { SignInSnapshot, WindowSignInOptions } from './shared-sign-in.ts';
export {
  type EventsMissed,
  openClient,
  type WindowCalls,
  WindowClient,
  type WindowClientOptions,
} from './window-client.ts';
export {
  WindowCall,
  type WindowCallSnapshot,
  WindowLobbies,
  WindowLobby,
  type WindowOptions,
} from './window-lobbies.ts';
export {
  WindowConversation,
  WindowFriends,
  WindowInvites,
  WindowMessages,
  WindowPresence,
  WindowUsers,
} from './window-social.ts';
