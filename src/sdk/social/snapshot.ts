import type { RallypointError } from '../../model/errors/errors.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { ApplicationId, ChannelId, MessageId, UserId } from '../../model/snowflake.ts';
import type { UserSnapshot } from '../lobby/snapshot.ts';

/*
 * The state of the social layer. Snapshots are deeply frozen and structurally shared, as those of lobbies are.
 */

/** What another user is to the player; `blocked` is in no game's relationship. */
export type RelationshipKind = 'none' | 'friend' | 'blocked' | 'incoming' | 'outgoing';

/** What another user is to the player, in both kinds of relationship. @see docs/spec/social.md#relationships */
export interface RelationshipSnapshot {
  /** Everywhere. */
  readonly type: RelationshipKind;
  /** In this game, and in all games of its publisher. */
  readonly gameType: Exclude<RelationshipKind, 'blocked'>;
  /** When it was requested or made, in milliseconds since the Unix epoch; undefined when unknown. */
  readonly sinceMs: number | undefined;
  /** What came with the request. */
  readonly note: string | undefined;
  readonly isSpamRequest: boolean;
}

/** A user's status as others see it. */
export type UserStatus = 'online' | 'idle' | 'dnd' | 'offline';

/** Whether the player sees a friend in this game, elsewhere, or not at all. */
export type FriendGroup = 'onlinePlayingGame' | 'onlineElsewhere' | 'offline';

/** A user whom the player has to do with: a friend, the sender of a request, a member of a lobby, the author of a message. */
export interface SocialUserSnapshot extends UserSnapshot {
  /** The address of the picture: that of the user, or one that stands for it. */
  readonly avatarUrl: string;
  /** The user has a provisional account, which belongs to one application. */
  readonly isProvisional: boolean;
  /** `offline` also for users whose presence the player may not see. */
  readonly status: UserStatus;
  /** What the user does in this game, or in another one of its publisher. */
  readonly activity: ActivitySnapshot | undefined;
  /** All that the player may see. */
  readonly activities: readonly ActivitySnapshot[];
  /** Who the user is in the accounts of this game, and of others of its publisher: at most one for each application. */
  readonly profiles: readonly ApplicationProfileSnapshot[];
  /** The user has authorized this game at some time. */
  readonly hasPlayedGame: boolean;
  readonly relationship: RelationshipSnapshot;
  /** Of friends alone, of either kind. */
  readonly group: FriendGroup | undefined;
}

/**
 * The player's friends of either kind, each once, sorted by their display names; in `onlineElsewhere` those who have played
 * this game come first.
 */
export interface FriendsSnapshot {
  readonly onlinePlayingGame: readonly SocialUserSnapshot[];
  readonly onlineElsewhere: readonly SocialUserSnapshot[];
  readonly offline: readonly SocialUserSnapshot[];
  /** Why the lists are empty, when they do not show what there is. */
  readonly unavailable: SocialUnavailable | undefined;
}

/**
 * Requests that wait for an answer, of either kind, by display name: `type` and `gameType` of {@link RelationshipSnapshot} say which.
 * A friend of one kind who is asked for the other is here, too.
 */
export interface FriendRequestsSnapshot {
  /** Of others to the player. */
  readonly incoming: readonly SocialUserSnapshot[];
  /** Of the player to others. */
  readonly outgoing: readonly SocialUserSnapshot[];
}

/**
 * Why the client knows nothing of the social layer: it is not connected, or the player has not granted a scope.
 * `missing` names it.
 */
export type SocialUnavailable =
  | { readonly reason: 'not_connected' }
  | { readonly reason: 'missing_scope'; readonly missing: string };

/** What a user does. Fields that are not there were not sent. @see docs/spec/social.md#activity */
export interface ActivitySnapshot {
  readonly name: string;
  /** 0 playing, 2 listening, 3 watching, 4 custom status, 5 competing. */
  readonly type: number;
  readonly applicationId?: ApplicationId;
  /** The session of the user that the activity is of. */
  readonly sessionId?: string;
  readonly state?: string;
  readonly stateUrl?: string;
  readonly details?: string;
  readonly detailsUrl?: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt?: number;
  readonly timestamps?: { readonly start?: number; readonly end?: number };
  readonly party?: {
    readonly id?: string;
    /** How many are in it, and how many it can have. */
    readonly size?: readonly [current: number, max: number];
  };
  readonly assets?: { readonly [name: string]: string };
  /** The labels of its buttons. */
  readonly buttons?: readonly string[];
  readonly supportedPlatforms?: readonly string[];
  readonly flags?: number;
  /** What else the service has sent, in camel case. */
  readonly [field: string]: unknown;
}

