import type { RallypointError } from '../../model/errors/errors.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, MessageId, UserId } from '../../model/snowflake.ts';

/**
 * The state of lobbies. Snapshots are deeply frozen and structurally shared: what an event did not change is the same
 * object in the next snapshot, so that `===` finds changes.
 */

/** Every lobby that the player is in, by id, which is the order of their creation. */
export type LobbyState = readonly LobbySnapshot[];

/** @see docs/spec/lobbies.md#lobby; docs/spec/client.md#snapshots */
export interface LobbySnapshot {
  readonly id: LobbyId;
  readonly applicationId: ApplicationId;
  /** Empty when the lobby has none. */
  readonly metadata: Metadata;
  /**
   * Up to 1000 members, by id. Unspecified: clients may learn of members in different orders; the order of their ids is
   * the same for all.
   */
  readonly members: LobbyMembers;
  /** Bits of {@link lobbyFlags}. */
  readonly flags: number;
  /** The guild's channel whose conversation the lobby shares, if there is one. */
  readonly linkedChannel: LinkedChannelSnapshot | undefined;
  /** The participants of the lobby's call. */
  readonly voiceStates: LobbyVoiceStates;
}

export type LobbyMembers = readonly LobbyMemberSnapshot[];

/** Those members who are in a lobby's call, by id. */
export type LobbyVoiceStates = readonly VoiceStateSnapshot[];

/** A member's part in a lobby's call. @see docs/spec/lobbies.md#events */
export interface VoiceStateSnapshot {
  /** The user's id. */
  readonly id: UserId;
  /** The gateway session that is in the call: it tells the user's devices apart. */
  readonly sessionId: string;
  /** The user muted their microphone. */
  readonly selfMute: boolean;
  /** The user turned off all sound. */
  readonly selfDeaf: boolean;
  readonly selfVideo: boolean;
  /** Muted by a moderator; Rallypoint's service has none. */
  readonly mute: boolean;
  readonly deaf: boolean;
}

/** @see docs/spec/client.md#snapshots */
export interface LinkedChannelSnapshot {
  readonly id: ChannelId;
  readonly name: string;
  readonly guildId: GuildId | undefined;
}

/** @see docs/spec/lobbies.md#member; docs/spec/client.md#snapshots */
export interface LobbyMemberSnapshot {
  /** The user's id. */
  readonly id: UserId;
  /** Empty when the member has none. */
  readonly metadata: Metadata;
  /** Bits of {@link lobbyMemberFlags}. */
  readonly flags: number;
  readonly canLinkLobby: boolean;
  /** Whether the user has a live session; a member may well be offline. */
  readonly connected: boolean;
  /** A second name to show, 1–80 characters. */
  readonly additionalName: string | undefined;
  /** What to call the member: the user's name, else the additional name, else the id. */
  readonly displayName: string;
  /** The user; undefined when the service has not sent it. */
  readonly user: UserSnapshot | undefined;
}

/** @see docs/spec/client.md#snapshots */
export interface UserSnapshot {
  readonly id: UserId;
  readonly username: string;
  readonly globalName: string | undefined;
  /** The global name, or the username without one. */
  readonly displayName: string;
}

/** The newest messages of a lobby, oldest first. */
export type LobbyMessages = readonly LobbyMessageSnapshot[];

/** @see docs/spec/lobbies.md#message; docs/spec/client.md#snapshots */
export interface LobbyMessageSnapshot {
  readonly id: MessageId;
  /**
   * Tells entries of one list apart, for a list in a user interface: it stays when a message that this client sends gets its
   * {@link id}, and is the id otherwise.
   */
  readonly key: string;
  readonly lobbyId: LobbyId;
  /** The lobby's own id or, where a channel is linked, possibly that channel's. */
  readonly channelId: ChannelId;
  /** Undefined when the service did not send it. */
  readonly author: UserSnapshot | undefined;
  readonly content: string;
  /** Of {@link messageTypes}: 0 for ordinary text. */
  readonly type: number;
  /** Bits of {@link messageFlags}. */
  readonly flags: number;
  /** What the sender's game sent with the text. Empty if there was none, and in history, which does not store it. */
  readonly metadata: Metadata;
  /** Set by the application's moderation; empty if there is none. */
  readonly moderationMetadata: Metadata;
  /** The author's additional name at the time of sending. */
  readonly additionalName: string | undefined;
  /** The application it was sent with; undefined for one written in the linked channel. */
  readonly applicationId: ApplicationId | undefined;
  /** Milliseconds since the Unix epoch; also the order of messages. */
  readonly sentAtMs: number;
  /** Undefined when it was never edited. */
  readonly editedAtMs: number | undefined;
  /** The service has the message; see {@link OutgoingMessageSnapshot} for those that it does not have yet. */
  readonly status: 'sent';
}

/** A message that this client is sending, or failed to send. Frozen. */
export interface OutgoingMessageSnapshot extends Omit<LobbyMessageSnapshot, 'id' | 'status'> {
  /** Given by this client, not a snowflake: for {@link LobbyHandle.resend} and {@link LobbyHandle.discard}. */
  readonly id: string;
  readonly status: 'pending' | 'failed';
  /** Why it failed; undefined while it is pending. */
  readonly error: RallypointError | undefined;
}

/** What a chat view shows. Compare `status`: `sent`, `pending` or `failed`. */
export type LobbyMessageEntry = LobbyMessageSnapshot | OutgoingMessageSnapshot;
