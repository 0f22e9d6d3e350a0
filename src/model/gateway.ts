import type { ApplicationProfile } from './application-profile.ts';
import type { CommandChoice } from './command.ts';
import type { Modal } from './component.ts';
import type { ActivityInvite, DirectChannel, DirectMessage } from './direct-message.ts';
import type { Channel, Guild, GuildMember, Role } from './guild.ts';
import type { Interaction } from './interaction.ts';
import type { GatewayLobby, GatewayLobbyMember, LobbyVoiceServer, LobbyVoiceState } from './lobby.ts';
import type { GatewayLobbyMessage } from './lobby-message.ts';
import type { ChannelMessage, Message } from './message.ts';
import type { GuildCommandPermissions } from './overwrite.ts';
import type { ListedPresence, OwnSession, Presence, PresenceUpdate, SocialSettings } from './presence.ts';
import type { MergeCompleted } from './provisional.ts';
import type { GameRelationship, PartialRelationship, Relationship } from './relationship.ts';
import type {
  ApplicationId,
  ChannelId,
  GuildId,
  InteractionId,
  LobbyId,
  MessageId,
  RoleId,
  Snowflake,
  UserId,
} from './snowflake.ts';
import type { User } from './user.ts';

/** Of a frame from a client. @see docs/spec/gateway.md#frames */
export const gatewayPayloadBytesMax = 4096;

/** @see docs/spec/gateway.md#frames */
export const opcodes = {
  DISPATCH: 0,
  HEARTBEAT: 1,
  IDENTIFY: 2,
  PRESENCE_UPDATE: 3,
  VOICE_STATE_UPDATE: 4,
  RESUME: 6,
  RECONNECT: 7,
  REQUEST_GUILD_MEMBERS: 8,
  INVALID_SESSION: 9,
  HELLO: 10,
  HEARTBEAT_ACK: 11,
  LOBBY_VOICE_STATES: 17,
  REQUEST_SOUNDBOARD_SOUNDS: 31,
  LOBBY_VOICE_SERVER_PING: 42,
  REQUEST_CHANNEL_INFO: 43,
} as const;
export type Opcode = (typeof opcodes)[keyof typeof opcodes];

/** What a client does after a close: `resume` the session, `identify` again, or `stop`. */
export type CloseRemedy = 'resume' | 'identify' | 'stop';

/** Every close code and what may follow it. @see docs/spec/gateway.md#close-codes */
export const closeCodes = {
  UNKNOWN_ERROR: { code: 4000, remedy: 'resume' },
  UNKNOWN_OPCODE: { code: 4001, remedy: 'resume' },
  DECODE_ERROR: { code: 4002, remedy: 'resume' },
  NOT_AUTHENTICATED: { code: 4003, remedy: 'identify' },
  AUTHENTICATION_FAILED: { code: 4004, remedy: 'stop' },
  ALREADY_AUTHENTICATED: { code: 4005, remedy: 'resume' },
  INVALID_SEQUENCE: { code: 4007, remedy: 'identify' },
  RATE_LIMITED: { code: 4008, remedy: 'resume' },
  SESSION_TIMED_OUT: { code: 4009, remedy: 'identify' },
  INVALID_SHARD: { code: 4010, remedy: 'stop' },
  SHARDING_REQUIRED: { code: 4011, remedy: 'stop' },
  INVALID_API_VERSION: { code: 4012, remedy: 'stop' },
  INVALID_INTENTS: { code: 4013, remedy: 'stop' },
  DISALLOWED_INTENTS: { code: 4014, remedy: 'stop' },
} as const satisfies Record<string, { code: number; remedy: CloseRemedy }>;
export type CloseCodeName = keyof typeof closeCodes;

const byCode = new Map<number, (typeof closeCodes)[CloseCodeName]>(
  Object.values(closeCodes).map(entry => [entry.code, entry]),
);

/** What may follow a close with `code`; a code the table does not know (1006, a proxy's own) can be resumed. */
export function closeRemedy(code: number): CloseRemedy {
  return byCode.get(code)?.remedy ?? 'resume';
}

