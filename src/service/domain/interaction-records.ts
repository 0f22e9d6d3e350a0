import { limits } from '../../model/limits.ts';
import type { Message } from '../../model/message.ts';
import type { InteractionId } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import { Fault } from '../fault.ts';
import type { StoreView, Transaction } from '../store/contract.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../store/records.ts';

/** Interactions as records, and what their users hear of them. */

export function interactionScope(id: InteractionId): string {
  return `interaction/${id}`;
}

/** When an interaction's token dies. */
export function tokenEndMs({ created_at_ms }: InteractionRecord): number {
  return created_at_ms + limits.interactionTokenLifeMs;
}

/** Whose interaction it is, on both sides. @throws Fault `unknown_interaction` when either is gone */
export async function partiesOf(
  view: StoreView,
  { application_id, user_id }: InteractionRecord,
): Promise<{ readonly application: ApplicationRecord; readonly user: UserRecord }> {
  const application = await view.get('applications', application_id);
  const user = await view.get('users', user_id);
  if (!application || !user) throw new Fault('unknown_interaction');
  return { application, user };
}

export function tellOutcome(
  transaction: Transaction,
  { id, nonce, user_id }: Pick<InteractionRecord, 'id' | 'nonce' | 'user_id'>,
  name: 'INTERACTION_SUCCESS' | 'INTERACTION_FAILURE',
): void {
  transaction.announce({ to: topics.user(user_id), event: { name, data: JSON.stringify({ id, nonce }) } });
}

/** Keeps a message of the interaction as it is now, and shows it to the user. */
export function putMessage(
  transaction: Transaction,
  { id, user_id }: InteractionRecord,
  message: Message,
  name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
): void {
  transaction.put('interaction_messages', { id: message.id, interaction_id: id, message });
  transaction.announce({ to: topics.user(user_id), event: { name, data: JSON.stringify(message) } });
}

export function deleteMessage(transaction: Transaction, { user_id }: InteractionRecord, message: Message): void {
  const { id, channel_id, guild_id } = message;
  transaction.delete('interaction_messages', id);
  const data = JSON.stringify({ id, channel_id, ...(guild_id !== undefined && { guild_id }) });
  transaction.announce({ to: topics.user(user_id), event: { name: 'MESSAGE_DELETE', data } });
}
