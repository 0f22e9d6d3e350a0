import { type CommandOption, commandTypes, optionTypes } from '../../../model/command.ts';
import { type Component, componentTypes } from '../../../model/component.ts';
import { fieldErrors } from '../../../model/errors/field-errors.ts';
import type { Issue } from '../../../model/errors/issue.ts';
import type { OptionValue, ResolvedChannel, ResolvedData, ResolvedMember } from '../../../model/interaction.ts';
import { type Message, messageFlags } from '../../../model/message.ts';
import { decidingChannel, memberPermissions } from '../../../model/rules/permissions/member-place.ts';
import type { Snowflake } from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { StoreView } from '../../store/contract.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  CommandRecord,
  GuildMemberRecord,
  UserRecord,
} from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { botMember } from '../guilds/installations.ts';
import { findUser } from '../guilds/people.ts';
import { memberView, roleView } from '../guilds/view.ts';
import type { GuildPlace, InvocationPlace } from './invocation-place.ts';
import type { Invocation } from './use-input.ts';

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

type ReferenceKind = 'user' | 'role' | 'channel' | 'message';

/** An id in the use of a command, and the kinds of object that it may name. */
export interface Reference {
  readonly id: Snowflake;
  /** The kinds in order; the first that has the id counts. */
  readonly kinds: readonly ReferenceKind[];
  /** Its path in the body. */
  readonly path: readonly string[];
  /** For a channel: the types that the option accepts, unless it accepts all. */
  readonly channelTypes?: readonly number[];
}

const kindsByOption: Readonly<Record<number, readonly ReferenceKind[]>> = {
  [optionTypes.USER]: ['user'],
  [optionTypes.ROLE]: ['role'],
  [optionTypes.CHANNEL]: ['channel'],
  [optionTypes.MENTIONABLE]: ['user', 'role'],
};

const kindsBySelect: Readonly<Record<number, readonly ReferenceKind[]>> = {
  [componentTypes.USER_SELECT]: ['user'],
  [componentTypes.ROLE_SELECT]: ['role'],
  [componentTypes.MENTIONABLE_SELECT]: ['user', 'role'],
  [componentTypes.CHANNEL_SELECT]: ['channel'],
};

/** The ids chosen in a select, whose values are at `path`. */
export function valueReferences(
  { type, channel_types }: Component,
  values: readonly unknown[],
  path: readonly string[],
): readonly Reference[] {
  const kinds = kindsBySelect[type] ?? [];
  if (kinds.length === 0) return [];
  const types = (channel_types ?? []) as readonly number[];
  return values.map((value, i) => ({
    id: String(value),
    kinds,
    path: [...path, String(i)],
    ...(types.length > 0 && { channelTypes: types }),
  }));
}

/** Every id in a use of the command: the target of a context menu, and options that name an object. */
export function referencesOf(invocation: Invocation, command: CommandRecord): readonly Reference[] {
  const { targetId, options } = invocation;
  const kind = command.type === commandTypes.USER ? 'user' : 'message';
  const target = targetId === undefined ? [] : [{ id: targetId, kinds: [kind], path: ['data', 'target_id'] } as const];
  return [...target, ...inOptions(options as readonly OptionValue[], command.options ?? [], ['data', 'options'])];
}

function inOptions(
  values: readonly OptionValue[],
  options: readonly CommandOption[],
  path: readonly string[],
): readonly Reference[] {
  return values.flatMap((value, index) => {
    const option = options.find(({ name }) => name === value.name);
    const at = [...path, String(index)];
    if (value.options) return inOptions(value.options, option?.options ?? [], [...at, 'options']);
    const kinds = kindsByOption[value.type];
    if (!kinds) return [];
    const { channel_types: channelTypes } = option ?? {};
    return [{ id: String(value.value), kinds, path: [...at, 'value'], ...(channelTypes && { channelTypes }) }];
  });
}
