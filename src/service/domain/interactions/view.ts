import { optionTypes } from '../../../model/command.ts';
import { directChannelType } from '../../../model/guild.ts';
import {
  type CommandInteraction,
  type CommandInvocation,
  type ComponentInteraction,
  type Interaction,
  type InteractionBase,
  interactionTypes,
  type ModalInteraction,
  type OptionValue,
  type ResolvedData,
} from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { ApplicationId, ChannelId, InteractionId } from '../../../model/snowflake.ts';
import type { CommandRecord, UserRecord } from '../../store/records.ts';
import { userView } from '../accounts/user-view.ts';
import { channelView, memberView } from '../guilds/view.ts';
import type { Invocation } from './invocation-input.ts';
import type { InvocationPlace } from './invocation-place.ts';

/** A validated use. */
export interface InteractionUse {
  readonly id: InteractionId;
  readonly token: string;
  readonly applicationId: ApplicationId;
  readonly channelId: ChannelId;
  readonly user: UserRecord;
  readonly place: InvocationPlace;
  /** What the application receives besides place and user. */
  readonly payload:
    | Pick<CommandInteraction, 'type' | 'data'>
    | Pick<ComponentInteraction, 'type' | 'data' | 'message'>
    | Pick<ModalInteraction, 'type' | 'data' | 'message'>;
}

/** A use, as its application receives it. @see docs/spec/interactions.md#interaction */
export function interactionView(use: InteractionUse): Interaction {
  const { place, payload } = use;
  return {
    id: use.id,
    application_id: use.applicationId,
    ...payload,
    ...placeView(use),
    channel_id: use.channelId,
    token: use.token,
    version: 1,
    app_permissions: place.appPermissions.toString(),
    locale: use.user.locale,
    entitlements: [],
    authorizing_integration_owners: place.owners,
    context: place.context,
    attachment_size_limit: limits.attachmentBytesMax,
  };
}

/** The data of the use of a command, as the application receives it. @see docs/spec/interactions.md#data */
export function commandData(
  command: CommandRecord,
  invocation: Invocation,
  resolved: ResolvedData | undefined,
): CommandInvocation {
  const isTyped = invocation.type === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  const options = (invocation.options as readonly OptionValue[]).filter(({ type }) => !isTyped || !isAttachment(type));
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(isTyped && { version: command.version }),
    ...(resolved && { resolved }),
    ...(options.length > 0 && { options: options.map(option => optionView(option, isTyped)) }),
    ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    ...(invocation.targetId !== undefined && { target_id: invocation.targetId }),
  };
}

function placeView({
  user,
  place,
  channelId,
}: InteractionUse): Pick<InteractionBase, 'guild' | 'guild_id' | 'guild_locale' | 'channel' | 'member' | 'user'> {
  if (!('guild' in place)) return { channel: { id: channelId, type: directChannelType }, user: userView(user) };
  const { guild, channel, member, permissions } = place;
  return {
    guild: { id: guild.id, features: [], locale: guild.locale },
    guild_id: guild.id,
    guild_locale: guild.locale,
    channel: channelView(channel, guild),
    member: { ...memberView(member, userView(user)), permissions: permissions.toString() },
  };
}

/** Only the fields that the interface defines for an option's value, ids as text; a client may have sent more. */
function optionView({ name, type, value, options, focused }: OptionValue, isTyped: boolean): OptionValue {
  const hasFocus = isTyped && focused === true;
  return {
    name,
    type,
    ...(value !== undefined && { value: hasFocus || idTypes.has(type) ? String(value) : value }),
    ...(options && { options: options.map(inner => optionView(inner, isTyped)) }),
    ...(hasFocus && { focused: true }),
  };
}

const idTypes: ReadonlySet<number> = new Set([
  optionTypes.USER,
  optionTypes.CHANNEL,
  optionTypes.ROLE,
  optionTypes.MENTIONABLE,
  optionTypes.ATTACHMENT,
]);

function isAttachment(type: number): boolean {
  return type === optionTypes.ATTACHMENT;
}
