import type {
  AccountMoveRecord,
  ApplicationRecord,
  ExternalIdentityRecord,
  PasswordRecord,
  UserRecord,
} from './records/accounts.ts';
import type {
  AuthorizationRecord,
  CodeRecord,
  DeviceCodeRecord,
  FormerAuthorizationRecord,
  RoleConnectionRecord,
  SignInRecord,
  TokenRecord,
} from './records/authorizations.ts';
import type { CommandOverwritesRecord, CommandQuotaRecord, CommandRecord } from './records/commands.ts';
import type { GuildMemberRecord, GuildRecord, InstallationRecord } from './records/guilds.ts';
import type { InteractionMessageRecord, InteractionRecord } from './records/interactions.ts';
import type { LobbyInviteRecord, LobbyMemberRecord, LobbyMessageRecord, LobbyRecord } from './records/lobbies.ts';
import type { GatewayEventRecord, GatewaySessionRecord, PresenceRecord } from './records/sessions.ts';
import type {
  ApplicationProfileRecord,
  DirectChannelRecord,
  DirectMessageRecord,
  DirectRecipientRecord,
  GameRelationshipRecord,
  HeadlessSessionRecord,
  RelationshipRecord,
  RelationshipTotalsRecord,
  SocialPresenceRecord,
  SocialSettingsRecord,
  StatusExpiryRecord,
} from './records/social.ts';
import type { WebhookEventRecord, WebhookQueueRecord } from './records/webhooks.ts';

export type * from './records/accounts.ts';
export type * from './records/authorizations.ts';
export type * from './records/commands.ts';
export { commandScope } from './records/commands.ts';
export type * from './records/guilds.ts';
export type * from './records/interactions.ts';
export type * from './records/lobbies.ts';
export type * from './records/sessions.ts';
export type * from './records/social.ts';
export type * from './records/webhooks.ts';

/**
 * The stored state: one record type for each collection; `collections` below has their keys and indexes. Times
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
  former_authorizations: FormerAuthorizationRecord;
  role_connections: RoleConnectionRecord;
  codes: CodeRecord;
  device_codes: DeviceCodeRecord;
  tokens: TokenRecord;
  sign_ins: SignInRecord;
  interactions: InteractionRecord;
  interaction_messages: InteractionMessageRecord;
  gateway_sessions: GatewaySessionRecord;
  gateway_events: GatewayEventRecord;
  presences: PresenceRecord;
  relationships: RelationshipRecord;
  game_relationships: GameRelationshipRecord;
  relationship_totals: RelationshipTotalsRecord;
  social_settings: SocialSettingsRecord;
  status_expiries: StatusExpiryRecord;
  application_profiles: ApplicationProfileRecord;
  social_presences: SocialPresenceRecord;
  headless_sessions: HeadlessSessionRecord;
  direct_channels: DirectChannelRecord;
  direct_recipients: DirectRecipientRecord;
  direct_messages: DirectMessageRecord;
  webhook_queues: WebhookQueueRecord;
  webhook_events: WebhookEventRecord;
  settings: SettingRecord;
}
export type CollectionName = keyof Records;

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
  applications: { key: ['id'], indexes: { byBotToken: ['bot_token_hash'], byParent: ['parent_id'] } },
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
  former_authorizations: { key: ['user_id', 'application_id'], indexes: { byApplication: ['application_id'] } },
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
  gateway_sessions: { key: ['id'], indexes: { byNode: ['node'], byUser: ['user_id'] } },
  gateway_events: { key: ['revision', 'number'], indexes: {} },
  presences: { key: ['user_id'], indexes: {} },
  relationships: { key: ['user_id', 'target_id'], indexes: { byTarget: ['target_id'] } },
  game_relationships: {
    key: ['user_id', 'family_id', 'target_id'],
    indexes: { byPair: ['pair'] },
  },
  relationship_totals: { key: ['user_id'], indexes: {} },
  social_settings: { key: ['user_id'], indexes: {} },
  status_expiries: { key: ['id'], indexes: { byExpiry: ['expires_at_ms'] } },
  application_profiles: {
    key: ['user_id', 'application_id'],
    indexes: { byIdentity: ['application_id', 'identity_hash'] },
  },
  social_presences: { key: ['user_id'], indexes: {} },
  headless_sessions: { key: ['id'], indexes: { byUser: ['user_id'], byExpiry: ['expires_at_ms'] } },
  direct_channels: { key: ['id'], indexes: { byPair: ['pair'] } },
  direct_recipients: { key: ['user_id', 'channel_id'], indexes: {} },
  direct_messages: { key: ['channel_id', 'sent_at_ms', 'id'], indexes: { byExpiry: ['expires_at_ms'], byId: ['id'] } },
  webhook_queues: { key: ['id'], indexes: { byExpiry: ['expires_at_ms'] } },
  webhook_events: { key: ['queue_id', 'number'], indexes: {} },
  settings: { key: ['name'], indexes: {} },
} as const satisfies Record<CollectionName, CollectionShape>;

export type IndexName<Name extends CollectionName> = keyof (typeof collections)[Name]['indexes'] & string;