/** @see docs/spec/gateway.md#intents */
export const intents = {
  GUILDS: 1 << 0,
  GUILD_MEMBERS: 1 << 1,
  GUILD_MODERATION: 1 << 2,
  GUILD_EXPRESSIONS: 1 << 3,
  GUILD_INTEGRATIONS: 1 << 4,
  GUILD_WEBHOOKS: 1 << 5,
  GUILD_INVITES: 1 << 6,
  GUILD_VOICE_STATES: 1 << 7,
  GUILD_PRESENCES: 1 << 8,
  GUILD_MESSAGES: 1 << 9,
  GUILD_MESSAGE_REACTIONS: 1 << 10,
  GUILD_MESSAGE_TYPING: 1 << 11,
  DIRECT_MESSAGES: 1 << 12,
  DIRECT_MESSAGE_REACTIONS: 1 << 13,
  DIRECT_MESSAGE_TYPING: 1 << 14,
  MESSAGE_CONTENT: 1 << 15,
  GUILD_SCHEDULED_EVENTS: 1 << 16,
  /** Usable by OAuth2 sessions only, as are the three below. */
  PRIVATE_CHANNELS: 1 << 18,
  CALLS: 1 << 19,
  AUTO_MODERATION_CONFIGURATION: 1 << 20,
  AUTO_MODERATION_EXECUTION: 1 << 21,
  USER_RELATIONSHIPS: 1 << 22,
  USER_PRESENCE: 1 << 23,
  GUILD_MESSAGE_POLLS: 1 << 24,
  DIRECT_MESSAGE_POLLS: 1 << 25,
  DIRECT_EMBEDDED_ACTIVITIES: 1 << 26,
  /** Usable by OAuth2 sessions only, as is LOBBY_DELETE. */
  LOBBIES: 1 << 27,
  LOBBY_DELETE: 1 << 28,
} as const;

/** Every bit an Identify may set. */
export const allIntents: number = /* @__PURE__ */ Object.values(intents).reduce((bits, bit) => bits | bit, 0);

/** Bits of Identify's `capabilities`. @see docs/spec/gateway.md#players-sessions */
export const capabilities = {
  /** READY lists users apart, each once. */
  DEDUPE_USER_OBJECTS: 1 << 4,
  PRIORITIZED_READY_PAYLOAD: 1 << 5,
  AUTO_CALL_CONNECT: 1 << 12,
  /** READY carries the lobbies instead of a LOBBY_CREATE for each. */
  AUTO_LOBBY_CONNECT: 1 << 16,
} as const;

/** A frame, either way. `s` and `t` belong to dispatches only. */
export interface GatewayFrame {
  op: number;
  d: unknown;
  s?: number | null;
  t?: string | null;
}

/** @see docs/spec/gateway.md#sessions */
export interface Identify {
  token: string;
  properties: Readonly<Record<string, string>>;
  intents: number;
  compress?: boolean;
  large_threshold?: number;
  shard?: readonly [id: number, count: number];
  capabilities?: number;
  presence?: PresenceUpdate;
}

/** @see docs/spec/gateway.md#sessions */
export interface Resume {
  token: string;
  session_id: string;
  /** The last number the client got. */
  seq: number;
}

/** Asks for members of a guild: by the beginning of a name, or by ids. @see docs/spec/gateway.md#rates */
export interface RequestGuildMembers {
  guild_id: GuildId;
  /** Empty: everybody. */
  query?: string;
  /** 0: no limit, with an empty query only. */
  limit?: number;
  user_ids?: UserId | readonly UserId[];
  presences?: boolean;
  /** Repeated in every chunk. */
  nonce?: string;
}

/** A guild of READY, before its GUILD_CREATE. */
export interface UnavailableGuild {
  id: GuildId;
  unavailable: true;
}

/** A user's own client gets no `application`. @see docs/spec/gateway.md#sessions */
export interface Ready extends Partial<PlayerReady> {
  v: number;
  user: User;
  guilds: readonly UnavailableGuild[];
  session_id: string;
  resume_gateway_url: string;
  shard?: readonly [id: number, count: number];
  /** With its name, and the publisher's application it belongs to, for OAuth2 sessions alone. */
  application?: { id: ApplicationId; flags: number; name?: string; parent_id?: ApplicationId };
  session_type: 'normal' | 'oauth';
  private_channels: readonly DirectChannel[];
  relationships: readonly Relationship[];
  game_relationships: readonly GameRelationship[];
}

