import { useState } from 'preact/hooks';
import { buttonStyles, type Component, componentTypes, partsOf } from '../../../model/component.ts';
import type { Attachment } from '../../../model/message.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select } from '../../ui/field.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { words as kitWords } from '../../words/en.ts';
import { boundsOf, choicesOf } from './choices.ts';
import type { Names } from './names.ts';
import { RichText } from './rich-text.tsx';

/** Uses a component of a message. */
export type UseComponent = (component: Component, values?: readonly string[]) => void;

interface Embed {
  readonly title?: unknown;
  readonly description?: unknown;
  readonly color?: unknown;
  readonly url?: unknown;
  readonly author?: { readonly name?: unknown };
  readonly footer?: { readonly text?: unknown };
  readonly image?: { readonly url?: unknown };
  readonly thumbnail?: { readonly url?: unknown };
  readonly fields?: readonly { readonly name?: unknown; readonly value?: unknown; readonly inline?: unknown }[];
}

/** Pictures of other servers are not loaded: nothing that a message says makes the browser send a request. */
export function EmbedView({ embed, names }: { readonly embed: unknown; readonly names: Names }) {
  const { title, description, color, url, author, footer, image, thumbnail, fields = [] } = (embed ?? {}) as Embed;
  return (
    <article class="stage-embed" style={colorStyle(color)} aria-label={typeof title === 'string' ? title : words.embed}>
      {author?.name !== undefined && <p class="small">{String(author.name)}</p>}
      {title !== undefined && (
        <p>
          <strong>
            <RichText text={title} names={names} />
          </strong>
        </p>
      )}
      {typeof url === 'string' && <p class="hint mono">{url}</p>}
      {description !== undefined && (
        <p>
          <RichText text={description} names={names} />
        </p>
      )}
      {Array.isArray(fields) && fields.length > 0 && (
        <dl class="stage-fields">
          {fields.map((field, i) => (
            <div key={String(i)} class={field.inline === true ? undefined : 'whole'}>
              <dt>
                <RichText text={field.name} names={names} />
              </dt>
              <dd>
                <RichText text={field.value} names={names} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {[image, thumbnail].map(media => typeof media?.url === 'string' && <MediaView key={media.url} media={media} />)}
      {footer?.text !== undefined && <p class="hint">{String(footer.text)}</p>}
    </article>
  );
}

/** The edge's colour, by the style object: a number cannot be markup. */
function colorStyle(color: unknown): { borderInlineStartColor: string } | undefined {
  if (typeof color !== 'number' || !Number.isInteger(color)) return undefined;
  return { borderInlineStartColor: `#${(color & 0xffffff).toString(16).padStart(6, '0')}` };
}

export function AttachmentView({ attachment }: { readonly attachment: Attachment }) {
  const { filename, size, content_type, description, url } = attachment;
  return (
    <figure class="stage-attachment">
      <OwnPicture url={url} isPicture={content_type?.startsWith('image/') === true} alt={description ?? filename} />
      <figcaption>
        <strong>{filename}</strong>{' '}
        <span class="hint">
          {words.attachment}, {bytesText(size)}
          {content_type !== undefined && `, ${content_type}`}
        </span>
        {description !== undefined && <span class="soft"> {description}</span>}
      </figcaption>
    </figure>
  );
}

interface Media {
  readonly url: string;
  readonly content_type?: string;
}

function MediaView({ media, alt }: { readonly media: object | undefined; readonly alt?: string | null | undefined }) {
  const { url = '', content_type } = (media ?? {}) as Partial<Media>;
  const isPicture = content_type?.startsWith('image/') === true;
  return (
    <figure class="stage-attachment">
      <OwnPicture url={url} isPicture={isPicture} alt={alt || words.media} />
      <figcaption>
        <span class="hint">{words.media}</span> <span class="mono">{url}</span>
      </figcaption>
    </figure>
  );
}

/** Files of the service itself are shown; those of other servers are not loaded. */
function OwnPicture({
  url,
  isPicture,
  alt,
}: {
  readonly url: string;
  readonly isPicture: boolean;
  readonly alt: string;
}) {
  const own = `${location.origin}/attachments/`;
  if (!isPicture || !url.startsWith(own)) return null;
  return <img class="stage-picture" src={url.slice(location.origin.length)} alt={alt} loading="lazy" />;
}

const T = componentTypes;
const selects: ReadonlySet<number> = new Set([
  T.STRING_SELECT,
  T.USER_SELECT,
  T.ROLE_SELECT,
  T.MENTIONABLE_SELECT,
  T.CHANNEL_SELECT,
]);

export function ComponentView({
  component,
  names,
  onUse,
}: {
  readonly component: Component;
  readonly names: Names;
  readonly onUse: UseComponent;
}) {
  const { type, content, media, file, items, divider, accent_color } = component;
  const { components = [], accessory } = partsOf<Component>(component);
  const inner = components.map((one, i) => (
    <ComponentView key={String(one.id ?? i)} component={one} names={names} onUse={onUse} />
  ));
  if (selects.has(type)) return <SelectView component={component} names={names} onUse={onUse} />;
  switch (type) {
    case T.ACTION_ROW:
      return <div class="stage-row">{inner}</div>;
    case T.BUTTON:
      return <ButtonView component={component} onUse={onUse} />;
    case T.TEXT_DISPLAY:
      return (
        <p>
          <RichText text={content} names={names} />
        </p>
      );
    case T.SECTION:
      return (
        <div class="stage-section">
          <div>{inner}</div>
          {accessory && <ComponentView component={accessory} names={names} onUse={onUse} />}
        </div>
      );
    case T.CONTAINER:
      return (
        <div class="stage-embed stack" style={colorStyle(accent_color)}>
          {inner}
        </div>
      );
    case T.SEPARATOR:
      return divider === false ? <div class="stage-space" /> : <hr class="stage-line" />;
    case T.THUMBNAIL:
      return <MediaView media={media} alt={component.description} />;
    case T.FILE:
      return <MediaView media={file} />;
    case T.MEDIA_GALLERY:
      return (
        <>
          {items?.map((item, i) => (
            <MediaView key={String(i)} media={item.media} alt={item.description} />
          ))}
        </>
      );
    default:
      return <p class="hint">{words.unknownComponent(type)}</p>;
  }
}

const styleClasses: Readonly<Record<number, 'primary' | 'plain' | 'danger'>> = {
  [buttonStyles.PRIMARY]: 'primary',
  [buttonStyles.SECONDARY]: 'plain',
  [buttonStyles.SUCCESS]: 'primary',
  [buttonStyles.DANGER]: 'danger',
};

function ButtonView({ component, onUse }: { readonly component: Component; readonly onUse: UseComponent }) {
  const { style, label, emoji, url, disabled, custom_id } = component;
  const text = [emojiText(emoji), label].filter(Boolean).join(' ');
  // The address is shown, not opened: an application's link is no reason to leave the console.
  const isOutside = style === buttonStyles.LINK || style === buttonStyles.PREMIUM;
  const title = style === buttonStyles.LINK ? words.opens(url ?? '') : isOutside ? words.premium : undefined;
  return (
    <span class={style === buttonStyles.SUCCESS ? 'stage-success' : undefined}>
      <Button
        kind={styleClasses[style ?? 0] ?? 'plain'}
        isDisabled={disabled === true || isOutside}
        {...(title !== undefined && { title })}
        onClick={() => onUse(component)}
      >
        {text || custom_id || ' '}
      </Button>
      {isOutside && <span class="hint mono"> {title}</span>}
    </span>
  );
}

export function emojiText(emoji: unknown): string {
  const { name, id } = (emoji ?? {}) as { readonly name?: unknown; readonly id?: unknown };
  if (typeof name !== 'string') return '';
  return id ? `:${name}:` : name;
}

/** One value is used as soon as it is chosen; several are confirmed. */
function SelectView({
  component,
  names,
  onUse,
}: {
  readonly component: Component;
  readonly names: Names;
  readonly onUse: UseComponent;
}) {
  const choices = choicesOf(component, names);
  const { min, max } = boundsOf(component);
  const [chosen, setChosen] = useState<readonly string[]>(
    () => component.options?.filter(option => option.default === true).map(({ value }) => value) ?? [],
  );
  const label = component.placeholder || kitWords.kit.choose;
  const isDisabled = component.disabled === true;
  if (max === 1 && min === 1) {
    return (
      <Select
        label={label}
        isLabelHidden
        isDisabled={isDisabled}
        value={chosen[0] ?? ''}
        choices={[{ value: '', label }, ...choices.map(({ value, label }) => ({ value, label }))]}
        onChange={value => {
          setChosen([value]);
          if (value !== '') onUse(component, [value]);
        }}
      />
    );
  }
  const isRight = chosen.length >= min && chosen.length <= max;
  return (
    <details class="stage-select">
      <summary>{label}</summary>
      <fieldset class="stack" disabled={isDisabled}>
        <legend class="hint">{words.chooseBetween(min, max)}</legend>
        {choices.map(choice => (
          <Checkbox
            key={choice.value}
            label={choice.label}
            {...(choice.description !== undefined && { hint: choice.description })}
            isChecked={chosen.includes(choice.value)}
            isDisabled={isDisabled || (!chosen.includes(choice.value) && chosen.length >= max)}
            onChange={isOn =>
              setChosen(isOn ? [...chosen, choice.value] : chosen.filter(value => value !== choice.value))
            }
          />
        ))}
        <div>
          <Button kind="primary" isDisabled={!isRight || isDisabled} onClick={() => onUse(component, chosen)}>
            {words.confirm}
          </Button>
        </div>
      </fieldset>
    </details>
  );
}
