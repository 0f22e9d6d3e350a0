import type { Dispatches, DispatchName } from '../../model/gateway.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, UserId } from '../../model/snowflake.ts';

/** The recipients of an event: all sessions that follow the topic. */
export type Topic = string;

/** One topic or several. */
export type Topics = Topic | readonly Topic[];

export function topicsIn(topics: Topics | undefined): readonly Topic[] {
  if (topics === undefined) return [];
  return typeof topics === 'string' ? [topics] : topics;
}

/** The names of all topics. */
export const topics = {
  /** An application's bot sessions. */
  application: (id: ApplicationId): Topic => `application/${id}`,
  /** A user's sessions with one application (bearer tokens). */
  player: (applicationId: ApplicationId, userId: UserId): Topic => `player/${applicationId}/${userId}`,
  /** A user's own clients. */
  user: (id: UserId): Topic => `user/${id}`,
  /** The connected members of a lobby. */
  lobby: (id: LobbyId): Topic => `lobby/${id}`,
  /** The bots in a guild. */
  guild: (id: GuildId): Topic => `guild/${id}`,
  /** The own clients of the users who see a channel of a guild. */
  channel: (id: ChannelId): Topic => `channel/${id}`,
  /** Users who may use an application's global commands. */
  commands: (id: ApplicationId): Topic => `commands/${id}`,
  /** Members of a guild, for changes of an application's commands there. */
  guildCommands: (id: ApplicationId, guildId: GuildId): Topic => `commands/${id}/${guildId}`,
  /** A user's relationships, for the own sessions that may read them; those in a game for sessions of its family. */
  relationships: (id: UserId): Topic => `relationships/${id}`,
  /** The own sessions that see the presences of a user's friends: the events say whom to follow. */
  friendsPresences: (id: UserId): Topic => `friends-presences/${id}`,
  /** A user's presence as friends see it. */
  presence: (id: UserId): Topic => `presence/${id}`,
  /** A user's presence as friends in a game see it. */
  gamePresence: (id: UserId, familyId: ApplicationId): Topic => `presence/${id}/${familyId}`,
  /** What a user plays without showing it, for sessions of users who were invited: strangers do not see the user's status. */
  hiddenActivities: (id: UserId, viewer: 'friend' | 'stranger'): Topic => `hidden-activities/${id}/${viewer}`,
  /** A user's own sessions, for events about each other. */
  sessions: (id: UserId): Topic => `sessions/${id}`,
  /** A user's direct messages, for the own sessions that may read them. */
  directMessages: (id: UserId): Topic => `messages/${id}`,
  /** Invites to a user, for the own sessions that may not read messages. */
  invites: (id: UserId): Topic => `invites/${id}`,
  /** Authorizations that were withdrawn, or given again after that: for the service itself, as a {@link Announcement.notice}. */
  authorizations: 'authorizations',
  /** The nodes of a cluster. */
  nodes: 'nodes',
} as const;

/** An event on its way from a commit to the sessions that follow its topic. */
export interface Announcement {
  readonly to: Topic;
  /** Absent if the announcement only changes which topics the sessions follow. */
  readonly event?: {
    readonly name: DispatchName;
    /** The dispatch's `d`, encoded as JSON once for all recipients. */
    readonly data: string;
  };
  /**
   * The guild in which it happened: of a sharded bot only the guild's shard receives it; without a guild, shard 0. Does not apply with
   * `only`, `everyShard` or `recheck`.
   */
  readonly guild?: GuildId;
  /** It is about the bot itself: all of its shards receive it. */
  readonly everyShard?: true;
  /** Sessions of this user do not receive it; they receive another event instead. */
  readonly except?: UserId;
  /** Only sessions with applications of these families receive it; null stands for users' own clients. */
  readonly families?: readonly (ApplicationId | null)[];
  /** Sessions with applications of these families do not receive it. */
  readonly exceptFamilies?: readonly (ApplicationId | null)[];
  /** Of the sessions that follow the topic, only this one receives it. */
  readonly only?: string;
  /** With `only`: a node has taken the session over with this claim; a node with an older one forgets the session. */
  readonly claim?: number;
  /** The sessions check whether their credential is still valid, and close otherwise. */
  readonly recheck?: true;
  /** The sessions begin to follow these topics, after the event. */
  readonly follow?: Topics;
  /** What it counts by, for {@link Session.saw}, where that is not the scope of its transaction. */
  readonly version?: { readonly of: string; readonly revision: number };
  /** For the service itself, on the topics {@link topics.nodes} (see cluster/notices.ts) and {@link topics.authorizations}. */
  readonly notice?: unknown;
  /** The sessions stop following these topics, after the event. */
  readonly unfollow?: Topics;
  /** What caused it, while traffic is recorded: see telemetry/activity.ts. */
  readonly cause?: string;
}

/** An announcement after its commit. */
export interface Announced extends Announcement {
  readonly scope: string;
  /** The scope's, by which a reader knows whether it has already seen the change. */
  readonly revision: number;
  /** Place of the commit among all commits, in the order in which they are delivered. */
  readonly position: number;
  /** It is the only announcement of its commit: sessions send it immediately, because there is nothing to send together with it. */
  readonly isAlone?: true;
}

/** An event that is encoded once, when the first recipient needs it; without recipients it is never encoded. */
export function lazyEvent<Name extends DispatchName>(
  name: Name,
  describe: () => Dispatches[Name],
): NonNullable<Announcement['event']> {
  return new LazyEvent(name, () => JSON.stringify(describe()));
}

/** Like {@link lazyEvent}. @param encode returns the event's data as JSON */
export function lazyText(name: DispatchName, encode: () => string): NonNullable<Announcement['event']> {
  return new LazyEvent(name, encode);
}

class LazyEvent {
  readonly name: DispatchName;
  readonly #encode: () => string;
  #text: string | undefined;

  constructor(name: DispatchName, encode: () => string) {
    this.name = name;
    this.#encode = encode;
  }

  get data(): string {
    this.#text ??= this.#encode();
    return this.#text;
  }
}
