import { type Component, componentTypes, partsOf } from '../../model/component.ts';
import type { Attachment } from '../../model/message.ts';
import { numberComponents } from '../../model/rules/components/modal-layout.ts';
import type { MessageId } from '../../model/snowflake.ts';

/** What the components of a message are shown with. */
export interface ComponentsOf {
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
  return numberComponents(components).map(show);
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
function attachmentOf({ url }: Media, { attachments }: ComponentsOf): Attachment | undefined {
  return attachments.find(one => url === `attachment://${one.filename}` || url === one.url);
}
