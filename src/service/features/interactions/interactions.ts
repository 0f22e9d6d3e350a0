import { type Component, usableComponents } from '../../../model/component.ts';
import type { CallbackResponse } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { InteractionId } from '../../../model/snowflake.ts';
import { createAttach, type MessageFiles, openMessageFiles } from '../../attachments/attachments.ts';
import type { Core } from '../../core.ts';
import { createExpiry } from '../../expiry.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { InteractionRecord, UserRecord } from '../../store/records.ts';
import { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { createInteractionAnswer } from './answer.ts';
import { createInteractionDelivery } from './delivery.ts';
import { KeptMessages } from './kept-messages.ts';
import { createInteractionMessages, type InteractionMessages } from './messages.ts';
import { interactionScope, notifyOutcome, tokenEndMs } from './records.ts';
import { createInteractionUse } from './use.ts';

/**
 * The use of commands, components and modals. A user's client uses one, or types an option of a command. The
 * application's bot sessions (or its server, if it has an address for interactions) receive it, and one of them
 * answers in time, or it fails. The user's own clients receive the outcome: INTERACTION_SUCCESS with the message or
 * the modal, the suggestions, or INTERACTION_FAILURE.
 *
 * @see docs/spec/interactions.md#interaction; docs/spec/interactions.md
 */
export interface Interactions extends InteractionMessages {
  /**
   * Uses a command or a component, or submits a modal, if the user may. A command that the service handles itself (an
   * entry point of type DISCORD_LAUNCH_ACTIVITY) is not sent to the application.
   *
   * @param body {@link InvocationInput}, {@link ComponentUseInput} or {@link ModalSubmitInput}, not yet validated
   * @throws RequestError `invalid_form_body`, `unknown_application`, `unknown_message` (of a component),
   *   `unknown_interaction` (of a modal), and what {@link findPlace} throws
   */
  invoke(user: UserRecord, body: unknown): Promise<void>;
  /**
   * Checks that the token belongs to the interaction; {@link answer} checks it again. @throws RequestError
   * `unknown_interaction`
   */
  checkToken(id: InteractionId, token: string): Promise<void>;
  /**
   * Answers an interaction, once, within `limits.interactionAnswerMs` of its creation, also after a restart.
   *
   * @param body {@link InteractionCallback}, not yet validated
   * @throws RequestError `unknown_interaction` (also for a wrong token or a late answer), `already_acknowledged`,
   *   `invalid_form_body`, `empty_message`, `unknown_message` when the message to update was deleted
   */
  answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse>;
  /** Fails an interaction that waits for its first answer. Has no effect on any other. */
  fail(id: InteractionId): Promise<void>;
  /** The files attached to messages. */
  readonly files: Pick<MessageFiles, 'get'>;
  /**
   * Starts to fail interactions that are not answered in time; the returned function stops it and aborts deliveries.
   */
  start(): Promise<() => void>;
}

/** @param pendingWork counts deliveries to applications' servers */
export function createInteractions(core: Core, pendingWork = new PendingWork()): Interactions {
  const { store } = core;
  const expiry = createExpiry(core, 'interactions', endInTime);
  const files = openMessageFiles(core);
  const attach = createAttach(core, files);
  // A service on its own deletes all of them itself.
  const lifeMs = core.files ? limits.interactionTokenLifeMs : serviceLimits.messageComponentsLifeMs;
  const kept = new KeptMessages(core, lifeMs);
  const answering = createInteractionAnswer(core, attach, kept);
  const delivery = createInteractionDelivery(core, { answer: answering.answer, fail, pendingWork });

  async function endInTime(id: InteractionId, nowMs: number): Promise<void> {
    await store.transact(interactionScope(id), async transaction => {
      const record = await transaction.get('interactions', id);
      if (!record || record.expires_at_ms > nowMs) return;
      if (record.state === 'waiting') failWaiting(transaction, record);
      else await retire(transaction, record, kept);
    });
  }

  async function fail(id: InteractionId): Promise<void> {
    await store.transact(interactionScope(id), async transaction => {
      const record = await transaction.get('interactions', id);
      if (record?.state === 'waiting') failWaiting(transaction, record);
    });
  }

  const use = createInteractionUse(core, attach, { noticeExpiry: expiry.notice, delivery });
  const messages = createInteractionMessages(core, attach, kept);
  return {
    ...use,
    ...answering,
    ...messages,
    ...(files.receive && withFiles(store, files.receive, { ...use, ...answering, ...messages })),
    fail,
    files,
    async start() {
      // Also after the whole store was replaced.
      files.clear();
      kept.clear();
      const stop = await expiry.start();
      return () => {
        stop();
        delivery.drop();
      };
    },
  };
}

type WithBody = Pick<Interactions, 'invoke' | 'answer' | 'editMessage' | 'followUp'>;

/** What takes a body stores its files first. */
function withFiles(
  store: StoreView,
  receive: NonNullable<MessageFiles['receive']>,
  { invoke, answer, editMessage, followUp }: WithBody,
): WithBody {
  return {
    async invoke(user, body) {
      await receive(body, () => user.id);
      return invoke(user, body);
    },
    async answer(id, token, body) {
      // Of an interaction that is unknown by now, the answer is rejected.
      await receive(body, async () => (await store.get('interactions', id))?.application_id ?? '');
      return answer(id, token, body);
    },
    async editMessage(id, token, ref, body) {
      await receive(body, () => id);
      return editMessage(id, token, ref, body);
    },
    async followUp(id, token, body) {
      await receive(body, () => id);
      return followUp(id, token, body);
    },
  };
}

function failWaiting(transaction: Transaction, record: InteractionRecord): void {
  transaction.put('interactions', { ...record, state: 'failed', expires_at_ms: tokenEndMs(record) });
  notifyOutcome(transaction, record, 'INTERACTION_FAILURE');
}

/**
 * Removes an interaction with its messages.
 *
 * Unspecified: while one of them shows a component that can be used, it stays for
 * `serviceLimits.messageComponentsLifeMs`, because users press buttons long after the command.
 */
async function retire(transaction: Transaction, record: InteractionRecord, kept: KeptMessages): Promise<void> {
  const messages = await transaction.list('interaction_messages', { index: 'byInteraction', equals: [record.id] });
  const keptUntilMs = record.created_at_ms + serviceLimits.messageComponentsLifeMs;
  const isUsable = messages.some(({ message }) => usableComponents(message.components as Component[]).length > 0);
  if (isUsable && record.expires_at_ms < keptUntilMs) {
    transaction.put('interactions', { ...record, expires_at_ms: keptUntilMs });
    return;
  }
  for (const { id } of messages) {
    transaction.delete('interaction_messages', id);
    kept.delete(id);
  }
  transaction.delete('interactions', record.id);
}
