import { fieldErrors } from '../../../model/errors/field-errors.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { Message } from '../../../model/message.ts';
import { type InteractionId, isSnowflake, parseSnowflake } from '../../../model/snowflake.ts';
import type { Entropy } from '../../../wire/clock/ports.ts';
import { type Announcement, topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../../store/records.ts';
import { invalidBody, RequestError } from '../../support/request-error.ts';
import { isEphemeral } from './answer-view.ts';
import type { KeptMessages } from './kept-messages.ts';

/** The records of interactions, and the events that their users receive. */

export function interactionScope(id: InteractionId): string {
  return `interaction/${id}`;
}

/** When an interaction's token expires. */
export function tokenEndMs({ created_at_ms }: InteractionRecord): number {
  return created_at_ms + limits.interactionTokenLifeMs;
}

/**
 * The user and the application of an interaction. @throws RequestError `unknown_interaction` when either was deleted
 */
export async function partiesOf(
  view: StoreView,
  { application_id, user_id }: InteractionRecord,
): Promise<{ readonly application: ApplicationRecord; readonly user: UserRecord }> {
  const application = await view.get('applications', application_id);
  const user = await view.get('users', user_id);
  if (!application || !user) throw new RequestError('unknown_interaction');
  return { application, user };
}

export function notifyOutcome(
  transaction: Transaction,
  { id, nonce, user_id }: Pick<InteractionRecord, 'id' | 'nonce' | 'user_id'>,
  name: 'INTERACTION_SUCCESS' | 'INTERACTION_FAILURE',
): void {
  transaction.announce({ to: topics.user(user_id), event: { name, data: JSON.stringify({ id, nonce }) } });
}

/** Further store scopes of the interaction: the message that its component belongs to changes within them. */
export function messageGuards(record: Pick<InteractionRecord, 'source'> | undefined): readonly string[] {
  return record?.source ? [interactionScope(record.source.interaction_id)] : [];
}

/**
 * Stores the present state of the interaction's message, or of its component's message, and announces it.
 *
 * @throws RequestError `invalid_form_body` when it is too large, `too_many_follow_ups` as {@link KeptMessages.add}
 */
export function putMessage(
  { transaction, kept }: { readonly transaction: Transaction; readonly kept: KeptMessages },
  record: InteractionRecord,
  message: Message,
  name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
): void {
  const { id, source } = record;
  const interaction_id = source?.message_id === message.id ? source.interaction_id : id;
  const data = JSON.stringify(message);
  kept.add(message, checkedBytes(data));
  transaction.put('interaction_messages', { id: message.id, interaction_id, message });
  notifyViewers(transaction, record, message, { name, data });
}

function checkedBytes(json: string): number {
  const max = limits.messageBytesMax;
  const bytes = Buffer.byteLength(json);
  if (bytes <= max) return bytes;
  const code = 'BASE_TYPE_MAX_LENGTH';
  throw invalidBody([{ path: [], code, message: fieldErrors[code](max) }]);
}

export function deleteMessage(transaction: Transaction, record: InteractionRecord, message: Message): void {
  const { id, channel_id, guild_id } = message;
  transaction.delete('interaction_messages', id);
  const data = JSON.stringify({ id, channel_id, ...(guild_id !== undefined && { guild_id }) });
  notifyViewers(transaction, record, message, { name: 'MESSAGE_DELETE', data });
}

/**
 * Notifies the user whose interaction it is and, unless the message is for that user alone, everybody who sees the channel.
 *
 * Deviation: bots do not receive the messages of interactions.
 */
export function notifyViewers(
  transaction: Transaction,
  { user_id, guild_id, channel_id }: Pick<InteractionRecord, 'user_id' | 'guild_id' | 'channel_id'>,
  message: Message,
  event: NonNullable<Announcement['event']>,
): void {
  transaction.announce({ to: topics.user(user_id), event });
  if (guild_id === null || isEphemeral(message)) return;
  transaction.announce({ to: topics.channel(channel_id), event, except: user_id });
}

const randomBytes = 64;
const pattern = /^interaction:([0-9]{1,19}):[0-9a-z]{128}$/;

/**
 * Creates an interaction's token: base64 of `interaction:<id>:<128 alphanumerics>`. It is ASCII, so it needs no
 * escape in a path.
 *
 * @see docs/spec/interactions.md#interaction
 */
export function createInteractionToken(entropy: Entropy, id: InteractionId): string {
  const random = Buffer.from(entropy.bytes(randomBytes)).toString('hex');
  return Buffer.from(`interaction:${id}:${random}`).toString('base64url');
}

/** The interaction that the token claims to belong to; undefined when it has another form. */
export function tokenInteraction(token: string): InteractionId | undefined {
  const id = pattern.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  return isSnowflake(id) ? parseSnowflake(id) : undefined;
}
