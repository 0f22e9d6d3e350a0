import { optionTypes } from '../../model/command.ts';
import { type Interaction, interactionTypes, type OptionValue } from '../../model/interaction.ts';
import { limits } from '../../model/limits.ts';
import { type Message, messageTypes } from '../../model/message.ts';
import type { InteractionId, MessageId } from '../../model/snowflake.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import type { ApplicationRecord, CommandRecord, InteractionRecord, UserRecord } from '../store/records.ts';
import { channelView, memberView } from './guild-view.ts';
import type { InvocationPlace } from './invocation-place.ts';
import { botUserView, userView } from './user-view.ts';

/** The use of a command, as its application is told. @see commands.md 3.1 */
export function interactionView(use: {
  readonly id: InteractionId;
  readonly token: string;
  readonly user: UserRecord;
  readonly command: CommandRecord;
  readonly options: readonly OptionValue[];
  readonly channelId: string;
  readonly place: InvocationPlace;
}): Interaction {
  const { command, options, place } = use;
  return {
    id: use.id,
    application_id: command.application_id,
    type: interactionTypes.APPLICATION_COMMAND,
    data: {
      id: command.id,
      name: command.name,
      type: command.type,
      ...(options.length > 0 && { options: options.map(optionView) }),
      ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    },
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

function placeView({
  user,
  place,
  channelId,
}: Parameters<typeof interactionView>[0]): Pick<
  Interaction,
  'guild' | 'guild_id' | 'guild_locale' | 'channel' | 'member' | 'user'
> {
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

const directChannelType = 1;

/** Only what the interface knows of an option's value, ids as text; a client may have sent more. */
function optionView({ name, type, value, options }: OptionValue): OptionValue {
  return {
    name,
    type,
    ...(value !== undefined && { value: idTypes.has(type) ? String(value) : value }),
    ...(options && { options: options.map(optionView) }),
  };
}

const idTypes: ReadonlySet<number> = new Set([
  optionTypes.USER,
  optionTypes.CHANNEL,
  optionTypes.ROLE,
  optionTypes.MENTIONABLE,
  optionTypes.ATTACHMENT,
]);

/** The message that answers an interaction. @see commands.md 3.3, "Message data" */
export function answerView(answer: {
  readonly id: MessageId;
  readonly atMs: number;
  readonly interaction: InteractionRecord;
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly data: Readonly<Record<string, unknown>>;
}): Message {
  const { interaction, application, user, data } = answer;
  return {
    id: answer.id,
    channel_id: interaction.channel_id,
    ...(interaction.guild_id !== null && { guild_id: interaction.guild_id }),
    author: botUserView(application),
    application_id: application.id,
    webhook_id: application.id,
    content: typeof data.content === 'string' ? data.content : '',
    timestamp: formatTimestamp(answer.atMs),
    edited_timestamp: null,
    type: messageTypes.CHAT_INPUT_COMMAND,
    flags: typeof data.flags === 'number' ? data.flags : 0,
    tts: data.tts === true,
    pinned: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    embeds: listOf(data.embeds),
    attachments: [],
    components: listOf(data.components),
    interaction_metadata: {
      id: interaction.id,
      type: interactionTypes.APPLICATION_COMMAND,
      user: userView(user),
      authorizing_integration_owners: interaction.owners,
    },
    ...(interaction.nonce !== null && { nonce: interaction.nonce }),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
