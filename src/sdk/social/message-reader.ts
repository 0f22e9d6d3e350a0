import { directChannelTypes } from '../../model/direct-message.ts';
import { isSnowflake, type UserId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Fields } from '../lobby/fields.ts';
import { readParts } from '../lobby/message-reader.ts';
import { recordsIn, userIdIn } from './reader.ts';
import type { DirectMessageSnapshot } from './snapshot.ts';

/** The other users of a channel. */
export function recipientIn({ recipients, recipient_ids }: Fields, ownId: UserId | undefined): UserId | undefined {
  const listed = Array.isArray(recipient_ids) ? recipient_ids : recordsIn(recipients).map(userIdIn);
  return listed.find((id): id is UserId => isSnowflake(id) && id !== ownId);
}

/** With whom a message was exchanged; undefined when it does not say. */
export function peerIn(fields: Fields, ownId: UserId | undefined): UserId | undefined {
  const author = userIdIn(asRecord(fields.author) ?? {});
  if (author !== undefined && author !== ownId) return author;
  const { recipient_id } = fields;
  if (isSnowflake<'user'>(recipient_id) && recipient_id !== ownId) return recipient_id;
  return recipientIn(asRecord(fields.channel) ?? {}, ownId);
}

/** Reads a message of the gateway or of an HTTP answer; undefined when it cannot be read. @see docs/spec/social.md#messages */
export function readDirectMessage(value: unknown, userId: UserId): DirectMessageSnapshot | undefined {
  const fields = asRecord(value) ?? {};
  const { id, channel_id } = fields;
  if (!isSnowflake<'message'>(id)) return undefined;
  return Object.freeze({
    ...readParts(id, fields),
    userId,
    channelId: isSnowflake<'channel'>(channel_id) ? channel_id : (userId as string),
    isEphemeral: (fields.channel_type ?? asRecord(fields.channel)?.type) === directChannelTypes.EPHEMERAL_DM,
  });
}
