import { isSnowflake, type MessageId, snowflakeTimeMs } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { LobbyEvent, MessageEdit } from './event.ts';
import type { Fields } from './fields.ts';
import { readFlags, readMetadata, readText, readUser } from './lobby-reader.ts';
import type { ThreadSendOptions } from './message-thread.ts';
import type { LobbyMessageSnapshot } from './snapshot.ts';

/** Reads a message of the gateway or of an HTTP answer; undefined when it cannot be read. @see docs/spec/lobbies.md#message; docs/spec/lobbies.md#events */
export function readMessage(value: unknown): LobbyMessageSnapshot | undefined {
  const fields = asRecord(value) ?? {};
  const { id, lobby_id, channel_id } = fields;
  if (!isSnowflake<'message'>(id) || !isSnowflake<'lobby'>(lobby_id)) return undefined;
  return Object.freeze({
    ...readParts(id, fields),
    lobbyId: lobby_id,
    channelId: isSnowflake<'channel'>(channel_id) ? channel_id : (lobby_id as string),
    additionalName: readText(asRecord(fields.lobby_member)?.additional_name),
  });
}

/** What messages of lobbies and between users have in common. */
export function readParts(id: MessageId, fields: Fields) {
  const { application_id } = fields;
  return {
    id,
    key: id as string,
    author: readUser(fields.author),
    content: readText(fields.content) ?? '',
    type: readFlags(fields.type),
    flags: readFlags(fields.flags),
    metadata: readMetadata(fields.metadata),
    moderationMetadata: readMetadata(fields.moderation_metadata),
    applicationId: isSnowflake<'application'>(application_id) ? application_id : undefined,
    sentAtMs: snowflakeTimeMs(id),
    editedAtMs: readTime(fields.edited_timestamp),
    status: 'sent',
  } as const;
}

/** A message that this client is about to send, without its place and its author. */
export function draftParts(id: string, content: string, options: ThreadSendOptions, nowMs: number) {
  return {
    id,
    key: id,
    content,
    type: 0,
    flags: options.flags ?? 0,
    metadata: Object.freeze({ ...options.metadata }),
    moderationMetadata: readMetadata(undefined),
    sentAtMs: nowMs,
    editedAtMs: undefined,
    status: 'pending',
    error: undefined,
  } as const;
}

export function readMessageEvent(data: Fields): LobbyEvent | undefined {
  const message = readMessage(data);
  return message && { kind: 'message', lobbyId: message.lobbyId, message };
}

/** In a lobby without a linked channel, an update may contain only a part of the message. */
export function readMessageEdit(data: Fields): LobbyEvent | undefined {
  const { id, lobby_id } = data;
  if (!isSnowflake<'message'>(id) || !isSnowflake<'lobby'>(lobby_id)) return undefined;
  return { kind: 'message-edit', lobbyId: lobby_id, messageId: id, change: readChange(data) };
}

export function readMessageEnd({ id, lobby_id }: Fields): LobbyEvent | undefined {
  if (!isSnowflake<'message'>(id) || !isSnowflake<'lobby'>(lobby_id)) return undefined;
  return { kind: 'message-gone', lobbyId: lobby_id, messageId: id };
}

// An edit clears moderation metadata: an update with content and without moderation metadata has none.
function readChange(data: Fields): MessageEdit {
  const editedAtMs = readTime(data.edited_timestamp);
  const has = (name: string) => Object.hasOwn(data, name);
  const content = readText(data.content);
  return Object.freeze({
    ...(content !== undefined && { content }),
    ...(has('flags') && { flags: readFlags(data.flags) }),
    ...(has('metadata') && { metadata: readMetadata(data.metadata) }),
    ...((has('moderation_metadata') || content !== undefined) && {
      moderationMetadata: readMetadata(data.moderation_metadata),
    }),
    ...(editedAtMs !== undefined && { editedAtMs }),
  });
}

function readTime(value: unknown): number | undefined {
  const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
