import { isDeepStrictEqual } from 'node:util';
import { permissionBits } from '../../../model/guild.ts';
import { decidingChannel, memberPermissions } from '../../../model/rules/permissions/member-place.ts';
import type { ChannelId, UserId } from '../../../model/snowflake.ts';
import { type Topic, topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { GuildMemberRecord, GuildRecord } from '../../store/records.ts';
import { guildsOf } from './installations.ts';

/** Who sees which channels: the own clients of users follow the channels that they see. */

/** The channels of all guilds of the user that the user sees. */
export async function channelsSeenBy(view: StoreView, userId: UserId): Promise<readonly ChannelId[]> {
  const guilds = await guildsOf(view, userId);
  const members = await Promise.all(guilds.map(guild => view.get('guild_members', guild.id, userId)));
  return guilds.flatMap((guild, at) => {
    const member = members[at];
    return member ? channelsOf(guild, member) : [];
  });
}

/**
 * Announces to the members of a guild which channels they see from now on, and which no longer: one announcement for each member
 * whose view changes, however many channels there are. Call it before the change is written.
 *
 * @param before undefined when the guild is new
 * @param members those that are new or changed, each with its record before the change
 */
export async function announceViews(
  transaction: Transaction,
  before: GuildRecord | undefined,
  guild: GuildRecord,
  members: readonly (readonly [before: GuildMemberRecord | undefined, member: GuildMemberRecord])[],
): Promise<void> {
  const changed = new Map(members.map(pair => [pair[1].user_id, pair]));
  if (before && decidesViews(before, guild)) {
    for (const member of await transaction.list('guild_members', { equals: [guild.id] })) {
      if (!changed.has(member.user_id)) changed.set(member.user_id, [member, member]);
    }
  }
  const hadSeen = before && viewsOf(before);
  const sees = viewsOf(guild);
  const between = differences();
  for (const [known, member] of changed.values()) {
    const difference = between(hadSeen && known ? hadSeen(known) : nothing, sees(member));
    if (difference) transaction.announce({ to: topics.user(member.user_id), ...difference });
  }
}

/** The member is one no longer, and follows no channel of the guild. */
export function announceViewLoss(transaction: Transaction, guild: GuildRecord, member: GuildMemberRecord): void {
  const difference = differenceOf(new Set(channelsOf(guild, member)), new Set());
  if (difference) transaction.announce({ to: topics.user(member.user_id), ...difference });
}

const nothing: readonly ChannelId[] = [];

/** What members begin and stop to follow, if anything. */
type Difference = { readonly follow?: readonly Topic[]; readonly unfollow?: readonly Topic[] } | undefined;

/** Compares views; those that several members share, most of a large guild, are compared once. */
function differences(): (had: readonly ChannelId[], has: readonly ChannelId[]) => Difference {
  const known = new Map<readonly ChannelId[], Map<readonly ChannelId[], Difference>>();
  return (had, has) => {
    const byView = known.get(had) ?? new Map<readonly ChannelId[], Difference>();
    known.set(had, byView);
    if (!byView.has(has)) byView.set(has, differenceOf(new Set(had), new Set(has)));
    return byView.get(has);
  };
}

function differenceOf(had: ReadonlySet<ChannelId>, has: ReadonlySet<ChannelId>): Difference {
  const follow = [...has].filter(id => !had.has(id)).map(topics.channel);
  const unfollow = [...had].filter(id => !has.has(id)).map(topics.channel);
  if (follow.length === 0 && unfollow.length === 0) return undefined;
  return { ...(follow.length > 0 && { follow }), ...(unfollow.length > 0 && { unfollow }) };
}

function decidesViews(before: GuildRecord, guild: GuildRecord): boolean {
  const deciding = ({ owner_id, roles, channels }: GuildRecord) => ({ owner_id, roles, channels });
  return !isDeepStrictEqual(deciding(before), deciding(guild));
}

/** As {@link channelsOf}; members with the same roles, most of a large guild, are looked at once. */
function viewsOf(guild: GuildRecord): (member: GuildMemberRecord) => readonly ChannelId[] {
  const overwrites = guild.channels.flatMap(({ permission_overwrites }) => permission_overwrites);
  const particular = new Set<string>([guild.owner_id, ...overwrites.map(({ id }) => id)]);
  const byRoles = new Map<string, readonly ChannelId[]>();
  return member => {
    if (particular.has(member.user_id)) return channelsOf(guild, member);
    const roles = member.roles.join();
    const known = byRoles.get(roles) ?? channelsOf(guild, member);
    byRoles.set(roles, known);
    return known;
  };
}

function channelsOf(guild: GuildRecord, member: GuildMemberRecord): readonly ChannelId[] {
  const sees = (channel: GuildRecord['channels'][number]) =>
    (memberPermissions(guild, member, decidingChannel(guild, channel)) & permissionBits.VIEW_CHANNEL) !== 0n;
  return guild.channels.filter(sees).map(({ id }) => id);
}