/** What READY has for OAuth2 sessions alone. @see docs/spec/gateway.md#players-sessions */
export interface PlayerReady {
  scopes: readonly string[];
  /** Only with the capability AUTO_LOBBY_CONNECT. */
  lobbies?: readonly GatewayLobby[];
  feature_flags: { disabled_functions: readonly string[]; disabled_gateway_events: readonly string[] };
  /** User id → what the game's server reports about the user. @see docs/spec/social.md#application-profiles */
  user_application_profiles: Readonly<Record<UserId, readonly ApplicationProfile[]>>;
  /** Every user of the lists, once; only with the capability DEDUPE_USER_OBJECTS. */
  users?: readonly User[];
  /** Of friends who are not offline; only without that capability. */
  presences?: readonly Presence[];
  sessions?: readonly OwnSession[];
  user_settings?: Partial<SocialSettings>;
}

/** What follows READY for OAuth2 sessions. @see docs/spec/social.md#ready */
export interface ReadySupplemental {
  /** Friends who are not offline. */
  merged_presences: { friends: readonly ListedPresence[]; guilds: readonly (readonly ListedPresence[])[] };
  guilds: readonly unknown[];
  lazy_private_channels: readonly unknown[];
  disclose: readonly string[];
  game_invites: readonly unknown[];
}

/** Why a lobby left a session's sight. */
export type LobbyDeleteReason = 'deleted' | 'removed';

/** Dispatch name → its `d`. @see docs/spec/gateway.md#events */
export interface Dispatches {
  READY: Ready;
  RESUMED: Record<string, never>;
  /** An opcode was asked for too often; `retry_after` in seconds. */
  RATE_LIMITED: { opcode: Opcode; retry_after: number; meta: { guild_id: GuildId; nonce?: string } };
  /** The session's own user is another than it was. */
  USER_UPDATE: User;
  /** What a game's server reports about the session's user, or about somebody whose presence the session sees. */
  USER_APPLICATION_IDENTITY_UPDATE: ApplicationProfile;
  USER_APPLICATION_IDENTITY_REMOVE: Pick<ApplicationProfile, 'user_id' | 'application_id'>;
  GUILD_CREATE: Guild;
  GUILD_UPDATE: GuildUpdated;
  /** The application was taken out of the guild. */
  GUILD_DELETE: { id: GuildId };
  GUILD_ROLE_CREATE: { guild_id: GuildId; role: Role };
  GUILD_ROLE_UPDATE: { guild_id: GuildId; role: Role };
  GUILD_ROLE_DELETE: { guild_id: GuildId; role_id: RoleId };
  GUILD_MEMBER_ADD: GuildMemberDispatch;
  GUILD_MEMBER_UPDATE: GuildMemberDispatch;
  GUILD_MEMBER_REMOVE: { guild_id: GuildId; user: User };
  GUILD_MEMBERS_CHUNK: GuildMembersChunk;
  PRESENCE_UPDATE: Presence;
  INTERACTION_CREATE: Interaction;
  /** The overwrites of a command, or of all of an application's, in a guild; empty when they are gone. */
  APPLICATION_COMMAND_PERMISSIONS_UPDATE: GuildCommandPermissions;
  /**
   * To users, in a guild of theirs or everywhere: what the command index says of the application may have changed. Our
   * choice: the interface has no event for this, and without one an index could only be asked for again and again.
   */
  APPLICATION_COMMAND_INDEX_UPDATE: { application_id: ApplicationId; guild_id?: GuildId };
  /** Sent to the user's own clients: the command that they used was answered, or was not answered in time. */
  INTERACTION_SUCCESS: InteractionOutcome;
  INTERACTION_FAILURE: InteractionOutcome;
  /** To the user's own clients: what the application suggests for the option being typed. */
  APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE: AutocompleteResponse;
  /** To the user's own clients: the form that the application answered with. */
  INTERACTION_MODAL_CREATE: ModalCreated;
  READY_SUPPLEMENTAL: ReadySupplemental;
  RELATIONSHIP_ADD: Relationship & { should_notify?: boolean };
  RELATIONSHIP_UPDATE: PartialRelationship;
  RELATIONSHIP_REMOVE: PartialRelationship;
  GAME_RELATIONSHIP_ADD: GameRelationship & { should_notify?: boolean };
  GAME_RELATIONSHIP_REMOVE: Omit<GameRelationship, 'user'>;
  /** The user's own sessions, with the one called `all` that others see. */
  SESSIONS_REPLACE: readonly OwnSession[];
  /** To sessions of games that do not receive messages between users. */
  ACTIVITY_INVITE_CREATE: ActivityInvite;
  MESSAGE_CREATE: Message | ChannelMessage | DirectMessage;
  MESSAGE_UPDATE: Message | DirectMessage;
  MESSAGE_DELETE: { id: MessageId; channel_id: ChannelId; guild_id?: GuildId };
  CHANNEL_CREATE: Channel | DirectChannel;
  THREAD_CREATE: Channel;
  THREAD_UPDATE: Channel;
  THREAD_DELETE: Pick<Channel, 'id' | 'guild_id' | 'parent_id' | 'type'>;
  CHANNEL_UPDATE: Channel;
  CHANNEL_DELETE: Channel;
  INVITE_CREATE: InviteCreated;
  LOBBY_CREATE: GatewayLobby;
  LOBBY_UPDATE: GatewayLobby;
  LOBBY_DELETE: { id: LobbyId; reason: LobbyDeleteReason };
  LOBBY_MEMBER_ADD: LobbyMemberDispatch;
  LOBBY_MEMBER_UPDATE: LobbyMemberDispatch;
  LOBBY_MEMBER_REMOVE: LobbyMemberDispatch;
  LOBBY_MEMBER_CONNECT: Omit<LobbyMemberDispatch, 'application_id'>;
  LOBBY_MEMBER_DISCONNECT: Omit<LobbyMemberDispatch, 'application_id'>;
  LOBBY_MESSAGE_CREATE: GatewayLobbyMessage;
  LOBBY_MESSAGE_UPDATE: GatewayLobbyMessage;
  LOBBY_VOICE_STATE_UPDATE: LobbyVoiceState;
  /** To the session that came into the call, or asked for it by op 42. */
  LOBBY_VOICE_SERVER_UPDATE: LobbyVoiceServer;
  /** To the sessions of the account that another was merged into. */
  USER_MERGE_OPERATION_COMPLETED: MergeCompleted;
}
export type DispatchName = keyof Dispatches;

