import type { IntegrationType } from '../../model/command.ts';
import type { Locale } from '../../model/locale.ts';
import type { ApplicationId, ChannelId, GuildId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';

/**
 * What a service is furnished with: applications, users and guilds. Everything may be left out: of a thing that is
 * new, ids and secrets are then generated and the rest takes its default; of one that is there already, what is left
 * out stays as it is. Lists of things with an id (roles, channels, members) are merged by it, all other lists replaced.
 */
export interface Fixtures {
  applications?: readonly ApplicationFixture[];
  users?: readonly UserFixture[];
  guilds?: readonly GuildFixture[];
}

/** The application's bot appears as a user with the application's id and name; it is no entry of `users`. */
export interface ApplicationFixture {
  id?: ApplicationId;
  name?: string;
  description?: string;
  /** The document's first user when left out; without any user, one is added. */
  owner_id?: UserId;
  /** In clear only here and in the answer. Null: the application has no bot. */
  bot_token?: string | null;
  /** In clear only here and in the answer. Null: it cannot prove itself by a secret. */
  client_secret?: string | null;
  /** May exchange codes and refresh tokens without its secret. Default: false. */
  public_client?: boolean;
  /** Absolute addresses, custom schemes included; a loopback address stands for every port. */
  redirect_uris?: readonly string[];
  /** It has an Activity, and with it the entry-point command "Launch". Default: false. */
  embedded?: boolean;
  /** It is listed publicly. Default: false. */
  discoverable?: boolean;
  /** Default: both. */
  integration_types?: readonly IntegrationType[];
  interactions_endpoint_url?: string | null;
  /** Where its server hears of messages in its lobbies. */
  event_webhooks_url?: string | null;
}

export interface UserFixture {
  id?: UserId;
  username?: string;
  global_name?: string | null;
  /** Default: `en-US`. */
  locale?: Locale;
  /** 18 or older. Default: true. */
  adult?: boolean;
}

export interface GuildFixture {
  id?: GuildId;
  name?: string;
  /** The document's first user when left out; without any user, one is added. Always a member. */
  owner_id?: UserId;
  /** Default: `en-US`. */
  locale?: Locale;
  /** Applications authorized in the guild with `applications.commands`. */
  applications?: readonly ApplicationId[];
  /** The role with the guild's own id is @everyone; it is added when absent. */
  roles?: readonly RoleFixture[];
  channels?: readonly ChannelFixture[];
  members?: readonly MemberFixture[];
}

export interface RoleFixture {
  id?: RoleId;
  name?: string;
  /** Permission bits as decimal text. Default: none; for @everyone, see {@link everyonePermissions}. */
  permissions?: string;
  /** Default: the place in the list. */
  position?: number;
}

export interface ChannelFixture {
  id?: ChannelId;
  /** Default: 0, a text channel. */
  type?: number;
  name?: string;
  /** Default: false. */
  nsfw?: boolean;
  /** Default: the place in the list. */
  position?: number;
  /** Of the same guild: a category (type 4), or the channel that a thread (types 10 to 12) belongs to. */
  parent_id?: ChannelId | null;
  permission_overwrites?: readonly OverwriteFixture[];
}

export interface OverwriteFixture {
  id: Snowflake;
  /** 0: a role of the guild, 1: a user. */
  type: 0 | 1;
  /** Default: none. */
  allow?: string;
  /** Default: none. */
  deny?: string;
}

export interface MemberFixture {
  user_id: UserId;
  roles?: readonly RoleId[];
  nick?: string | null;
}

/**
 * The same document with everything filled in: entries in their order, what was added at the end of its list. A secret
 * is left out only where a restarted service keeps one that it knows by its hash alone.
 */
export interface FilledFixtures {
  applications: readonly FilledApplication[];
  users: readonly Required<UserFixture>[];
  guilds: readonly FilledGuild[];
}

type Secrets = 'bot_token' | 'client_secret';
export type FilledApplication = Required<Omit<ApplicationFixture, Secrets>> & Pick<ApplicationFixture, Secrets>;

export interface FilledGuild extends Required<Omit<GuildFixture, 'roles' | 'channels' | 'members'>> {
  roles: readonly Required<RoleFixture>[];
  channels: readonly FilledChannel[];
  members: readonly Required<MemberFixture>[];
}

export interface FilledChannel extends Required<Omit<ChannelFixture, 'permission_overwrites'>> {
  permission_overwrites: readonly Required<OverwriteFixture>[];
}
