import { permissionBits, threadTypes } from '../../guild.ts';
import { allChannelsId, type CommandOverwrite, everyoneId, overwriteTypes } from '../../overwrite.ts';
import type { RoleId, Snowflake } from '../../snowflake.ts';
import { type MemberPlace, memberPlace, type PlaceGuild, type PlaceMember } from './member-place.ts';

/** A guild with the order of its roles. */
export interface RankedGuild extends PlaceGuild {
  readonly roles: readonly { readonly id: RoleId; readonly permissions: string; readonly position: number }[];
}

/** The roles of a member of the guild; empty for other users. */
export type RolesOf = (userId: Snowflake) => readonly RoleId[];

const needed = permissionBits.MANAGE_GUILD | permissionBits.MANAGE_ROLES;

/** Whether a member may edit the guild's command permissions at all. @see docs/spec/permissions.md#who-may-edit */
export function mayEditOverwrites({ permissions }: Pick<MemberPlace, 'permissions'>): boolean {
  return (permissions & needed) === needed;
}

/**
 * Whether a member who may edit command permissions may do so for what this entry is about.
 *
 * Unspecified: what "manage" means for each. A role stands below the editor's highest; @everyone is below all. A user's
 * highest role does, or it is the editor itself. A channel is seen by the editor, who has MANAGE_ROLES there, and all
 * channels are all of those. The owner manages everything; administrators keep to the order of the roles.
 *
 * @see docs/spec/permissions.md#who-may-edit
 */
export function mayManageTarget(
  guild: RankedGuild,
  editor: PlaceMember,
  { id, type }: CommandOverwrite,
  rolesOf: RolesOf,
): boolean {
  if (editor.user_id === guild.owner_id) return true;
  if (type === overwriteTypes.CHANNEL) return managesChannel(guild, editor, id);
  const own = rank(guild, editor.roles);
  if (type === overwriteTypes.ROLE) return id === everyoneId(guild.id) || rank(guild, [id]) < own;
  if (id === guild.owner_id) return false;
  return id === editor.user_id || rank(guild, rolesOf(id)) < own;
}

function managesChannel(guild: RankedGuild, editor: PlaceMember, id: string): boolean {
  const channels = guild.channels.filter(({ type }) => !threadTypes.has(type));
  const concerned = id === allChannelsId(guild.id) ? channels : channels.filter(channel => channel.id === id);
  const asked = permissionBits.VIEW_CHANNEL | permissionBits.MANAGE_ROLES;
  return concerned.every(channel => ((memberPlace(guild, editor, channel.id)?.permissions ?? 0n) & asked) === asked);
}

/** The highest position among the roles; @everyone, which all have, is the lowest. */
function rank({ roles }: RankedGuild, held: readonly Snowflake[]): number {
  return roles.reduce((highest, { id, position }) => (held.includes(id) ? Math.max(highest, position) : highest), 0);
}