/** What a game's server reports about one of its players. @see docs/spec/social.md#application-profiles */
export interface ApplicationProfileSnapshot {
  readonly applicationId: ApplicationId;
  /** The player's name in the game. */
  readonly username?: string;
  readonly metadata: Metadata;
  readonly avatarHash?: string;
  /** Who vouches for the player's identity. */
  readonly externalId: {
    /** For example `STEAM`; `NONE`: only the game's own server. */
    readonly providerType: string;
    /** Which of several providers of the type. */
    readonly providerId?: string;
    /** The player's id there. */
    readonly providerIssuedUserId: string;
    readonly preferredGlobalName?: string;
  };
}

/** A user's presence. */
export type PresenceSnapshot = Pick<SocialUserSnapshot, 'status' | 'activity' | 'activities'>;

/** One of the player's own sessions, on any device. */
export interface OwnSessionSnapshot {
  readonly id: string;
  /** `desktop`, `mobile` and so on. */
  readonly client: string;
  readonly status: OnlineStatus;
  readonly activities: readonly ActivitySnapshot[];
  /** It is this client's. */
  readonly isOwn: boolean;
}

/** What the player's status can be set to; others see `invisible` as `offline`. */
export type OnlineStatus = 'online' | 'idle' | 'dnd' | 'invisible';

/** What this client says of the player. */
export interface OwnPresenceSnapshot {
  readonly status: OnlineStatus;
  readonly activity: RichPresence | undefined;
  /** All sessions of the player, without the one called `all`. */
  readonly sessions: readonly OwnSessionSnapshot[];
}

/** What the player does in the game, as others are to see it. @see docs/spec/social.md#activity */
export interface RichPresence {
  /** Default: the application's. */
  readonly name?: string | undefined;
  /** 0 playing (the default), 2 listening, 3 watching, 5 competing. */
  readonly type?: number | undefined;
  /** The player's part in it, for example `In a group`. */
  readonly state?: string | undefined;
  readonly stateUrl?: string | undefined;
  /** What it is, for example the map. */
  readonly details?: string | undefined;
  readonly detailsUrl?: string | undefined;
  /** What stands beside the player's name: 0 the name, 1 the state, 2 the details. */
  readonly statusDisplayType?: number | undefined;
  /** Milliseconds since the Unix epoch; seconds are converted. */
  readonly timestamps?: { readonly start?: number | undefined; readonly end?: number | undefined } | undefined;
  readonly party?:
    | {
        readonly id: string;
        readonly size?: readonly [current: number, max: number] | undefined;
        /** `public`: friends may join without asking. Default: `private`. */
        readonly privacy?: 'private' | 'public' | undefined;
      }
    | undefined;
  readonly assets?:
    | {
        readonly largeImage?: string | undefined;
        readonly largeText?: string | undefined;
        readonly largeUrl?: string | undefined;
        readonly smallImage?: string | undefined;
        readonly smallText?: string | undefined;
        readonly smallUrl?: string | undefined;
        readonly inviteCoverImage?: string | undefined;
      }
    | undefined;
  /**
   * What those who accept an invite get: the secret of a lobby, of at most 128 characters. Nobody else sees it. An activity can
   * be joined when it has this, a party and a free place.
   */
  readonly joinSecret?: string | undefined;
  /** At most two. */
  readonly buttons?: readonly { readonly label: string; readonly url: string }[] | undefined;
  /** Of `desktop`, `xbox`, `samsung`, `ios`, `android`, `embedded`, `ps4`, `ps5`. */
  readonly supportedPlatforms?: readonly string[] | undefined;
}

/**
 * An invite that the player has received: to join the sender's party (`join`), or the sender's wish to join the player's
 * (`join_request`). Only its validity ever changes.
 */