/** A guild's own fields, without the lists that have events of their own. */
export type GuildUpdated = Pick<Guild, 'id' | 'name' | 'owner_id' | 'preferred_locale' | 'roles' | 'features'> & {
  [field: string]: unknown;
};

export interface GuildMemberDispatch extends GuildMember {
  guild_id: GuildId;
}

/** A part of the answer to {@link RequestGuildMembers}: up to 1,000 members. */
export interface GuildMembersChunk {
  guild_id: GuildId;
  members: readonly GuildMember[];
  chunk_index: number;
  chunk_count: number;
  /** Ids asked for that are no members. */
  not_found?: readonly Snowflake[];
  presences?: readonly Presence[];
  nonce?: string;
}

/** An invite to a guild. */
export interface InviteCreated {
  code: string;
  guild_id: GuildId;
  channel_id: ChannelId;
  /** The user who asked for it. */
  inviter: User;
  /** The only one who may use it. */
  target_user: User;
  /** ISO 8601 with microseconds. */
  created_at: string;
  /** Seconds. */
  max_age: number;
  max_uses: number;
  uses: number;
  temporary: boolean;
}

/** Up to 25 choices; `nonce` is the one the client sent with what was typed. */
export interface AutocompleteResponse {
  choices: readonly CommandChoice[];
  nonce: string | null;
}

/** A form to show; it is sent back to `POST /interactions` under the id and the custom id that stand here. */
export interface ModalCreated extends Modal {
  /** Of the interaction that was answered with it. */
  id: InteractionId;
  channel_id: ChannelId;
  application: { id: ApplicationId; name: string; description: string; icon: null; bot: User };
  /** The one that the client sent with what was answered. */
  nonce: string | null;
}

/** `nonce` is the one the client sent when it used the command. */
export interface InteractionOutcome {
  id: InteractionId;
  nonce: string | null;
}

