import type { ProfileData, ProfileIdentity } from '../../../model/application-profile.ts';
import type { DirectMessage } from '../../../model/direct-message.ts';
import type { Metadata } from '../../../model/lobby.ts';
import type { Activity, ClientInfo, ClientStatus, SocialSettings } from '../../../model/presence.ts';
import type { RelationshipType } from '../../../model/relationship.ts';
import type { ApplicationId, ChannelId, MessageId, Snowflake, UserId } from '../../../model/snowflake.ts';

/** One user's side of a relationship; the other user has a record of its own, except for a block. */
export interface RelationshipRecord {
  user_id: UserId;
  target_id: UserId;
  type: Exclude<RelationshipType, 0>;
  since_ms: number;
  nickname: string | null;
  /** Came with the request. */
  note: string | null;
  origin_application_id: ApplicationId | null;
}

/**
 * A user's profile in an application, as its server writes it. It is deleted with the authorization by which it was written, which may
 * be that of the application's parent.
 */
export interface ApplicationProfileRecord {
  user_id: UserId;
  application_id: ApplicationId;
  /** Null: that of an account that has been unmerged, until its player signs in. */
  authorization_id: Snowflake | null;
  /** Of the identity that it belongs to: see ExternalIdentityRecord. An identity that only the profile names has a hash of its own. */
  identity_hash: string;
  identity: ProfileIdentity;
  username: string | null;
  metadata: Metadata | null;
  data: ProfileData | null;
}

/** When a user's custom status ends. */
export interface StatusExpiryRecord {
  /** The user's. */
  id: UserId;
  expires_at_ms: number;
}

/** As {@link RelationshipRecord}, in a game. */
export interface GameRelationshipRecord {
  user_id: UserId;
  /** The game's application; of a publisher's game the parent application, with which all its games share their relationships. */
  family_id: ApplicationId;
  target_id: UserId;
  /** Both users' ids, the own one first, with a slash between them. */
  pair: string;
  type: Exclude<RelationshipType, 0 | 2>;
  since_ms: number;
  /** One of the two has withdrawn the game's authorization: neither sees the relationship until it is given again. */
  is_hidden?: true;
}

/** What a user's relationships come to, so that limits hold without counting. */
export interface RelationshipTotalsRecord {
  user_id: UserId;
  friends: number;
  blocks: number;
  /** Absent in records of older versions, which did not count them. */
  pending?: PendingRequests;
  /** Rises with every change of the user's relationships, in games as well: sessions know by it what they have read. */
  changes: number;
}

/** Requests of a user that wait. */
export interface PendingRequests {
  readonly sent: number;
  readonly received: number;
  /** Of those received, how many came through which application: see {@link RelationshipRecord.origin_application_id}. */
  readonly received_through: Readonly<Record<ApplicationId, number>>;
}

/** What a user has set; without a record everything is as it is by default. */
export interface SocialSettingsRecord {
  user_id: UserId;
  settings: Partial<SocialSettings>;
  /** Whether others may send requests; absent: they may. */
  accept_friend_requests?: boolean;
  /** Revision of the presence's scope when the status was last set: it replaces what sessions have set before. */
  status_set_at?: number;
  /** When the custom status was last changed; absent: not known. */
  custom_status_set_at_ms?: number;
}

/** The sessions by which others see a user; absent when there are none. */
export interface SocialPresenceRecord {
  user_id: UserId;
  /** The one that was updated last is the last. */
  sessions: readonly ShownSession[];
  /** Of the presence's scope at the last change. */
  revision: number;
}

export interface ShownSession {
  /** Of a session without a connection: `h:` and an id. */
  id: string;
  /** Null: a user's own client. */
  application_id: ApplicationId | null;
  family_id: ApplicationId | null;
  client: ClientInfo;
  status: ClientStatus;
  /** Revision of the presence's scope when the session set its status; 0: it did not. */
  status_set_at: number;
  activities: readonly ShownActivity[];
}

/** An activity as it was sent, secrets included, with what the service has added. */
export interface ShownActivity {
  /** Of its application; null: of none, or a custom status. */
  family_id: ApplicationId | null;
  activity: Activity;
}

/** A session without a connection: it shows what a user plays elsewhere. */
export interface HeadlessSessionRecord {
  /** Hash of the token by which it is updated. */
  id: string;
  /** As others see it: `h:` and an id. */
  session_id: string;
  user_id: UserId;
  application_id: ApplicationId;
  expires_at_ms: number;
}

/** The channel between two users. */
export interface DirectChannelRecord {
  id: ChannelId;
  /** Both users' ids, the lower one first, with a slash between them. */
  pair: string;
  user_ids: readonly [UserId, UserId];
  /** The last that was sent, even if it was deleted. */
  last_message_id: MessageId | null;
  /** How many of its messages are stored. */
  message_count: number;
}

/** One user's place in a channel, to find the user's channels. */
export interface DirectRecipientRecord {
  user_id: UserId;
  channel_id: ChannelId;
  other_id: UserId;
}

/** A message between two users. Those too old or too many to be shown are deleted as others are sent. */
export interface DirectMessageRecord {
  /** Of an ephemeral message: the {@link DirectChannelRecord.pair}. */
  channel_id: ChannelId;
  /** The time its id carries: it rises with the id, whose text does not. */
  sent_at_ms: number;
  id: MessageId;
  author_id: UserId;
  recipient_id: UserId;
  /** The application by whose session it was sent; null: by a user's own client. */
  application_id: ApplicationId | null;
  /** What does not depend on who reads it. */
  message: DirectMessageContent;
  edited_at_ms: number | null;
  /** What the application noted about it, for itself. */
  moderation_metadata: Metadata | null;
  /** It is never in a history. */
  is_ephemeral: boolean;
  /** When it is deleted; null: when others are sent. */
  expires_at_ms: number | null;
}

/** Its author is shown as of the time of writing. */
export type DirectMessageContent = Pick<
  DirectMessage,
  'id' | 'type' | 'content' | 'author' | 'flags' | 'activity' | 'application' | 'application_id'
>;