export interface InviteSnapshot {
  /** That of its message. */
  readonly id: MessageId;
  readonly type: 'join' | 'join_request';
  readonly senderId: UserId;
  readonly sender: UserSnapshot | undefined;
  readonly channelId: ChannelId | undefined;
  /** The game that it is about. It may be another one of the same publisher. */
  readonly applicationId: ApplicationId | undefined;
  readonly partyId: string | undefined;
  /** The session whose activity is meant; undefined while it is unknown. */
  readonly sessionId: string | undefined;
  /** The text that came with it. Needs the scopes for messages. */
  readonly content: string;
  readonly sentAtMs: number;
  readonly expiresAtMs: number;
  /** It has not expired, and the sender is still in that party as far as the player may see. */
  readonly isValid: boolean;
}

/** A join that the player began outside the game, for example in a browser: the game was started for it, or got its address. */
export interface LaunchSnapshot {
  /** For {@link LobbyCollection.join}. It comes from outside: anyone can have made it. */
  readonly joinSecret: string;
}

/** A message between the player and another user. @see docs/spec/social.md#messages */
export interface DirectMessageSnapshot {
  readonly id: MessageId;
  /** As in {@link LobbyMessageSnapshot}. */
  readonly key: string;
  /** The other user, also if the player wrote it. */
  readonly userId: UserId;
  readonly channelId: ChannelId;
  readonly author: UserSnapshot | undefined;
  readonly content: string;
  readonly type: number;
  /** Bits of {@link messageFlags}. */
  readonly flags: number;
  /** What the sender's game sent with the text. Empty if there was none, and in history, which does not store it. */
  readonly metadata: Metadata;
  readonly moderationMetadata: Metadata;
  /** The application it was sent with; undefined for one that was not written in a game. */
  readonly applicationId: ApplicationId | undefined;
  /** Nothing of it is stored: it is in no history. */
  readonly isEphemeral: boolean;
  readonly sentAtMs: number;
  readonly editedAtMs: number | undefined;
  readonly status: 'sent';
}

/** One that this client is sending, or failed to send. */
export interface OutgoingDirectMessageSnapshot extends Omit<DirectMessageSnapshot, 'id' | 'status'> {
  /** Given by this client: for {@link Conversation.resend} and {@link Conversation.discard}. */
  readonly id: string;
  readonly status: 'pending' | 'failed';
  readonly error: RallypointError | undefined;
}

export type DirectMessageEntry = DirectMessageSnapshot | OutgoingDirectMessageSnapshot;

/** A conversation between the player and another user. */
export interface ConversationSnapshot {
  /** The other user's. */
  readonly id: UserId;
  readonly user: UserSnapshot | undefined;
  /** The newest message that the client knows; undefined until it has one. */
  readonly lastMessage: DirectMessageSnapshot | undefined;
  /** The last one sent, which may have been deleted; conversations are sorted by it, the newest first. */
  readonly lastMessageId: MessageId | undefined;
  /** Messages of the other user that arrived since {@link Conversation.markRead}, and since the client connected first. */
  readonly unreadCount: number;
  /**
   * What to tell the player before the first message: `stored` messages are kept, and can be read outside the game.
   * Undefined while nothing is known of them, and for messages that are not stored.
   */
  readonly disclosure: 'stored' | undefined;
}

/** Something that happened between the player and others. Compare `type`. */
export type SocialEvent =
  /** A relationship began or became another one. `isGame`: the one in this game. */
  | {
      readonly type: 'relationshipCreated' | 'relationshipDeleted';
      readonly userId: UserId;
      readonly user: SocialUserSnapshot;
      readonly isGame: boolean;
    }
  /** A friend came to another group, or is in one, or in none, from now on. */
  | { readonly type: 'friendGroupChanged'; readonly userId: UserId; readonly user: SocialUserSnapshot }
  /** The name, picture, status or activity of a known user changed, the player's own included. */
  | {
      readonly type: 'userUpdated';
      readonly userId: UserId;
      readonly user: SocialUserSnapshot;
      readonly previous: SocialUserSnapshot;
    }
  | { readonly type: 'inviteReceived' | 'inviteUpdated'; readonly invite: InviteSnapshot }
  /** The player joins from outside the game; see {@link LaunchSnapshot}. */
  | { readonly type: 'activityJoin'; readonly joinSecret: string }
  | {
      readonly type: 'directMessageReceived' | 'directMessageUpdated' | 'directMessageDeleted';
      readonly userId: UserId;
      readonly message: DirectMessageSnapshot;
    };
