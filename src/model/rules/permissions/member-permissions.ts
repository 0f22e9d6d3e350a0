import { allPermissions, type PermissionOverwrite, permissionBits } from '../../guild.ts';
import type { GuildId, RoleId, Snowflake, UserId } from '../../snowflake.ts';

/** What of a guild decides its members' permissions. */
export interface PermissionGuild {
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
