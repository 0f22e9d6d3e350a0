import type { Dispatches, DispatchName } from '../../model/gateway.ts';
import type { ApplicationId, GuildId, LobbyId, UserId } from '../../model/snowflake.ts';

/** Who hears an event: all sessions that follow the topic. */
export type Topic = string;

/** Topics, named once. */
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
  /** Users who may come to use an application's global commands. */
  commands: (id: ApplicationId): Topic => `commands/${id}`,
  /** The members of a guild, about an application's commands there. */
  guildCommands: (id: ApplicationId, guildId: GuildId): Topic => `commands/${id}/${guildId}`,
} as const;

/** An event on its way from a commit to the sessions that follow its topic. */
export interface Announcement {
  readonly to: Topic;
  /** Absent when the announcement only changes what the sessions follow. */
  readonly event?: {
    readonly name: DispatchName;
    /** The dispatch's `d`, encoded as JSON once for all who get it. */
    readonly data: string;
  };
  /**
   * Where it happened: of a sharded bot only the guild's shard hears; without a guild, shard 0. What is for `only` one
   * session, for `everyShard` or a `recheck` goes past this.
   */
  readonly guild?: GuildId;
  /** It is about the bot itself: all its shards hear. */
  readonly everyShard?: true;
  /** Sessions of this user are passed over: they hear of it in another form. */
  readonly except?: UserId;
  /** Of the sessions that follow the topic, this one alone hears. */
  readonly only?: string;
  /** The sessions look whether what they were opened with still holds, and end if not. */
  readonly recheck?: true;
  /** The sessions begin to follow this topic, after the event. */
  readonly follow?: Topic;
  /** The sessions stop following this topic, after the event. */
  readonly unfollow?: Topic;
}

/** An announcement after its commit: `revision` is the scope's, so that a reader can tell whether it has seen it. */
export interface Announced extends Announcement {
  readonly scope: string;
  readonly revision: number;
}

/** An event that is encoded when the first of its hearers asks, once for all: where nobody hears, it costs nothing. */
export function lazyEvent<Name extends DispatchName>(
  name: Name,
  describe: () => Dispatches[Name],
): NonNullable<Announcement['event']> {
  return new LazyEvent(name, () => JSON.stringify(describe()));
}

/** As {@link lazyEvent}. @param encode gives the event's data as JSON */
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
