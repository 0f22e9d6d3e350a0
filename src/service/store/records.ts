import type { InstallParams } from '../../model/application.ts';
import type { Command, CommandType, IntegrationType, OptionType } from '../../model/command.ts';
import type { Modal } from '../../model/component.ts';
import type { ExternalAuthType } from '../../model/external-auth.ts';
import type { Channel } from '../../model/guild.ts';
import type { InteractionType } from '../../model/interaction.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { LobbyMessage } from '../../model/lobby-message.ts';
import type { Localizations } from '../../model/locale.ts';
import type { InteractionMetadata, Message } from '../../model/message.ts';
import type { DeviceResult } from '../../model/oauth.ts';
import type { CommandOverwrite } from '../../model/overwrite.ts';
import type { PresenceUpdate } from '../../model/presence.ts';
import type { IdTokenAuthType, TicketAuthType } from '../../model/provisional.ts';
import type { RoleConnection, RoleConnectionMetadata } from '../../model/role-connection.ts';
import type {
  ApplicationId,
  ChannelId,
  CommandId,
  GuildId,
  InteractionId,
  LobbyId,
  MessageId,
  RoleId,
  Snowflake,
  UserId,
} from '../../model/snowflake.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { DeltaPart } from '../support/text-delta.ts';

/**
 * What the service keeps: one record type a collection, and below the table that says how each is found again. Times
 * are milliseconds since the Unix epoch on the service's clock; secrets are kept as their SHA-256 in hex.
 */
export interface Records {
  applications: ApplicationRecord;
  users: UserRecord;
  passwords: PasswordRecord;
  external_identities: ExternalIdentityRecord;
  account_moves: AccountMoveRecord;
  guilds: GuildRecord;
  guild_members: GuildMemberRecord;
  installations: InstallationRecord;
  commands: CommandRecord;
  command_quotas: CommandQuotaRecord;
  command_overwrites: CommandOverwritesRecord;
  lobbies: LobbyRecord;
  lobby_members: LobbyMemberRecord;
  lobby_messages: LobbyMessageRecord;
  lobby_invites: LobbyInviteRecord;
  authorizations: AuthorizationRecord;
  role_connections: RoleConnectionRecord;
  codes: CodeRecord;
  device_codes: DeviceCodeRecord;
  tokens: TokenRecord;
  sign_ins: SignInRecord;
  interactions: InteractionRecord;
  interaction_messages: InteractionMessageRecord;
  gateway_sessions: GatewaySessionRecord;
  gateway_events: GatewayEventRecord;
  settings: SettingRecord;
}
export type CollectionName = keyof Records;

export interface ApplicationRecord {
  id: ApplicationId;
  name: string;
  description: string;
  owner_id: UserId;
  /** What its bot calls itself; null: as the application is called. */
  bot_username: string | null;
  /** The user that the bot appears as; same id as the application. */
  bot_token_hash: string | null;
  client_secret_hash: string | null;
  public_client: boolean;
  redirect_uris: readonly string[];
  /** Its bot is added by exchanging a code alone. */
  bot_require_code_grant: boolean;
  install_params: InstallParams | null;
  embedded: boolean;
  discoverable: boolean;
  integration_types: readonly IntegrationType[];
  interactions_endpoint_url: string | null;
  /** Where its server hears of what happens in its lobbies, and of those who authorize it or no longer do. */
  event_webhooks_url: string | null;
  /** What guilds can ask of its users' role connections. */
  role_connection_metadata: readonly RoleConnectionMetadata[];
  /** The publisher's application that this one belongs to: its tokens can be exchanged for this one's. */
  parent_id: ApplicationId | null;
  /** Whether players can have provisional accounts with it. */
  provisional_accounts: boolean;
  /** Who vouches for them, one of each type at most. */
  identity_providers: readonly IdentityProvider[];
  /** Ed25519 key pair of its outgoing requests: public key in hex, private key as PKCS #8 in base64. */
  verify_key: string;
  signing_key: string;
}

/** Verifies ID tokens by the keys of their issuer. */
export interface IdTokenProvider {
  type: IdTokenAuthType;
  issuer: string;
  audience: string;
  /** Where the keys are; null: where the issuer's own description says. */
  jwks_uri: string | null;
}

