import type { LobbyId } from '../../model/snowflake.ts';
import type { LobbyVoiceStates } from '../lobby/snapshot.ts';

/**
 * The state of this client in a lobby's call.
 *
 * - `disconnected`: it is not in the call
 * - `joining`: it asked to join
 * - `signaling_connected`: it is in the call, and all members see it; sound is between the game and its voice server
 * - `reconnecting`: it was in the call, and joins again as soon as the service can be reached
 * - `disconnecting`: it asked to leave, and the service has not confirmed it yet
 *
 * @see docs/spec/client.md#calls-of-a-player
 */
export type CallStatus = 'disconnected' | 'joining' | 'signaling_connected' | 'reconnecting' | 'disconnecting';

/** A lobby's call, as this client sees it. Frozen all the way down. */
export interface CallSnapshot {
  readonly lobbyId: LobbyId;
  readonly status: CallStatus;
  /** The settings that the player requested; undefined while the client is not to be in the call. */
  readonly own: VoiceSettings | undefined;
  /** The voice server; undefined until the service has sent it. */
  readonly server: VoiceServerSnapshot | undefined;
  /** All participants, the player included, on any device. */
  readonly participants: LobbyVoiceStates;
}

/** A player's settings in a call. */
export interface VoiceSettings {
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/** A voice server, as {@link CallSnapshot.server} names it. */
export interface VoiceServerSnapshot {
  /** Host, with a port if it has one; null while there is no voice server. */
  readonly endpoint: string | null;
  /** The player's credential for it. */
  readonly token: string;
}
