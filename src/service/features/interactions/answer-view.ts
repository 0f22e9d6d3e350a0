import { commandTypes } from '../../../model/command.ts';
import { type Component, componentTypes, partsOf } from '../../../model/component.ts';
import {
  type Attachment,
  type InteractionMetadata,
  type Message,
  messageFlags,
  messageTypes,
} from '../../../model/message.ts';
import { pickComponents } from '../../../model/rules/components/known-components.ts';
import { numberComponents } from '../../../model/rules/components/modal-layout.ts';
import { isFields } from '../../../model/rules/field.ts';
import { pickEmbed } from '../../../model/rules/interactions/embed.ts';
import type { MessageId } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { Attach } from '../../attachments/attachments.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../../store/records.ts';
import { botUserView, userView } from '../accounts/user-view.ts';

/** The data of a message, validated. @see docs/spec/interactions.md#answers */
export type MessageData = Readonly<Record<string, unknown>>;

/** The part of an interaction that its messages show. */
export type MessageOrigin = Pick<
  InteractionRecord,
  'id' | 'type' | 'channel_id' | 'guild_id' | 'owners' | 'nonce' | 'command_type' | 'source' | 'trigger'
>;

/** A message that answers an interaction. */
export function answerView(answer: {
  readonly id: MessageId;
  readonly atMs: number;
  readonly interaction: MessageOrigin;
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly data: MessageData;
  readonly attach?: Attach;
  /** The type of the message; default: that of a command's first answer. */
  readonly type?: number;
}): Message {
  const { interaction, application, user, data, attach, type = firstAnswerType(interaction) } = answer;
  const { channel_id } = interaction;
  const flags = flagsOf(data);
  const attachments = attach?.(data, { owner: application.id, channel_id, flags, attachments: [] }) ?? [];
  return {
    id: answer.id,
    channel_id,
    ...(interaction.guild_id !== null && { guild_id: interaction.guild_id }),
    author: botUserView(application),
    application_id: application.id,
    webhook_id: application.id,
    content: textOf(data.content),
    timestamp: formatTimestamp(answer.atMs),
    edited_timestamp: null,
    type,
    flags,
    tts: data.tts === true,
    pinned: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    embeds: embedsOf(data.embeds, attachments),
    attachments,
    components: componentsOf(data.components, { id: answer.id, attachments }),
    interaction_metadata: metadataView(interaction, user),
    ...(type === messageTypes.REPLY && referenceView(interaction)),
    ...(interaction.nonce !== null && { nonce: interaction.nonce }),
  };
}

/** The interaction as its messages and their events show it. */
export function metadataView(
  { id, type, owners, source, trigger }: MessageOrigin,
  user: UserRecord,
): InteractionMetadata {
  return {
    id,
    type,
    user: userView(user),
    authorizing_integration_owners: owners,
    ...(trigger && { triggering_interaction_metadata: trigger }),
    ...(source && !trigger && { interacted_message_id: source.message_id }),
  };
}

function referenceView({ source, channel_id, guild_id }: MessageOrigin): Pick<Message, 'message_reference'> {
  if (!source) return {};
  const place = { channel_id, ...(guild_id !== null && { guild_id }) };
  return { message_reference: { type: 0, message_id: source.message_id, ...place } };
}

/**
 * The message with the fields of an edit, each replaced as a whole. An edit cannot make a message ephemeral nor the
 * reverse; it can turn a message into one of components, but not the reverse.
 *
 * Unspecified: filling a deferred message is not an edit, so the message has no edit time.
 */
export function editedView(message: Message, data: MessageData, atMs: number, attach: Attach): Message {
  const isLoading = (message.flags & messageFlags.LOADING) !== 0;
  const attachments = attach(data, { ...message, owner: message.application_id });
  return {
    ...message,
    ...(data.content !== undefined && { content: textOf(data.content) }),
    ...(data.embeds !== undefined && { embeds: embedsOf(data.embeds, attachments) }),
    ...(data.components !== undefined && {
      components: componentsOf(data.components, { id: message.id, attachments }),
    }),
    attachments,
    flags: editedFlags(message, data),
    ...(!isLoading && { edited_timestamp: formatTimestamp(atMs) }),
  };
}

const { EPHEMERAL, LOADING, SUPPRESS_EMBEDS, IS_COMPONENTS_V2 } = messageFlags;

function editedFlags({ flags }: Message, data: MessageData): number {
  const kept = flags & ~LOADING;
  if (typeof data.flags !== 'number') return kept;
  return (kept & ~SUPPRESS_EMBEDS) | (data.flags & (SUPPRESS_EMBEDS | IS_COMPONENTS_V2));
}

export function isLoading({ flags }: Message): boolean {
  return (flags & LOADING) !== 0;
}

export function isEphemeral({ flags }: Message): boolean {
  return (flags & EPHEMERAL) !== 0;
}