/** Is asked who a player is, where the service cannot read the proof itself. */
export interface TicketProvider {
  type: TicketAuthType;
  verification_url: string;
}

export type IdentityProvider = IdTokenProvider | TicketProvider;

export interface UserRecord {
  id: UserId;
  username: string;
  global_name: string | null;
  locale: string;
  adult: boolean;
  /** Nothing new is issued to it. */
  banned: boolean;
  /** The application whose provisional account it is; null: a full account. */
  provisional_of: ApplicationId | null;
}

/** Whose account a player comes to that an application knows from elsewhere. */
export interface ExternalIdentityRecord {
  application_id: ApplicationId;
  /** @see ExternalIdentity.hash */
  hash: string;
  type: ExternalAuthType;
  /** A provisional account, or the full one that it was merged into. */
  user_id: UserId;
  /** The {@link AccountMoveRecord} under way, until whose end the identity is locked. */
  operation_id: Snowflake | null;
}

/** What one account had with an application is becoming another's. */
export interface AccountMoveRecord {
  id: Snowflake;
  application_id: ApplicationId;
  source_id: UserId;
  destination_id: UserId;
}

/** What a user signs in with; one who has none cannot sign in by password. */
export interface PasswordRecord {
  user_id: UserId;
  /** {@link signInNameOf} the user's name; no two users have the same. */
  name: string;
  /** By {@link hashPassword}: slow to guess, unlike the other hashes here. */
  hash: string;
}

export interface RoleRecord {
  id: RoleId;
  name: string;
  /** Permission bits as decimal text. */
  permissions: string;
  position: number;
}

export interface OverwriteRecord {
  id: Snowflake;
  /** 0 role, 1 member. */
  type: 0 | 1;
  allow: string;
  deny: string;
}

export interface ChannelRecord {
  id: ChannelId;
  type: number;
  name: string;
  nsfw: boolean;
  position: number;
  parent_id: ChannelId | null;
  permission_overwrites: readonly OverwriteRecord[];
}

export interface GuildRecord {
  id: GuildId;
  name: string;
  owner_id: UserId;
  locale: string;
  /** Applications authorized in the guild with `applications.commands`. */
  applications: readonly ApplicationId[];
  /** The first is @everyone, with the guild's own id. */
  roles: readonly RoleRecord[];
  channels: readonly ChannelRecord[];
}

export interface GuildMemberRecord {
  guild_id: GuildId;
  user_id: UserId;
  roles: readonly RoleId[];
  nick: string | null;
  joined_at_ms: number;
}

/** An application in a guild: the same as the guild's own list says, found by application. */
export interface InstallationRecord {
  application_id: ApplicationId;
  guild_id: GuildId;
}

/** A command as stored; `scope` is {@link commandScope}. */
export interface CommandRecord extends Omit<Command, 'name_localized' | 'description_localized' | 'dm_permission'> {
  scope: string;
  name_localizations: Localizations | null;
  description_localizations: Localizations | null;
  /** The deprecated flag as last sent; what answers show follows `contexts` when those are set. */
  dm_permission: boolean;
}

/** The place whose commands share names and counts: `<application>` for global ones, `<application>/<guild>` for a guild's. */
export function commandScope(applicationId: ApplicationId, guildId?: GuildId): string {
  return guildId === undefined ? applicationId : `${applicationId}/${guildId}`;
}

/** How much of a scope's daily creates is used: each create moves the time on by one day's share. */
export interface CommandQuotaRecord {
  /** {@link commandScope} */
  scope: string;
  /** When all of the creates are available again, if none is made until then. */
  full_at_ms: number;
}

/** The overwrites of a command in a guild; one without any has no record. */
export interface CommandOverwritesRecord {
  guild_id: GuildId;
  application_id: ApplicationId;
  /** The command's id, or the application's: the overwrites of all its commands there that have none of their own. */
  target_id: CommandId | ApplicationId;
  permissions: readonly CommandOverwrite[];
}

