import type { Channel } from './guild.ts';
import type { ApplicationId, ChannelId, LobbyId, UserId } from './snowflake.ts';
import type { User } from './user.ts';

/** Text → text, up to `limits.lobbyMetadataEntriesMax` entries; all keys and values together have at most `limits.lobbyMetadataLengthMax` characters. */
export type Metadata = Readonly<Record<string, string>>;

/** @see docs/spec/lobbies.md#lobby */
export const lobbyMemberFlags = { CanLinkLobby: 1 << 0 } as const;

/** @see docs/spec/lobbies.md#lobby-flags */
export const lobbyFlags = { REQUIRE_APPLICATION_AUTHORIZATION: 1 << 0 } as const;

/** @see docs/spec/lobbies.md#member */
export interface LobbyMember {
  id: UserId;
  metadata: Metadata | null;
  flags: number;
  additional_name?: string | undefined;
}

/** @see docs/spec/lobbies.md#lobby */
export interface Lobby {
  id: LobbyId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  members: readonly LobbyMember[];
  flags: number;
  /** The guild channel whose conversation is the lobby's; absent while there is none. */
  linked_channel?: Channel | undefined;
  override_event_webhooks_url?: string | null | undefined;
}

/** What adds or updates a member. @see docs/spec/lobbies.md#put-a-member */
export interface LobbyMemberInput {
  metadata?: Metadata | null | undefined;
  flags?: number | null | undefined;
  additional_name?: string | null | undefined;
}

/** One entry of a lobby's `members` in a request. */
export interface LobbyMemberEntry {
  id: UserId;
  metadata?: Metadata | null | undefined;
  flags?: number | null | undefined;
}

/** One entry of a bulk update: adds, updates or removes a member. @see docs/spec/lobbies.md#bulk-update */
export interface LobbyMemberChange extends LobbyMemberInput {
  id: UserId;
  /** Default: false. */
  remove_member?: boolean | null | undefined;
}

/** What creates a lobby by a secret, or joins the one that has it. @see docs/spec/lobbies.md#create-or-join */
export interface LobbyJoinInput {
  /** 1 to 250 characters; names the lobby within the application. */
  secret: string;
  /** 5–604800 seconds. */
  idle_timeout_seconds?: number | null | undefined;
  /** Replaces the lobby's metadata. */
  lobby_metadata?: Metadata | null | undefined;
  /** Replaces the caller's member metadata. */
  member_metadata?: Metadata | null | undefined;
  flags?: number | null | undefined;
}

/** Links a channel or, without one, unlinks the one that is linked. @see docs/spec/lobbies.md#link-a-channel */
export interface LobbyLinkInput {
  channel_id?: ChannelId | null | undefined;
}

/** An invite to the guild of a lobby's linked channel, for one user, once. @see docs/spec/lobbies.md#invites */
export interface LobbyInvite {
  code: string;
}

/** What creates or edits a lobby; on edit an absent field stays, a given one replaces. @see docs/spec/lobbies.md#create; docs/spec/lobbies.md#edit */
export interface LobbyInput {
  metadata?: Metadata | null | undefined;
  /** At most 25. On edit this becomes the whole list. */
  members?: readonly LobbyMemberEntry[] | null | undefined;
  /** 5–604800 seconds. */
  idle_timeout_seconds?: number | null | undefined;
  flags?: number | null | undefined;
  override_event_webhooks_url?: string | null | undefined;
}

/** A member as the gateway shows it: `id` over HTTP, `user_id` here. @see docs/spec/lobbies.md#shapes-over-the-gateway */
export interface GatewayLobbyMember {
  user_id: UserId;
  /** Absent for an account that is no more. */
  user?: User | undefined;
  metadata: Metadata | null;
  flags: number;
  additional_name?: string | undefined;
  /** Whether the user has a live session attached to the lobby. */
  connected: boolean;
}

/** A lobby as the gateway shows it. @see docs/spec/lobbies.md#shapes-over-the-gateway */
export interface GatewayLobby extends Omit<Lobby, 'members'> {
  members: readonly GatewayLobbyMember[];
  /** Of the members who are in the lobby's call. */
  voice_states: readonly LobbyVoiceState[];
  region: string;
}

/** A member's part in a lobby's call: a voice state as guilds have them, of a lobby. @see docs/spec/lobbies.md#events */
export interface LobbyVoiceState {
  lobby_id: LobbyId;
  /** The lobby's own id; null: the member has left the call. */
  channel_id: LobbyId | null;
  user_id: UserId;
  /** The gateway session by which the user is, or was, in the call. */
  session_id: string;
  deaf: boolean;
  mute: boolean;
  self_deaf: boolean;
  self_mute: boolean;
  self_video: boolean;
  suppress: boolean;
  request_to_speak_timestamp: null;
}

/** One entry of op 17, whose list is all of the calls that a session is in. @see docs/spec/gateway.md#calls */
export interface LobbyVoiceStateInput {
  lobby_id: LobbyId;
  self_mute: boolean;
  self_deaf: boolean;
  self_video?: boolean | null | undefined;
  preferred_region?: string | null | undefined;
  /** The best first. */
  preferred_regions?: readonly string[] | null | undefined;
}

/** The address of a call's voice server, and the token for it. @see docs/spec/lobbies.md#events */
export interface LobbyVoiceServer {
  token: string;
  lobby_id: LobbyId;
  /** Host, and port where it is not the usual one; null: there is none now, and another message follows when there is. */
  endpoint: string | null;
}
