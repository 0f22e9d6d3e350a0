import { integrationTypes } from '../../../model/command.ts';
import { interactionTypes } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import { type Message, messageTypes } from '../../../model/message.ts';
import { checkMessageData, isEmptyMessage } from '../../../model/rules/interactions/callback.ts';
import type { ApplicationId, MessageId } from '../../../model/snowflake.ts';
import { type Attach, attachmentNames, uploadedFiles } from '../../attachments/attachments.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { InteractionRecord } from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { matchesSecret } from '../../support/secret.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { answerView, isLoading, type MessageData } from './answer-view.ts';
import type { KeptMessages } from './kept-messages.ts';
import { editMessage } from './message-edit.ts';
import {
  deleteMessage,
  interactionScope,
  messageGuards,
  partiesOf,
  putMessage,
  tokenEndMs,
  tokenInteraction,
} from './records.ts';

/** Which message: the first answer, or one by its id. */
export type MessageRef = '@original' | MessageId;

/**
 * The messages of an interaction, for the holder of its token, until `limits.interactionTokenLifeMs` have passed.
 *
 * Every call throws RequestError `invalid_webhook_token`, and `unknown_webhook` before there is an answer.
 *
 * @see docs/spec/interactions.md#after-the-answer
 */
export interface InteractionMessages {
  /** Checks that the token is valid for the application; the other calls check it again in their transaction. */
  checkWebhookToken(applicationId: ApplicationId, token: string): Promise<void>;
  /** @throws RequestError `unknown_message` */
  message(applicationId: ApplicationId, token: string, ref: MessageRef): Promise<Message>;
  /**
   * Replaces the fields that the body contains. @throws RequestError `unknown_message`, `invalid_form_body`,
   * `empty_message`
   */
  editMessage(applicationId: ApplicationId, token: string, ref: MessageRef, body: unknown): Promise<Message>;
  /** @throws RequestError `unknown_message` also when it was deleted before */
  deleteMessage(applicationId: ApplicationId, token: string, ref: MessageRef): Promise<void>;
  /**
   * Sends a follow-up message or fills the deferred first answer.
   *
   * @throws RequestError `invalid_form_body`, `empty_message`, `too_many_follow_ups`
   */
  followUp(applicationId: ApplicationId, token: string, body: unknown): Promise<Message>;
  /**
   * Rejects requests for the webhook itself: an interaction's token gives access to messages, not to a webhook that
   * could be shown, renamed or deleted; any other token would be a channel webhook's, and there are none.
   *
   * @throws RequestError `unknown_webhook`, or `invalid_webhook_token` for an interaction's token that is not valid
   */
  rejectWebhook(applicationId: ApplicationId, token: string): Promise<never>;
}

export function createInteractionMessages(
  { store, clock, ids }: Core,
  attach: Attach,
  kept: KeptMessages,
): InteractionMessages {
  /** The answered interaction with this token. */
  async function find(view: StoreView, applicationId: ApplicationId, token: string): Promise<InteractionRecord> {
    const record = await view.get('interactions', tokenInteraction(token) ?? '');
    if (record?.application_id !== applicationId || !opens(token, record))
      throw new RequestError('invalid_webhook_token');
    // Suggestions and modals are answers without a message.
    const isSuggestion = record.type === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
    if (record.state !== 'answered' || isSuggestion || record.modal) throw new RequestError('unknown_webhook');
    return record;
  }

  function opens(token: string, record: InteractionRecord): boolean {
    return matchesSecret(token, record.token_hash) && clock.now() < tokenEndMs(record);
  }

  async function inTurn<T>(
    applicationId: ApplicationId,
    token: string,
    work: (transaction: Transaction, record: InteractionRecord) => Promise<T>,
  ): Promise<T> {
    const id = tokenInteraction(token) ?? '';
    return store.transact(
      interactionScope(id),
      async transaction => work(transaction, await find(transaction, applicationId, token)),
      messageGuards(await store.get('interactions', id)),
    );
  }

  function edit(transaction: Transaction, record: InteractionRecord, message: Message, data: MessageData): Message {
    const edited = editMessage(message, data, clock.now(), attach);
    putMessage({ transaction, kept }, record, edited, 'MESSAGE_UPDATE');
    return edited;
  }

  return {
    async checkWebhookToken(applicationId, token) {
      await find(store, applicationId, token);
    },

    async message(applicationId, token, ref) {
      return messageOf(store, await find(store, applicationId, token), ref);
    },

    editMessage: (applicationId, token, ref, body) =>
      inTurn(applicationId, token, async (transaction, record) => {
        const message = await messageOf(transaction, record, ref);
        rejectIssues(checkMessageData(body, message.flags, attachmentNames(body, message.attachments)));
        return edit(transaction, record, message, body as MessageData);
      }),

    deleteMessage: (applicationId, token, ref) =>
      inTurn(applicationId, token, async (transaction, record) => {
        const message = await messageOf(transaction, record, ref);
        deleteMessage(transaction, record, message);
        kept.delete(message.id);
      }),

    async followUp(applicationId, token, body) {
      const id: MessageId = ids.next();
      return inTurn(applicationId, token, async (transaction, record) => {
        rejectIssues(checkMessageData(body, 0, attachmentNames(body)));
        const data = body as MessageData;
        if (isEmptyMessage(data) && uploadedFiles(data).length === 0) throw new RequestError('empty_message');
        const original = await transaction.get('interaction_messages', record.original_id ?? '');
        if (original && isLoading(original.message)) return edit(transaction, record, original.message, data);
        rejectTooMany(record);
        const parties = await partiesOf(transaction, record);
        const type = messageTypes.DEFAULT;
        const message = answerView({ id, atMs: clock.now(), interaction: record, ...parties, data, attach, type });
        transaction.put('interactions', { ...record, follow_ups: record.follow_ups + 1 });
        putMessage({ transaction, kept }, record, message, 'MESSAGE_CREATE');
        return message;
      });
    },

    async rejectWebhook(applicationId, token) {
      const id = tokenInteraction(token);
      const record = id === undefined ? undefined : await store.get('interactions', id);
      const isInteractions = record?.application_id === applicationId && opens(token, record);
      throw new RequestError(id === undefined || isInteractions ? 'unknown_webhook' : 'invalid_webhook_token');
    },
  };
}

/** @throws RequestError `unknown_message` */
async function messageOf(view: StoreView, record: InteractionRecord, ref: MessageRef): Promise<Message> {
  const { id, original_id } = record;
  const messageId = ref === '@original' ? (original_id ?? '') : ref;
  const found = await view.get('interaction_messages', messageId);
  // The first answer to a component may be the message of another interaction.
  const isTheirs = found?.interaction_id === id || found?.id === original_id;
  if (!found || !isTheirs) throw new RequestError('unknown_message');
  return found.message;
}

/** @see docs/spec/interactions.md#after-the-answer */
function rejectTooMany({ owners, follow_ups }: InteractionRecord): void {
  const isInGuild = String(integrationTypes.GUILD_INSTALL) in owners;
  const max = isInGuild ? limits.followUpsMax : serviceLimits.followUpsByUserInstallMax;
  if (follow_ups < max) return;
  throw new RequestError('too_many_follow_ups', { message: `Maximum number of follow-up messages reached (${max})` });
}
