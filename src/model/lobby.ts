import type { Channel } from './guild.ts';
import type { ApplicationId, ChannelId, LobbyId, UserId } from './snowflake.ts';
import type { User } from './user.ts';

/** Text → text; the lengths of all keys and values together are at most `limits.lobbyMetadataLengthMax`. */
export type Metadata = Readonly<Record<string, string>>;

/** @see interface.md, "Lobby and lobby member" */
export const lobbyMemberFlags = { CanLinkLobby: 1 << 0 } as const;

/** @see lobbies.md 1.2 */
export const lobbyFlags = { REQUIRE_APPLICATION_AUTHORIZATION: 1 << 0 } as const;

/** @see lobbies.md 1.3 */
export interface LobbyMember {
  id: UserId;
  metadata: Metadata | null;
  flags: number;
  additional_name?: string;
}

/** @see lobbies.md 1.1 */
export interface Lobby {
  id: LobbyId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  members: readonly LobbyMember[];
  flags: number;
  /** The guild channel whose conversation is the lobby's; absent while there is none. */
  linked_channel?: Channel;
  override_event_webhooks_url?: string | null;
}

/** What adds or updates a member. @see lobbies.md 2.6 */
export interface LobbyMemberInput {
  metadata?: Metadata | null;
  flags?: number | null;
  additional_name?: string | null;
}

/** One entry of a lobby's `members` in a request. */
export interface LobbyMemberEntry {
  id: UserId;
  metadata?: Metadata | null;
  flags?: number | null;
}

/** One entry of a bulk update: adds, updates or removes a member. @see lobbies.md 2.7 */
export interface LobbyMemberChange extends LobbyMemberInput {
  id: UserId;
  /** Default: false. */
  remove_member?: boolean | null;
}

/** What creates a lobby by a secret, or joins the one that has it. @see lobbies.md 2.2 */
export interface LobbyJoinInput {
  /** 1 to 250 characters; names the lobby within the application. */
  secret: string;
  /** 5–604800 seconds. */
  idle_timeout_seconds?: number | null;
  /** Replaces the lobby's metadata. */
  lobby_metadata?: Metadata | null;
  /** Replaces the caller's member metadata. */
  member_metadata?: Metadata | null;
  flags?: number | null;
}

/** Links a channel or, without one, unlinks the one that is linked. @see lobbies.md 2.10 */
export interface LobbyLinkInput {
  channel_id?: ChannelId | null;
}

/** An invite to the guild of a lobby's linked channel, for one user, once. @see lobbies.md 2.13 */
export interface LobbyInvite {
  code: string;
}

/** What creates or edits a lobby; on edit an absent field stays, a given one replaces. @see lobbies.md 2.1, 2.4 */
export interface LobbyInput {
  metadata?: Metadata | null;
  /** At most 25. On edit this becomes the whole list. */
  members?: readonly LobbyMemberEntry[] | null;
  /** 5–604800 seconds. */
  idle_timeout_seconds?: number | null;
  flags?: number | null;
  override_event_webhooks_url?: string | null;
}

/** A member as the gateway shows it: `id` over HTTP, `user_id` here. @see lobbies.md 6.3 */
export interface GatewayLobbyMember {
  user_id: UserId;
  /** Absent for an account that is no more. */
  user?: User;
  metadata: Metadata | null;
  flags: number;
  additional_name?: string;
  /** Whether the user has a live session attached to the lobby. */
  connected: boolean;
}

/** A lobby as the gateway shows it. @see lobbies.md 6.3 */
export interface GatewayLobby extends Omit<Lobby, 'members'> {
  members: readonly GatewayLobbyMember[];
  voice_states: readonly unknown[];
  region: string;
}
