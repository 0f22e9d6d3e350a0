import { type IntegrationType, integrationTypes, interactionContexts } from '../../../model/command.ts';
import type { ApiErrorName } from '../../../model/errors/errors.ts';
import { permissionBits } from '../../../model/guild.ts';
import { isInstalledBy, isOfferedIn } from '../../../model/rules/commands/offered.ts';
import {
  decidingChannel,
  type MemberPlace,
  memberPermissions,
  memberPlace,
} from '../../../model/rules/permissions/member-place.ts';
import { type PermitStep, type PermitStepName, permit } from '../../../model/rules/permissions/permit.ts';
import type { StoreView } from '../../store/contract.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  CommandRecord,
  GuildMemberRecord,
  GuildRecord,
  UserRecord,
} from '../../store/records.ts';
import { apiMessages } from '../../support/api-messages.ts';
import { RequestError } from '../../support/request-error.ts';
import { overwriteLayers } from '../commands/overwrites.ts';
import { botMember, isUserInstalled, sharesGuild } from '../guilds/installations.ts';
import { commandFault, type UseInput } from './use-input.ts';

/** Where a command is used. */
export type InvocationPlace = GuildPlace | DirectPlace;

interface PlaceBase {
  /** The application's permissions there. */
  readonly appPermissions: bigint;
  /**
   * Integration type → who installed the application: the id of the guild or the user, `0` for the bot's own direct
   * messages.
   */
  readonly owners: Readonly<Record<string, string>>;
}

export interface GuildPlace extends PlaceBase {
  readonly context: typeof interactionContexts.GUILD;
  readonly guild: GuildRecord;
  readonly channel: ChannelRecord;
  readonly member: GuildMemberRecord;
  /** The member's permissions in the channel. */
  readonly permissions: bigint;
}

export interface DirectPlace extends PlaceBase {
  readonly context: typeof interactionContexts.BOT_DM | typeof interactionContexts.PRIVATE_CHANNEL;
}

// @see docs/spec/interactions.md#interaction
const privatePermissions = permissionBits.EMBED_LINKS | permissionBits.ATTACH_FILES | permissionBits.MENTION_EVERYONE;
const botDirectPermissions = privatePermissions | permissionBits.USE_EXTERNAL_EMOJIS;

interface Use {
  readonly application: ApplicationRecord;
  /** Absent for a component or a modal, for which seeing the channel is enough. */
  readonly command?: CommandRecord | undefined;
  readonly user: UserRecord;
  readonly invocation: Pick<UseInput, 'guildId' | 'channelId'>;
  /** For a component or a modal: who had installed the application for the message or the use that it belongs to. */
  readonly inherited?: InvocationPlace['owners'];
}

/**
 * Determines where the command, component or modal is used, and checks that it can be used there.
 *
 * Deviation: outside guilds every channel that is not of two users stands for the user's direct messages with the application's bot,
 * which are not stored.
 *
 * @throws RequestError `unknown_guild`, `unknown_channel`, `missing_access` (not a member, or the application is not
 *   installed), `invalid_form_body` when the command is not offered there, and the error of {@link permitFault} for a
 *   user who may not use it there
 */
export async function findPlace(view: StoreView, use: Use): Promise<InvocationPlace> {
  const { guildId } = use.invocation;
  if (guildId === undefined) return findDirectPlace(view, use);
  const guild = await view.get('guilds', guildId);
  if (!guild) throw new RequestError('unknown_guild');
  const member = await view.get('guild_members', guild.id, use.user.id);
  if (!member) throw new RequestError('missing_access');
  return findGuildPlace(view, use, guild, member);
}

async function findGuildPlace(
  view: StoreView,
  { application, command, user, invocation, inherited }: Use,
  guild: GuildRecord,
  member: GuildMemberRecord,
): Promise<GuildPlace> {
  const channel = guild.channels.find(({ id }) => id === invocation.channelId);
  if (!channel) throw new RequestError('unknown_channel');
  if (command && !isOfferedIn(command, interactionContexts.GUILD)) throw notOffered();
  const owners = orInherited(inherited, {
    ...(guild.applications.includes(application.id) &&
      belongsTo(command, integrationTypes.GUILD_INSTALL) && { [integrationTypes.GUILD_INSTALL]: String(guild.id) }),
    ...(await userInstall(view, application, command, user)),
  });
  const { permissions } = await rejectUnlessPermitted(view, { command, guild, channel, member, user });
  const bot = await botMember(view, guild, application);
  return {
    context: interactionContexts.GUILD,
    guild,
    channel,
    member,
    owners,
    permissions,
    appPermissions: memberPermissions(guild, bot, decidingChannel(guild, channel)),
  };
}

