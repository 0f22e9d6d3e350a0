import type { ApplicationId, UserId } from './snowflake.ts';
import type { User } from './user.ts';

/** What a user is to another, seen from one of them. @see docs/spec/social.md#relationships */
export const relationshipTypes = { NONE: 0, FRIEND: 1, BLOCKED: 2, INCOMING: 3, OUTGOING: 4 } as const;
export type RelationshipType = (typeof relationshipTypes)[keyof typeof relationshipTypes];

/** A user's relationship with another, everywhere. @see docs/spec/social.md#relationships */
export interface Relationship {
  /** The other user's. */
  id: UserId;
  /** The same, in lists whose users are listed apart. */
  user_id?: UserId;
  type: RelationshipType;
  /** Absent in lists whose users are listed apart. */
  user?: User;
  /** Of a friend. */
  nickname: string | null;
  is_spam_request: boolean;
  stranger_request: boolean;
  user_ignored: boolean;
  /** The application through which it was made. */
  origin_application_id?: ApplicationId | null;
  /** When it was requested or made, ISO 8601. */
  since?: string;
  /** For sessions of games: whether the other has authorized this application. */
  has_played_game?: boolean;
  /** What came with the request; at most 120 characters. */
  note?: string;
}

/** A user's relationship with another in one game. @see docs/spec/social.md#relationships */
export interface GameRelationship {
  /** The other user's. */
  id: UserId;
  /** The user's own. */
  user_id: UserId;
  application_id: ApplicationId;
  /** A user cannot be blocked in one game alone. */
  type: Exclude<RelationshipType, 2>;
  since: string;
  /** Nobody knows its meaning; always 0. */
  dm_access_type: number;
  user?: User;
}

/** A relationship that is gone, or has changed in part. `type`: the receiver's own, which it had. */
export type PartialRelationship = Pick<Relationship, 'id' | 'type' | 'nickname'> &
  Partial<Pick<Relationship, 'since' | 'stranger_request' | 'user_ignored'>>;
