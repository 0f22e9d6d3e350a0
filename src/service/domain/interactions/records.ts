import { limits } from '../../../model/limits/limits.ts';
import type { Message } from '../../../model/message.ts';
import type { InteractionId } from '../../../model/snowflake.ts';
import { type Announcement, topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';

/** Interactions as records, and what their users hear of them. */

export function interactionScope(id: InteractionId): string {
  return `interaction/${id}`;
}

/** When an interaction's token dies. */
export function tokenEndMs({ created_at_ms }: InteractionRecord): number {
  return created_at_ms + limits.interactionTokenLifeMs;
}

/** Whose interaction it is, on both sides. @throws RequestError `unknown_interaction` when either is gone */
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

/** What else a work on the interaction is serial with: what changes the message that its component belongs to. */
export function messageGuards(record: Pick<InteractionRecord, 'source'> | undefined): readonly string[] {
  return record?.source ? [interactionScope(record.source.interaction_id)] : [];
}

/** Keeps a message of the interaction, or that of its component, as it is now, and shows it. */
export function putMessage(
  transaction: Transaction,
  record: InteractionRecord,
  message: Message,
  name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
): void {
  const { id, source } = record;
  const interaction_id = source?.message_id === message.id ? source.interaction_id : id;
  transaction.put('interaction_messages', { id: message.id, interaction_id, message });
  tellMessage(transaction, record, message, { name, data: JSON.stringify(message) });
}

export function deleteMessage(transaction: Transaction, record: InteractionRecord, message: Message): void {
  const { id, channel_id, guild_id } = message;
  transaction.delete('interaction_messages', id);
  const data = JSON.stringify({ id, channel_id, ...(guild_id !== undefined && { guild_id }) });
  tellMessage(transaction, record, message, { name: 'MESSAGE_DELETE', data });
}

/** Those hear of it whose interaction it answers, and who used a component of it. */
function tellMessage(
  transaction: Transaction,
  { user_id }: InteractionRecord,
  { interaction_metadata: { user } }: Message,
  event: NonNullable<Announcement['event']>,
): void {
  transaction.announce({ to: topics.user(user_id), event });
  if (user.id !== user_id) transaction.announce({ to: topics.user(user.id), event });
}
