import { fieldErrors, type Issue } from '../../../model/errors/issue.ts';
import type { ResolvedChannel, ResolvedData, ResolvedMember } from '../../../model/interaction.ts';
import { type Message, messageFlags } from '../../../model/message.ts';
import { memberPermissions } from '../../../model/rules/permissions/member-permissions.ts';
import { decidingChannel } from '../../../model/rules/permissions/member-place.ts';
import type { Snowflake } from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, ChannelRecord, GuildMemberRecord, UserRecord } from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { botMember } from '../guilds/bot-member.ts';
import { findUser } from '../guilds/people.ts';
import { memberView, roleView } from '../guilds/view.ts';
import type { GuildPlace, InvocationPlace } from './invocation-place.ts';
import type { Reference, ReferenceKind } from './invocation-references.ts';

/** Who uses which application's command, and where. */
interface Use {
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly channelId: Snowflake;
  readonly place: InvocationPlace;
}

type Found = {
  [Key in keyof Required<Omit<ResolvedData, 'attachments'>>]: Record<string, NonNullable<ResolvedData[Key]>[string]>;
};

/**
 * The objects that the ids of a use name; undefined when there are none.
 *
 * Unspecified: a user may be any user of the service; a role or channel must be one of the guild; a message must be
 * an answer of the application in this channel whose interaction is still stored, and an ephemeral one is visible to
 * its user only.
 *
 * @throws RequestError `invalid_form_body` at each unknown id
 * @see docs/spec/interactions.md#data
 */
export async function resolve(
  view: StoreView,
  references: readonly Reference[],
  use: Use,
): Promise<ResolvedData | undefined> {
  const found: Found = { users: {}, members: {}, roles: {}, channels: {}, messages: {} };
  const issues: Issue[] = [];
  for (const reference of references) issues.push(...(await resolveOne(view, reference, use, found)));
  rejectIssues(issues);
  const filled = Object.entries(found).filter(([, things]) => Object.keys(things).length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

async function resolveOne(
  view: StoreView,
  { id, kinds, path, channelTypes }: Reference,
  use: Use,
  found: Found,
): Promise<readonly Issue[]> {
  for (const kind of kinds)
    if (await finders[kind](view, id, use, found)) return checkType(found, id, path, channelTypes);
  return [{ path, code: 'ID_UNKNOWN', message: serviceFieldErrors.ID_UNKNOWN(kinds.join(' or ')) }];
}

function checkType(
  { channels }: Found,
  id: Snowflake,
  path: readonly string[],
  types: readonly number[] | undefined,
): readonly Issue[] {
  const channel = channels[id];
  if (!types || !channel || types.includes(channel.type)) return [];
  return [{ path, code: 'BASE_TYPE_CHOICES', message: fieldErrors.BASE_TYPE_CHOICES(types) }];
}

/** Adds the object to the result. @returns whether it exists */
type Finder = (view: StoreView, id: Snowflake, use: Use, found: Found) => Promise<boolean>;

const finders: Readonly<Record<ReferenceKind, Finder>> = {
  async user(view, id, { place, application }, { users, members }) {
    const user = await findUser(view, id);
    if (!user) return false;
    users[id] = user;
    if (!('guild' in place)) return true;
    const isBot = id === application.id && place.guild.applications.includes(application.id);
    const member = isBot
      ? await botMember(view, place.guild, application)
      : await view.get('guild_members', place.guild.id, id);
    if (member) members[id] = resolvedMember(place, member, user);
    return true;
  },

  async role(_view, id, { place }, { roles }) {
    const role = 'guild' in place ? place.guild.roles.find(one => one.id === id) : undefined;
    if (role) roles[id] = roleView(role);
    return role !== undefined;
  },

  async channel(view, id, { place, application }, { channels }) {
    const channel = 'guild' in place ? place.guild.channels.find(one => one.id === id) : undefined;
    if (!channel || !('guild' in place)) return false;
    channels[id] = resolvedChannel(place, channel, await botMember(view, place.guild, application));
    return true;
  },

  async message(view, id, { user, channelId, place }, { messages }) {
    const message = (await view.get('interaction_messages', id))?.message;
    const isThere = message && isShownIn(message, { channelId, place, user });
    if (isThere) messages[id] = message;
    return isThere === true;
  },
};

function resolvedMember(place: GuildPlace, member: GuildMemberRecord, ofUser: User): ResolvedMember {
  const { user: _, deaf: __, mute: ___, ...shown } = memberView(member, ofUser);
  return { ...shown, permissions: permissionsIn(place, member, place.channel) };
}

function resolvedChannel(place: GuildPlace, channel: ChannelRecord, bot: GuildMemberRecord): ResolvedChannel {
  const { id, name, type, nsfw, parent_id, position } = channel;
  return {
    id,
    name,
    type,
    permissions: permissionsIn(place, place.member, channel),
    app_permissions: permissionsIn(place, bot, channel),
    last_message_id: null,
    last_pin_timestamp: null,
    nsfw,
    parent_id,
    guild_id: place.guild.id,
    flags: 0,
    rate_limit_per_user: 0,
    topic: null,
    position,
  };
}

function permissionsIn({ guild }: GuildPlace, member: GuildMemberRecord, channel: ChannelRecord): string {
  return memberPermissions(guild, member, decidingChannel(guild, channel)).toString();
}

/** Whether the user sees the message: an ephemeral one, or one outside guilds, is visible to its own user only. */
export function isShownIn(message: Message, { channelId, place, user }: Omit<Use, 'application'>): boolean {
  const guildId = 'guild' in place ? place.guild.id : undefined;
  if (message.channel_id !== channelId || message.guild_id !== guildId) return false;
  const isPublic = guildId !== undefined && (message.flags & messageFlags.EPHEMERAL) === 0;
  return isPublic || message.interaction_metadata.user.id === user.id;
}
