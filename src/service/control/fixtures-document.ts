import type { InstallParams } from '../../model/application.ts';
import type { IntegrationType } from '../../model/command.ts';
import type { Locale } from '../../model/locale.ts';
import type { IdTokenAuthType, TicketAuthType } from '../../model/provisional.ts';
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
  /** At most 10 absolute addresses, custom schemes included; a loopback address stands for every port. */
  redirect_uris?: readonly string[];
  /** The bot can be added by a link that leads to a code only. Default: false. */
  bot_require_code_grant?: boolean;
  /** What a link asks for that names the application alone; null: such a link is refused. */
  install_params?: InstallParams | null;
  /** It has an Activity, and with it the entry-point command "Launch". Default: false. */
  embedded?: boolean;
  /** It is listed publicly. Default: false. */
  discoverable?: boolean;
  /** Default: both. */
  integration_types?: readonly IntegrationType[];
  interactions_endpoint_url?: string | null;
  /** Where its server hears of messages in its lobbies, and of those who authorize it or no longer do. */
  event_webhooks_url?: string | null;
  /** The publisher's application that it belongs to, whose tokens can be exchanged for its own. Default: none. */
  parent_id?: ApplicationId | null;
  /** Whether its players can have provisional accounts. Default: true. */
  provisional_accounts?: boolean;
  /** Who vouches for such players, one of each type at most. The bot needs none. */
  identity_providers?: readonly IdentityProviderFixture[];
}

/** Addresses begin with `https://`, or `http://` on this machine. */
export type IdentityProviderFixture = IdTokenProviderFixture | TicketProviderFixture;

/**
 * Verifies ID tokens. For other types than `OIDC` it stands in for the real provider: whoever signs the tokens of a test
 * is named as the issuer.
 */
export interface IdTokenProviderFixture {
  type: IdTokenAuthType;
  /** The `iss` of its tokens, exactly. */
  issuer: string;
  /** What their `aud` must contain. */
  audience: string;
  /** Where its keys are. Default: where `<issuer>/.well-known/openid-configuration` says. */
  jwks_uri?: string | null;
}

/**
 * Is asked whose ticket it is: `POST {application_id, external_auth_type, external_auth_token}`, signed as webhook events
 * are. It answers 200 with `{external_user_id, preferred_global_name?}`, or 400, 401, 403 or 404 to a ticket that is
 * not valid.
 */
export interface TicketProviderFixture {
  type: TicketAuthType;
  verification_url: string;
}

export interface UserFixture {
  id?: UserId;
  username?: string;
  global_name?: string | null;
  /** Default: `en-US`. */
  locale?: Locale;
  /** 18 or older. Default: true. */
  adult?: boolean;
  /** It can authorize nothing any more; what was issued to it stays. Provisional accounts can be named, too. Default: false. */
  banned?: boolean;
  /**
   * What the user signs in with, beside the username, where the service asks for passwords. Kept as a slow hash and
   * never shown again, not even in the answer. Default and null: none, and no sign-in by password.
   */
  password?: string | null;
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
  users: readonly FilledUser[];
  guilds: readonly FilledGuild[];
}

type Secrets = 'bot_token' | 'client_secret';
export type FilledApplication = Required<Omit<ApplicationFixture, Secrets>> & Pick<ApplicationFixture, Secrets>;

export type FilledUser = Required<Omit<UserFixture, 'password'>>;

export interface FilledGuild extends Required<Omit<GuildFixture, 'roles' | 'channels' | 'members'>> {
  roles: readonly Required<RoleFixture>[];
  channels: readonly FilledChannel[];
  members: readonly Required<MemberFixture>[];
}

export interface FilledChannel extends Required<Omit<ChannelFixture, 'permission_overwrites'>> {
  permission_overwrites: readonly Required<OverwriteFixture>[];
}
