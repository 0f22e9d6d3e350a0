import { commandTypes } from '../../../model/command.ts';
import type { Component } from '../../../model/component.ts';
import { limits } from '../../../model/limits/limits.ts';
import { type Message, messageFlags, messageTypes } from '../../../model/message.ts';
import { snowflakeTimeMs } from '../../../model/snowflake.ts';
import { serviceNow } from '../../control/clock.ts';
import { Button } from '../../ui/button.tsx';
import { durationText, timeText } from '../../ui/text/time.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { AttachmentView, ComponentView, EmbedView, type UseComponent } from './message-parts.tsx';
import { applicationNameIn, type Names, userNameIn } from './names.ts';
import { RichText } from './rich-text.tsx';

/** A message as the user sees it. */
export function MessageView({
  message,
  names,
  onUse,
  labelOf,
  onMenu,
}: {
  readonly message: Message;
  readonly names: Names;
  readonly onUse: UseComponent;
  /** What was used in an interaction, as far as the console saw it. */
  labelOf(interactionId: string): string | undefined;
  onMenu(): void;
}) {
  const { author, application_id, content, embeds, attachments, components, flags, timestamp, edited_timestamp } =
    message;
  const name = author ? (author.global_name ?? author.username) : applicationNameIn(names, application_id);
  const isEphemeral = (flags & messageFlags.EPHEMERAL) !== 0;
  const isLoading = (flags & messageFlags.LOADING) !== 0;
  return (
    <article class={isEphemeral ? 'stage-message ephemeral' : 'stage-message'} aria-label={name}>
      <Origin message={message} names={names} labelOf={labelOf} />
      <header class="row">
        <strong>{name}</strong>
        <span class="badge">{words.app}</span>
        <time class="hint" title={timestamp}>
          {timeText(Date.parse(timestamp)).slice(0, 8)}
        </time>
        {edited_timestamp && <span class="hint">{words.edited}</span>}
        <span class="grow" />
        {!isLoading && (
          <Button kind="quiet" onClick={onMenu} title={words.appsOn(name)}>
            {words.apps}
          </Button>
        )}
      </header>
      {isLoading && (
        <p class="soft" role="status">
          {name} {words.thinking}{' '}
          <span class="hint">
            {words.left(durationText(Math.max(0, Math.round((tokenEndMs(message) - serviceNow.value) / 1000) * 1000)))}
          </span>
        </p>
      )}
      {content !== '' && (
        <p>
          <RichText text={content} names={names} />
        </p>
      )}
      {embeds.map((embed, i) => (
        <EmbedView key={String(i)} embed={embed} names={names} />
      ))}
      {attachments.map(attachment => (
        <AttachmentView key={attachment.id} attachment={attachment} />
      ))}
      {(components as readonly Component[]).map((component, i) => (
        <ComponentView key={String(component.id ?? i)} component={component} names={names} onUse={onUse} />
      ))}
      {isEphemeral && <p class="hint">{words.onlyYou}</p>}
    </article>
  );
}

/** When the application can no longer answer. */
function tokenEndMs({ interaction_metadata, id }: Message): number {
  return snowflakeTimeMs(interaction_metadata?.id ?? id) + limits.interactionTokenLifeMs;
}

function Origin({
  message,
  names,
  labelOf,
}: {
  readonly message: Message;
  readonly names: Names;
  labelOf(interactionId: string): string | undefined;
}) {
  const { interaction_metadata: origin, type } = message;
  if (!origin) return null;
  const { user } = origin;
  const who = user ? (user.global_name ?? user.username ?? userNameIn(names, user.id)) : words.someone;
  if (type === messageTypes.REPLY) {
    return (
      <p class="hint">
        {who} {words.reply}
      </p>
    );
  }
  return <p class="hint">{words.used(who, commandNameOf(origin) ?? labelOf(origin.id) ?? words.aCommand)}</p>;
}

/** Some services name the command in the metadata. */
function commandNameOf(origin: object): string | undefined {
  const { name, command_type } = origin as { readonly name?: unknown; readonly command_type?: unknown };
  if (typeof name !== 'string') return undefined;
  return command_type === undefined || command_type === commandTypes.CHAT_INPUT ? `/${name}` : name;
}