export interface LobbyRecord {
  id: LobbyId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  flags: number;
  idle_timeout_seconds: number;
  override_event_webhooks_url: string | null;
  /** How many members it has, so that adding one need not count the others. */
  member_count: number;
  /** SHA-256 of the secret that clients join it by; null: a server made it. */
  secret_hash: string | null;
  /** When the secret no longer leads to it; null without one. */
  secret_expires_at_ms: number | null;
  /** The channel that is linked to it, and its guild; null: none. No two lobbies have the same. */
  linked_guild_id: GuildId | null;
  linked_channel_id: ChannelId | null;
  /** Who linked it, when, and the channel as it was then. */
  link: { readonly by: UserId; readonly at_ms: number; readonly channel: Channel } | null;
  /** How many messages were ever sent to it. */
  message_count: number;
  /** When the lobby ends if no member is connected then; null while a channel is linked: then it does not end. */
  expires_at_ms: number | null;
  /**
   * Whether a member was connected when somebody last looked. A lobby found due while attended by nobody any more has
   * lost its members together with a service that ended, and is given its time once more.
   */
  attended: boolean;
}

export interface LobbyMemberRecord {
  lobby_id: LobbyId;
  user_id: UserId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  flags: number;
  additional_name: string | null;
  /** The member's part in the lobby's call, and the gateway session that it belongs to; both null without one. */
  voice: LobbyVoice | null;
  voice_session_id: string | null;
}

/** How a member is in a call. */
export interface LobbyVoice {
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
  readonly self_video: boolean;
}

/** A message of a lobby, in the order of sending. Those too old or too many to be shown go as others are sent. */
export interface LobbyMessageRecord {
  lobby_id: LobbyId;
  /** The time its id carries: it rises with the id, whose text does not. */
  sent_at_ms: number;
  id: MessageId;
  /** 1 for the lobby's first message, and so on. */
  number: number;
  /** As HTTP answers show it. */
  message: LobbyMessage;
}

/** An invite to the guild of a lobby's linked channel: for one user, once. */
export interface LobbyInviteRecord {
  code: string;
  application_id: ApplicationId;
  guild_id: GuildId;
  channel_id: ChannelId;
  user_id: UserId;
  expires_at_ms: number;
}

/** One user's grant to one application; every token of it ends with it. */
export interface AuthorizationRecord {
  id: Snowflake;
  application_id: ApplicationId;
  user_id: UserId;
  scopes: readonly string[];
}

/** What an application says of a user elsewhere. It ends with the authorization that it was said by. */
export interface RoleConnectionRecord extends RoleConnection {
  application_id: ApplicationId;
  user_id: UserId;
  /** Null: said by the application's own token, of its owner. */
  authorization_id: Snowflake | null;
}

/** An authorization code, until it is used or {@link serviceLimits.authorizationCodeLifeMs} have passed. */
export interface CodeRecord {
  hash: string;
  authorization_id: Snowflake;
  application_id: ApplicationId;
  user_id: UserId;
  scopes: readonly string[];
  redirect_uri: string;
  code_challenge: string | null;
  /** The guild that the bot was added to with it. */
  guild_id: GuildId | null;
  nonce: string | null;
  expires_at_ms: number;
  used: boolean;
}

/** A device that asked to be signed in, from then on for {@link serviceLimits.deviceCodeLifeMs}. */
export interface DeviceCodeRecord {
  /** Of the code that the device polls with. */
  hash: string;
  /** Of the code that its user types in. */
  user_code_hash: string;
  application_id: ApplicationId;
  scopes: readonly string[];
  /** What the user answered. */
  state: 'pending' | DeviceResult;
  /** Who answered, and the authorization given; null until then, or when none was. */
  user_id: UserId | null;
  authorization_id: Snowflake | null;
  /** The tokens were handed out. */
  redeemed: boolean;
  /** How long the device has to wait between two polls, and when it polled last. */
  interval_ms: number;
  polled_at_ms: number | null;
  expires_at_ms: number;
}