/** Which intents let a dispatch through: any one of the bits. An event without a row is always delivered. @see docs/spec/gateway.md#intents */
export const dispatchIntents: Readonly<Partial<Record<DispatchName, number>>> = /* @__PURE__ */ (() => ({
  GUILD_CREATE: intents.GUILDS,
  GUILD_UPDATE: intents.GUILDS,
  GUILD_DELETE: intents.GUILDS,
  GUILD_ROLE_CREATE: intents.GUILDS,
  GUILD_ROLE_UPDATE: intents.GUILDS,
  GUILD_ROLE_DELETE: intents.GUILDS,
  GUILD_MEMBER_ADD: intents.GUILD_MEMBERS,
  GUILD_MEMBER_UPDATE: intents.GUILD_MEMBERS,
  GUILD_MEMBER_REMOVE: intents.GUILD_MEMBERS,
  PRESENCE_UPDATE: intents.GUILD_PRESENCES | intents.USER_PRESENCE,
  RELATIONSHIP_ADD: intents.USER_RELATIONSHIPS,
  RELATIONSHIP_UPDATE: intents.USER_RELATIONSHIPS,
  RELATIONSHIP_REMOVE: intents.USER_RELATIONSHIPS,
  GAME_RELATIONSHIP_ADD: intents.USER_RELATIONSHIPS,
  GAME_RELATIONSHIP_REMOVE: intents.USER_RELATIONSHIPS,
  CHANNEL_CREATE: intents.GUILDS | intents.PRIVATE_CHANNELS,
  THREAD_CREATE: intents.GUILDS,
  THREAD_UPDATE: intents.GUILDS,
  THREAD_DELETE: intents.GUILDS,
  MESSAGE_CREATE: intents.GUILD_MESSAGES | intents.DIRECT_MESSAGES,
  MESSAGE_UPDATE: intents.GUILD_MESSAGES | intents.DIRECT_MESSAGES,
  MESSAGE_DELETE: intents.GUILD_MESSAGES | intents.DIRECT_MESSAGES,
  CHANNEL_UPDATE: intents.GUILDS,
  CHANNEL_DELETE: intents.GUILDS,
  INVITE_CREATE: intents.GUILD_INVITES,
  LOBBY_CREATE: intents.LOBBIES,
  LOBBY_UPDATE: intents.LOBBIES,
  LOBBY_DELETE: intents.LOBBY_DELETE,
  LOBBY_MEMBER_ADD: intents.LOBBIES,
  LOBBY_MEMBER_UPDATE: intents.LOBBIES,
  LOBBY_MEMBER_REMOVE: intents.LOBBIES,
  LOBBY_MEMBER_CONNECT: intents.LOBBIES,
  LOBBY_MEMBER_DISCONNECT: intents.LOBBIES,
  LOBBY_MESSAGE_CREATE: intents.LOBBIES,
  LOBBY_MESSAGE_UPDATE: intents.LOBBIES,
  LOBBY_VOICE_STATE_UPDATE: intents.LOBBIES,
  LOBBY_VOICE_SERVER_UPDATE: intents.LOBBIES,
}))();

/** Dispatches whose intent depends on where they happened. */
const placedIntents: Readonly<Partial<Record<DispatchName, { guild: number; direct: number }>>> =
  /* @__PURE__ */ (() => ({
    MESSAGE_CREATE: { guild: intents.GUILD_MESSAGES, direct: intents.DIRECT_MESSAGES },
    MESSAGE_UPDATE: { guild: intents.GUILD_MESSAGES, direct: intents.DIRECT_MESSAGES },
    MESSAGE_DELETE: { guild: intents.GUILD_MESSAGES, direct: intents.DIRECT_MESSAGES },
    CHANNEL_CREATE: { guild: intents.GUILDS, direct: intents.PRIVATE_CHANNELS },
    PRESENCE_UPDATE: { guild: intents.GUILD_PRESENCES, direct: intents.USER_PRESENCE },
  }))();

/** The intents that let a dispatch through, any one of the bits; undefined when it is always delivered. */
export function intentsFor(name: DispatchName, inGuild: boolean): number | undefined {
  const placed = placedIntents[name];
  if (placed) return inGuild ? placed.guild : placed.direct;
  return dispatchIntents[name];
}

export interface LobbyMemberDispatch {
  member: GatewayLobbyMember;
  lobby_id: LobbyId;
  application_id: ApplicationId;
}

/** Answer of `GET /gateway/bot`; times in milliseconds. @see docs/spec/gateway.md#connecting */
export interface GatewayBot {
  url: string;
  shards: number;
  session_start_limit: { total: number; remaining: number; reset_after: number; max_concurrency: number };
}
