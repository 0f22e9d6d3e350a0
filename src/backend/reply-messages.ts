import type { Interaction, InteractionCallback } from '../model/interaction.ts';
import type { Message } from '../model/message.ts';
import { checkMessageData, type FlagsBefore } from '../model/rules/interactions/callback.ts';
import { rejectIssues } from '../wire/http/check.ts';
import { readMessage } from './answers.ts';
import type { Call, RequestOptions } from './calls.ts';

/** The message of an answer. */
export type ReplyMessage = NonNullable<InteractionCallback['data']>;

/** What an interaction is told after its first answer, within `limits.interactionTokenLifeMs` of its making. */
export interface ReplyMessages {
  /**
   * Replaces what the message supplies of the first answer, or fills one that was put off (callback type 5).
   *
   * @throws ValidationError nothing was sent; ApiError `unknown_webhook` before there is an answer, `unknown_message`
   *   when it is deleted, `empty_message`, `invalid_webhook_token` when the time is over
   */
  editReply(message: ReplyMessage, options?: RequestOptions): Promise<Message>;
  /** Deletes the first answer. @throws ApiError as {@link editReply} */
  deleteReply(options?: RequestOptions): Promise<void>;
  /**
   * Sends another message; while the first answer is put off, it fills that. Never sent twice.
   *
   * @throws as {@link editReply}, and ApiError `too_many_follow_ups`
   */
  followUp(message: ReplyMessage, options?: RequestOptions): Promise<Message>;
}

/** @see docs/spec/interactions.md#after-the-answer */
export function createReplyMessages(
  { application_id, token: interaction_token }: Interaction,
  call: Call,
): ReplyMessages {
  const path = { application_id, interaction_token };
  return {
    async editReply(message, options) {
      return readMessage((await call('editOriginalResponse', { path, body: checked(message, null) }, options)).body);
    },
    async deleteReply(options) {
      await call('deleteOriginalResponse', { path }, options);
    },
    async followUp(message, options) {
      return readMessage((await call('createFollowUp', { path, body: checked(message) }, options)).body);
    },
  };
}

/** @throws ValidationError */
function checked(message: ReplyMessage, before?: FlagsBefore): ReplyMessage {
  rejectIssues('The message', checkMessageData(message, before));
  return message;
}