export interface TokenRecord {
  hash: string;
  /** `session` is a user's own client; `application` is client credentials. */
  kind: 'access' | 'refresh' | 'application' | 'session';
  authorization_id: Snowflake | null;
  /** Hash of the code (a device's, too) that an access or refresh token began with: it outlives refreshes, and one of each is live in it. */
  grant_id: string | null;
  /** Of a child application's token: the child, while the authorization is its parent's. */
  application_id: ApplicationId | null;
  user_id: UserId | null;
  scopes: readonly string[];
  /** Null: does not expire by itself. */
  expires_at_ms: number | null;
  /**
   * Of refresh tokens. Those of one grant are one record, whose `hash` is that of the text they all begin with: this is the
   * hash of the whole one that holds. Absent: the token is from before there were families, and `hash` that of all of it.
   */
  current_hash?: string;
  /** The refresh token whose place the current one took. */
  previous?: UsedRefreshToken;
}

/** A refresh token that was used. */
export interface UsedRefreshToken {
  hash: string;
  at_ms: number;
  /** If the client named the request: what was answered, base64url. Only that request can open it. */
  sealed?: string;
}

/** A browser signed in to the authorization pages. */
export interface SignInRecord {
  hash: string;
  user_id: UserId;
  expires_at_ms: number;
}

export interface InteractionRecord {
  id: InteractionId;
  application_id: ApplicationId;
  user_id: UserId;
  guild_id: GuildId | null;
  channel_id: ChannelId;
  type: InteractionType;
  /** Of the command that it is the use of, or that led to the modal that was submitted; null: there was none. */
  command_type: CommandType | null;
  /** While an option is typed: the type of that option. */
  focused_type: OptionType | null;
  token_hash: string;
  /** What the user's client called this use; it comes back with the outcome. */
  nonce: string | null;
  /** Integration type → who installed the application there: a guild, a user, or `0` for the bot's own DM. */
  owners: Readonly<Record<string, string>>;
  /** `waiting` until answered; `failed` when nobody answered in time. */
  state: 'waiting' | 'answered' | 'failed';
  created_at_ms: number;
  /**
   * While waiting: when it fails. Then: when its token dies and the record goes, or goes on, for the sake of messages
   * with components to use.
   */
  expires_at_ms: number;
  /** The message it was answered with, also after that was deleted; null while there was none. */
  original_id: MessageId | null;
  /** How many messages came after the first. */
  follow_ups: number;
  /** Of the use of a component, and of a modal that came of it: the message of the component. */
  source?: MessageSource;
  /** Of a modal's submission: what was answered with the modal. */
  trigger?: InteractionMetadata;
  /** The modal it was answered with, which can be submitted while it is open. */
  modal?: Modal & { open: boolean };
}

/** A message, and the interaction it answers, in whose scope it changes. */
export interface MessageSource {
  message_id: MessageId;
  interaction_id: InteractionId;
}

/** A message that answers an interaction, as long as the interaction is kept. */
export interface InteractionMessageRecord {
  id: MessageId;
  interaction_id: InteractionId;
  /** As the interface shows it. */
  message: Message;
}

/** A gateway session, kept so that its client can resume it after a restart of the service. */
export interface GatewaySessionRecord {
  id: string;
  /** `session` is a user's own client. */
  kind: 'bot' | 'user' | 'session';
  /** Null: a user's own client. */
  application_id: ApplicationId | null;
  /** A bot has its application's id. */
  user_id: UserId;
  /** What it lives by: the bot token's hash, or the grant of an OAuth2 token; null: nothing that could end. */
  credential: string | null;
  /** Null: hears everything. */
  intents: number | null;
  shard: readonly [id: number, count: number] | null;
  /** It may take part in calls of lobbies. */
  may_call: boolean;
  /** Large packets go compressed. */
  compress: boolean;
  presence: PresenceUpdate | null;
  /** Null while it is being started: then there is nothing to resume. */
  base: SessionBase | null;
  /** When its client was last gone; null while it is there. */
  detached_at_ms: number | null;
}

/** Where a session stood once: what it was sent since follows from the events kept. */
export interface SessionBase {
  /** Number of the last event it was sent by then. */
  sequence: number;
  /** Revision of the last commit it had heard of. */
  position: number;
  following: readonly Topic[];
}

