import type { Activity, ClientInfo, ClientStatus, SocialSettings } from '../../model/presence.ts';
import type { RelationshipType } from '../../model/relationship.ts';
import type { ApplicationId, ChannelId, MessageId, UserId } from '../../model/snowflake.ts';
import type { ListPage } from './world.ts';

/** A user in a list. Names are null where the user no longer exists. */
export interface NamedUser {
  readonly id: UserId;
  readonly username: string | null;
  readonly global_name: string | null;
}

/**
 * `GET /control/users/{id}/social`: what a user is to others, shows of itself and has set. What changes it goes through
 * `POST /control/call`, as the user.
 */
export interface UserSocial {
  /** The user's own side, at most 2,000. */
  readonly relationships: readonly RelationshipDetails[];
  /** Who has blocked the user, at most 2,000. The user is never told. */
  readonly blocked_by: readonly NamedUser[];
  readonly presence: PresenceDetails;
  readonly settings: SocialSettings & {
    /** Whether others may send requests. */
    readonly accept_friend_requests: boolean;
  };
  /** The one with the newest message first, at most 100. */
  readonly conversations: readonly ConversationDetails[];
}

export interface RelationshipDetails {
  readonly user: NamedUser;
  readonly type: Exclude<RelationshipType, 0>;
  /** The game in which it exists, or its publisher; null: everywhere. */
  readonly family_id: ApplicationId | null;
  readonly since_ms: number;
  readonly nickname: string | null;
  /** What came with a request. */
  readonly note: string | null;
  readonly origin_application_id: ApplicationId | null;
}

export interface PresenceDetails {
  /** As a friend with a client of their own sees it. */
  readonly status: ClientStatus;
  readonly activities: readonly Activity[];
  /** Activities that the user hides, because it is invisible or has set so. */
  readonly hidden_activities: readonly Activity[];
  /** The one that was updated last is the last. */
  readonly sessions: readonly ShownSessionDetails[];
}

export interface ShownSessionDetails {
  /** Of the gateway session, or one without a connection. */
  readonly id: string;
  /** Null: a user's own client. */
  readonly application_id: ApplicationId | null;
  readonly client: ClientInfo;
  readonly status: ClientStatus;
  /** Without their secrets. */
  readonly activities: readonly Activity[];
  /** Of a session without a connection: when it ends unless it is updated. Null: it has a connection. */
  readonly expires_at_ms: number | null;
}

export interface ConversationDetails {
  readonly channel_id: ChannelId;
  readonly user: NamedUser;
  readonly message_count: number;
  readonly last_message_id: MessageId | null;
}

/** `GET /control/users/{id}/conversations/{other}`: messages and invites between two users, the newest first. */
export interface ConversationPage extends ListPage {
  readonly channel_id: ChannelId;
  readonly messages: readonly DirectMessageDetails[];
}

export interface DirectMessageDetails {
  readonly id: MessageId;
  readonly author_id: UserId;
  readonly recipient_id: UserId;
  readonly content: string;
  readonly sent_at_ms: number;
  readonly edited_at_ms: number | null;
  /** Null: it was sent by a user's own client. */
  readonly application_id: ApplicationId | null;
  /** Delivered, but in no history. */
  readonly is_ephemeral: boolean;
  /** What the application noted about it. */
  readonly moderation_metadata: Readonly<Record<string, string>> | null;
  /** An invite to an activity, or a request to join; null: a message. */
  readonly invite: {
    readonly kind: 'invite' | 'request';
    readonly application_id: ApplicationId | null;
    readonly party_id: string | null;
    readonly expires_at_ms: number;
  } | null;
}