/** @throws RequestError `missing_access`, `missing_permissions`; the message names the rule that decided */
async function rejectUnlessPermitted(
  view: StoreView,
  {
    command,
    guild,
    channel,
    member,
    user,
  }: Pick<GuildPlace, 'guild' | 'channel' | 'member'> & Pick<Use, 'command' | 'user'>,
): Promise<MemberPlace> {
  const place = memberPlace(guild, { user_id: user.id, roles: member.roles, adult: user.adult }, channel.id);
  if (!place) throw new RequestError('unknown_channel');
  if (!command) {
    if ((place.permissions & permissionBits.VIEW_CHANNEL) === 0n) throw new RequestError('missing_access');
    return place;
  }
  const { allowed, decision } = permit({ command, place, overwrites: await overwriteLayers(view, guild.id, command) });
  if (!allowed) throw permitFault(decision);
  return place;
}

async function findDirectPlace(
  view: StoreView,
  { application, command, user, invocation, inherited }: Use,
): Promise<DirectPlace> {
  const { BOT_DM, PRIVATE_CHANNEL } = interactionContexts;
  const { GUILD_INSTALL } = integrationTypes;
  const channel = await view.get('direct_channels', invocation.channelId);
  if (channel && !channel.user_ids.includes(user.id)) throw new RequestError('unknown_channel');
  const context = channel ? PRIVATE_CHANNEL : BOT_DM;
  if (command && !isOfferedIn(command, context)) throw notOffered();
  // Between two users the application is there only for a user who has installed it.
  const isShared = !channel && (await sharesGuild(view, application.id, user.id)) && belongsTo(command, GUILD_INSTALL);
  const owners = orInherited(inherited, {
    ...(isShared && { [GUILD_INSTALL]: '0' }),
    ...(await userInstall(view, application, command, user)),
  });
  if (command?.nsfw && !user.adult) throw permitFault({ step: 'age', outcome: 'deny' });
  return { context, owners, appPermissions: channel ? privatePermissions : botDirectPermissions };
}

/** @throws RequestError `missing_access` */
function orInherited(inherited: InvocationPlace['owners'] = {}, own: InvocationPlace['owners']) {
  for (const owners of [own, inherited]) if (Object.keys(owners).length > 0) return owners;
  throw new RequestError('missing_access');
}

async function userInstall(
  view: StoreView,
  application: ApplicationRecord,
  command: CommandRecord | undefined,
  user: UserRecord,
): Promise<Readonly<Record<string, string>>> {
  if (!belongsTo(command, integrationTypes.USER_INSTALL)) return {};
  const isInstalled = await isUserInstalled(view, application.id, user.id);
  return isInstalled ? { [integrationTypes.USER_INSTALL]: String(user.id) } : {};
}

function belongsTo(command: CommandRecord | undefined, type: IntegrationType): boolean {
  return !command || isInstalledBy(command, type);
}

function notOffered(): RequestError {
  return commandFault('id', 'INTERACTION_APPLICATION_COMMAND_INVALID');
}

/**
 * The error for a member who may not use a command.
 *
 * Unspecified: 50001 when the member has no access to the place or to such commands, 50013 when a permission is
 * missing. The message names the rule that decided, and nothing that the member must not know.
 *
 * @see docs/spec/interactions.md#using-a-command; docs/spec/errors.md#error-codes
 */
function permitFault({ step }: PermitStep): RequestError {
  const { reason, because } = refusals[step];
  return new RequestError(reason, { message: `${apiMessages[reason]}: ${because}.` });
}

const refusals: Readonly<Record<PermitStepName, { readonly reason: ApiErrorName; readonly because: string }>> = {
  age: { reason: 'missing_access', because: 'the command is for adults, in a guild only in age-restricted channels' },
  access: { reason: 'missing_access', because: 'VIEW_CHANNEL and USE_APPLICATION_COMMANDS are needed in the channel' },
  send: { reason: 'missing_permissions', because: 'the command asks for the permission to send messages' },
  administrator: { reason: 'missing_permissions', because: 'the command is for administrators' },
  channel: { reason: 'missing_permissions', because: 'the command is disallowed in this channel' },
  member: { reason: 'missing_permissions', because: 'the command is disallowed for this member' },
  default: { reason: 'missing_permissions', because: 'the command asks for permissions that the member lacks' },
};
