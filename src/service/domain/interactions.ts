import type { CallbackResponse } from '../../model/interaction.ts';
import type { InteractionId } from '../../model/snowflake.ts';
import { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import type { Transaction } from '../store/contract.ts';
import type { InteractionRecord, UserRecord } from '../store/records.ts';
import { createExpiry } from './expiry.ts';
import { createInteractionAnswer } from './interaction-answer.ts';
import { createInteractionDelivery } from './interaction-delivery.ts';
import { createInteractionMessages, type InteractionMessages } from './interaction-messages.ts';
import { interactionScope, tellOutcome, tokenEndMs } from './interaction-records.ts';
import { createInteractionUse } from './interaction-use.ts';

/**
 * Commands in use: a user's client invokes one, or types an option of it; the application's bot sessions (or its server,
 * where it has an address for interactions) hear of it and one of them answers in time, or it fails. The user's own clients hear the outcome: INTERACTION_SUCCESS and the
 * message, the suggestions, or INTERACTION_FAILURE.
 *
 * @see interface.md, "Interactions received by the app"; commands.md 3
 */
export interface Interactions extends InteractionMessages {
  /**
   * Uses a command, if the user may. A command that the service handles itself (an entry point of type
   * DISCORD_LAUNCH_ACTIVITY) does not reach the application.
   *
   * @param body {@link InvocationInput}, yet unread
   * @throws Fault `invalid_form_body`, `unknown_application`, and what {@link findPlace} throws
   */
  invoke(user: UserRecord, body: unknown): Promise<void>;
  /**
   * Answers an interaction, once, within `limits.interactionAnswerMs` of its making; also after a restart.
   *
   * @param body {@link InteractionCallback}, yet unread
   * @throws Fault `unknown_interaction` (also a wrong token, and too late), `already_acknowledged`,
   *   `invalid_form_body`, `empty_message`
   */
  answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse>;
  /** Starts to fail what is not answered in time; the returned function stops it and breaks off what is under way. */
  start(): Promise<() => void>;
}

/** @param activity counts what is under way to applications' servers */
export function createInteractions(core: Core, activity = new Activity()): Interactions {
  const { store } = core;
  const expiry = createExpiry(core, 'interactions', endInTime);
  const answering = createInteractionAnswer(core);
  const delivery = createInteractionDelivery(core, { answer: answering.answer, fail, activity });

  async function endInTime(id: InteractionId, nowMs: number): Promise<void> {
    await store.transact(interactionScope(id), async transaction => {
      const record = await transaction.get('interactions', id);
      if (!record || record.expires_at_ms > nowMs) return;
      if (record.state === 'waiting') failWaiting(transaction, record);
      else await removeWithMessages(transaction, id);
    });
  }

  async function fail(id: InteractionId): Promise<void> {
    await store.transact(interactionScope(id), async transaction => {
      const record = await transaction.get('interactions', id);
      if (record?.state === 'waiting') failWaiting(transaction, record);
    });
  }

  return {
    ...createInteractionUse(core, { noticeExpiry: expiry.notice, delivery }),
    ...answering,
    ...createInteractionMessages(core),
    async start() {
      const stop = await expiry.start();
      return () => {
        stop();
        delivery.drop();
      };
    },
  };
}

function failWaiting(transaction: Transaction, record: InteractionRecord): void {
  transaction.put('interactions', { ...record, state: 'failed', expires_at_ms: tokenEndMs(record) });
  tellOutcome(transaction, record, 'INTERACTION_FAILURE');
}

async function removeWithMessages(transaction: Transaction, id: InteractionId): Promise<void> {
  for (const message of await transaction.list('interaction_messages', { index: 'byInteraction', equals: [id] })) {
    transaction.delete('interaction_messages', message.id);
  }
  transaction.delete('interactions', id);
}