/** An announcement that gateway sessions heard, in the order of hearing. */
export interface GatewayEventRecord {
  /** Of the commit that made it. */
  revision: number;
  /** Among those of the commit: 0, 1 … */
  number: number;
  announced: Announced;
  /** A large event is told by another one that is kept; its own data is then empty. */
  delta?: EventDelta;
}

/** What an event's data has in common with another's, and what not. */
export interface EventDelta {
  /** Key of the other one. */
  revision: number;
  number: number;
  /** Of the whole data, in bytes. */
  size: number;
  parts: readonly DeltaPart[];
}

/** Small facts about the installation: signing keys, the fixtures given at the start. */
export interface SettingRecord {
  name: string;
  value: unknown;
}

export interface CollectionShape {
  /** Fields that together name a record, in order. */
  readonly key: readonly string[];
  /** Other ways to find records: name → fields, in order. A record with null in one of them is not in the index. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;
}

/** Fields of keys and indexes that hold whole numbers; all others hold text. */
export const numericFields: ReadonlySet<string> = new Set([
  'expires_at_ms',
  'secret_expires_at_ms',
  'sent_at_ms',
  'revision',
  'number',
]);

/** How each collection is found again. An engine lays out its tables by this; a migration must follow a change of it. */
export const collections = {
  applications: { key: ['id'], indexes: { byBotToken: ['bot_token_hash'] } },
  users: { key: ['id'], indexes: { byUsername: ['username'] } },
  passwords: { key: ['user_id'], indexes: { byName: ['name'] } },
  external_identities: { key: ['application_id', 'hash'], indexes: { byUser: ['user_id'] } },
  account_moves: { key: ['id'], indexes: {} },
  guilds: { key: ['id'], indexes: {} },
  guild_members: { key: ['guild_id', 'user_id'], indexes: { byUser: ['user_id'] } },
  installations: { key: ['application_id', 'guild_id'], indexes: {} },
  commands: { key: ['id'], indexes: { byScope: ['scope'] } },
  command_quotas: { key: ['scope'], indexes: {} },
  command_overwrites: {
    key: ['guild_id', 'application_id', 'target_id'],
    indexes: { byTarget: ['target_id'] },
  },
  lobbies: {
    key: ['id'],
    indexes: {
      byExpiry: ['expires_at_ms'],
      bySecret: ['application_id', 'secret_hash', 'secret_expires_at_ms'],
      byChannel: ['linked_guild_id', 'linked_channel_id'],
    },
  },
  lobby_members: {
    key: ['lobby_id', 'user_id'],
    indexes: { byUser: ['application_id', 'user_id'], byVoice: ['voice_session_id'] },
  },
  lobby_messages: { key: ['lobby_id', 'sent_at_ms', 'id'], indexes: {} },
  lobby_invites: { key: ['code'], indexes: { byExpiry: ['expires_at_ms'] } },
  authorizations: {
    key: ['id'],
    indexes: { byUser: ['user_id', 'application_id'], byApplication: ['application_id', 'user_id'] },
  },
  role_connections: { key: ['application_id', 'user_id'], indexes: { byAuthorization: ['authorization_id'] } },
  codes: { key: ['hash'], indexes: { byExpiry: ['expires_at_ms'] } },
  device_codes: { key: ['hash'], indexes: { byUserCode: ['user_code_hash'], byExpiry: ['expires_at_ms'] } },
  tokens: {
    key: ['hash'],
    indexes: {
      byAuthorization: ['authorization_id'],
      byGrant: ['grant_id'],
      byUser: ['user_id'],
      byExpiry: ['expires_at_ms'],
    },
  },
  sign_ins: { key: ['hash'], indexes: { byUser: ['user_id'], byExpiry: ['expires_at_ms'] } },
  interactions: { key: ['id'], indexes: { byExpiry: ['expires_at_ms'] } },
  interaction_messages: { key: ['id'], indexes: { byInteraction: ['interaction_id'] } },
  gateway_sessions: { key: ['id'], indexes: {} },
  gateway_events: { key: ['revision', 'number'], indexes: {} },
  settings: { key: ['name'], indexes: {} },
} as const satisfies Record<CollectionName, CollectionShape>;

export type IndexName<Name extends CollectionName> = keyof (typeof collections)[Name]['indexes'] & string;
