import type { LobbyId } from '../../model/snowflake.ts';
import type { LobbyVoiceStates } from '../lobby/snapshot.ts';

/**
 * Where this client stands with a lobby's call.
 *
 * - `disconnected`: it is not in it
 * - `joining`: it asked to be let in
 * - `signaling_connected`: it is in it, for all to see. What is heard is between the game and its voice server
 * - `reconnecting`: it was in it, and will be again as soon as the service can be reached
 * - `disconnecting`: it left, which the service has not confirmed yet
 *
 * @see docs/spec/client.md#calls-of-a-player
 */
export type CallStatus = 'disconnected' | 'joining' | 'signaling_connected' | 'reconnecting' | 'disconnecting';

/** A lobby's call, as this client sees it. Frozen all the way down. */
export interface CallSnapshot {
  readonly lobbyId: LobbyId;
  readonly status: CallStatus;
  /** How the player wants to be in it; undefined while the client neither is in it nor is to be. */
  readonly own: VoiceSettings | undefined;
  /** Where it is heard; undefined until the service has said so. */
  readonly server: VoiceServerSnapshot | undefined;
  /** Who is in it, by whatever device, the player included. */
  readonly participants: LobbyVoiceStates;
}

/** How a player is in a call. */
export interface VoiceSettings {
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/** A voice server, as {@link CallSnapshot.server} names it. */
export interface VoiceServerSnapshot {
  /** Host, and port if need be; null: there is none now, or none at all. */
  readonly endpoint: string | null;
  /** What lets the player in there. */
  readonly token: string;
}