/** @see docs/spec/interactions.md#after-the-answer */
function firstAnswerType({ command_type, source }: MessageOrigin): number {
  if (source) return messageTypes.REPLY;
  const isContextMenu = command_type === commandTypes.USER || command_type === commandTypes.MESSAGE;
  return isContextMenu ? messageTypes.CONTEXT_MENU_COMMAND : messageTypes.CHAT_INPUT_COMMAND;
}

/** Only the service can mark a message as loading. */
function flagsOf({ flags }: MessageData): number {
  return typeof flags === 'number' ? flags & ~LOADING : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function componentsOf(value: unknown, message: ComponentsOf): readonly Component[] {
  return showComponents(listOf(value) as readonly Component[], message);
}

/** Embeds that a sender writes always have this type. What shows a file of the message gets its address. */
function embedsOf(value: unknown, attachments: readonly Attachment[]): readonly unknown[] {
  return listOf(value).map(embed => {
    const { image, thumbnail, author, footer, ...others } = pickEmbed(embed);
    const show = (field: string, part: unknown, key: string) =>
      part !== undefined && { [field]: showInEmbed(part, key, attachments) };
    return {
      ...others,
      ...show('image', image, 'url'),
      ...show('thumbnail', thumbnail, 'url'),
      ...show('author', author, 'icon_url'),
      ...show('footer', footer, 'icon_url'),
      type: 'rich',
    };
  });
}

/** Unspecified: an address that is not a file's is shown alone, as it is not requested. */
function showInEmbed(part: unknown, key: string, attachments: readonly Attachment[]): unknown {
  const address = isFields(part) ? part[key] : undefined;
  const attachment = typeof address === 'string' ? attachmentOf({ url: address }, { attachments }) : undefined;
  if (!attachment) return part;
  return { ...(part as object), [key]: attachment.url, [`proxy_${key}`]: attachment.proxy_url };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What the components of a message are shown with. */
interface ComponentsOf {
  readonly id: MessageId;
  readonly attachments: readonly Attachment[];
}

/**
 * The components of a message as everybody sees them: each with its number, and with defaults for what the sender
 * omitted.
 *
 * @param components validated
 * @see docs/spec/interactions.md#answers
 */
export function showComponents(components: readonly Component[], message: ComponentsOf): readonly Component[] {
  const show = (component: Component): Component => {
    const { components, accessory } = partsOf(component);
    return {
      ...component,
      ...defaultsOf(component, message),
      ...(components && { components: components.map(show) }),
      ...(accessory && { accessory: show(accessory) }),
    };
  };
  return numberComponents(pickComponents(components)).map(show);
}

/** The defaults for omitted fields, and the addresses of media. */
function defaultsOf(component: Component, message: ComponentsOf): object {
  const { type, description = null, spoiler = false, min_values, max_values } = component;
  switch (type) {
    case componentTypes.STRING_SELECT:
    case componentTypes.USER_SELECT:
    case componentTypes.ROLE_SELECT:
    case componentTypes.MENTIONABLE_SELECT:
    case componentTypes.CHANNEL_SELECT:
      return { min_values: min_values ?? 1, max_values: max_values ?? 1 };
    case componentTypes.THUMBNAIL:
      return { media: showMedia(component.media, message), description, spoiler };
    case componentTypes.MEDIA_GALLERY:
      return { items: component.items?.map(item => showItem(item, message)) };
    case componentTypes.FILE:
      return { file: showMedia(component.file, message), ...fileOf(component.file, message), spoiler };
    case componentTypes.SEPARATOR:
      return { divider: component.divider ?? true, spacing: component.spacing ?? 1 };
    case componentTypes.CONTAINER:
      return { accent_color: component.accent_color ?? null, spoiler };
    default:
      return {};
  }
}

type Item = NonNullable<Component['items']>[number];
type Media = NonNullable<Component['media']>;

function showItem({ media, description = null, spoiler = false }: Item, message: ComponentsOf) {
  return { media: showMedia(media, message), description, spoiler };
}

/**
 * Unspecified: media that are not attached are shown by their address alone, which is not requested, and have the
 * message's own id.
 */
function showMedia(media: Media | undefined, message: ComponentsOf): object | undefined {
  if (!media) return undefined;
  const attachment = attachmentOf(media, message);
  if (!attachment) return { id: message.id, url: media.url, proxy_url: media.url };
  const { id, url, proxy_url, content_type } = attachment;
  return { id, url, proxy_url, ...(content_type !== undefined && { content_type }), attachment_id: id };
}

function fileOf(media: Media | undefined, message: ComponentsOf) {
  const attachment = media && attachmentOf(media, message);
  return { name: attachment?.filename ?? null, size: attachment?.size ?? null };
}

/** An edit may name an attachment of the message by its address. */
function attachmentOf({ url }: Media, { attachments }: Pick<ComponentsOf, 'attachments'>): Attachment | undefined {
  return attachments.find(one => url === `attachment://${one.filename}` || url === one.url);
}
