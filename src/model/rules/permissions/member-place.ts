import { allPermissions, type PermissionOverwrite, permissionBits, threadTypes } from '../../guild.ts';
import type { ChannelId, GuildId, RoleId, Snowflake, UserId } from '../../snowflake.ts';

/** What of a guild decides its members' permissions. */
interface PermissionGuild {
  readonly id: GuildId;
  readonly owner_id: UserId;
  /** The role of everyone, which has the guild's own id, among them. */
  readonly roles: readonly { readonly id: RoleId; readonly permissions: string }[];
}

/**
 * The permission bits a member holds in a channel: those of its roles, changed by the channel's overwrites (first
 * @everyone's, then those of all its roles together, then its own). Owner and administrators hold all.
 */
export function memberPermissions(
  guild: PermissionGuild,
  member: { readonly user_id: UserId; readonly roles: readonly RoleId[] },
  channel: { readonly permission_overwrites: readonly PermissionOverwrite[] },
): bigint {
  if (member.user_id === guild.owner_id) return allPermissions;
  const everyone: Snowflake = guild.id;
  const held: ReadonlySet<Snowflake> = new Set([everyone, ...member.roles]);
  const base = anyOf(guild.roles.filter(({ id }) => held.has(id)).map(({ permissions }) => permissions));
  if (base & permissionBits.ADMINISTRATOR) return allPermissions;
  const ofRole = (id: Snowflake) => held.has(id) && id !== everyone;
  return [
    channel.permission_overwrites.filter(({ id, type }) => type === overwriteTypes.ROLE && id === everyone),
    channel.permission_overwrites.filter(({ id, type }) => type === overwriteTypes.ROLE && ofRole(id)),
    channel.permission_overwrites.filter(({ id, type }) => type === overwriteTypes.MEMBER && id === member.user_id),
  ].reduce(overwrite, base);
}

const overwriteTypes = { ROLE: 0, MEMBER: 1 } as const;

function overwrite(bits: bigint, overwrites: readonly PermissionOverwrite[]): bigint {
  return (bits & ~anyOf(overwrites.map(({ deny }) => deny))) | anyOf(overwrites.map(({ allow }) => allow));
}

function anyOf(texts: readonly string[]): bigint {
  return texts.reduce((bits, text) => bits | BigInt(text), 0n);
}

/** What of a channel decides what members may do there. */
export interface PlaceChannel {
  readonly id: ChannelId;
  readonly type: number;
  readonly nsfw: boolean;
  readonly parent_id: ChannelId | null;
  readonly permission_overwrites: readonly PermissionOverwrite[];
}

/** A guild as {@link memberPlace} reads it: the service's own record, or what GUILD_CREATE shows. */
export interface PlaceGuild extends PermissionGuild {
  readonly channels: readonly PlaceChannel[];
}

export interface PlaceMember {
  readonly user_id: UserId;
  /** Without @everyone, which all have. */
  readonly roles: readonly RoleId[];
  /** 18 or older. */
  readonly adult: boolean;
}

/** A member in one channel of a guild, as far as it decides what they may use there. */
export interface MemberPlace {
  readonly guildId: GuildId;
  readonly member: PlaceMember;
  /** What the member may do here. */
  readonly permissions: bigint;
  /** Undefined: in the guild as a whole, apart from what its channels change. */
  readonly channel?: {
    /** The channel whose permissions count: of a thread, the one it belongs to. */
    readonly id: ChannelId;
    readonly nsfw: boolean;
    readonly isThread: boolean;
  };
}

/**
 * The member in that channel, or in the guild as a whole when none is named. Undefined when the guild has no such
 * channel.
 *
 * @see docs/spec/permissions.md#evaluation
 */
export function memberPlace(guild: PlaceGuild, member: PlaceMember, channelId?: ChannelId): MemberPlace | undefined {
  const place = { guildId: guild.id, member };
  if (channelId === undefined) return { ...place, permissions: memberPermissions(guild, member, withoutOverwrites) };
  const found = guild.channels.find(({ id }) => id === channelId);
  if (!found) return undefined;
  const channel = decidingChannel(guild, found);
  return {
    ...place,
    permissions: memberPermissions(guild, member, channel),
    channel: { id: channel.id, nsfw: channel.nsfw, isThread: threadTypes.has(found.type) },
  };
}

/** The channel whose permissions count in `channel`: itself or, for a thread, the one it belongs to. */
export function decidingChannel<Channel extends PlaceChannel>(
  { channels }: { readonly channels: readonly Channel[] },
  channel: Channel,
): Channel {
  if (!threadTypes.has(channel.type)) return channel;
  return channels.find(({ id }) => id === channel.parent_id) ?? channel;
}

/** The permission that writing in this channel needs. */
export function sendPermission({ channel }: MemberPlace): bigint {
  return channel?.isThread ? permissionBits.SEND_MESSAGES_IN_THREADS : permissionBits.SEND_MESSAGES;
}

const withoutOverwrites = { permission_overwrites: [] };
