import type { Interaction, InteractionCallback } from '../../model/interaction.ts';
import { type Message, messageFlags } from '../../model/message.ts';
import { checkMessageData, type FlagsBefore } from '../../model/rules/interactions/callback.ts';
import { requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { readMessage } from '../answers.ts';
import type { Call, RequestOptions } from '../calls.ts';
import type { Embed } from '../components/embed.ts';
import { encodeAnswer, type MessageFile, splitMessage } from './answer-body.ts';

type MessageData = NonNullable<InteractionCallback['data']>;

/** The message of an answer. */
export interface ReplyMessage extends MessageData {
  /** Shows a new message only to the user. Short for the flag `messageFlags.EPHEMERAL`; has no effect on an edit. */
  readonly ephemeral?: boolean | undefined;
  /** At most `limits.messageEmbedsMax`; `embed()` makes them. */
  readonly embeds?: readonly Embed[];
  /**
   * Files to send, at most `limits.messageAttachmentsMax` together with the kept `attachments`. In an edit they replace the
   * message's attachments, except those that `attachments` lists by id.
   */
  readonly files?: readonly MessageFile[] | undefined;
}

/** The messages after the first answer, possible for `limits.interactionTokenLifeMs` after the interaction's creation. */
export interface ReplyMessages {
  /**
   * Edits the first answer, or supplies it if it was deferred. The fields of `message` replace those of the answer.
   *
   * @throws ValidationError nothing was sent; ApiError `unknown_webhook` before the first answer, `unknown_message` if it was
   *   deleted, `empty_message`, `invalid_webhook_token` if the time is over, `request_too_large` if the files are too large
   *   together
   */
  editReply(message: ReplyMessage, options?: RequestOptions): Promise<Message>;
  /** Deletes the first answer. @throws ApiError as {@link editReply} */
  deleteReply(options?: RequestOptions): Promise<void>;
  /**
   * Sends another message; if the first answer was deferred, the message becomes it. Never retried.
   *
   * @throws as {@link editReply}, and ApiError `too_many_follow_ups`
   */
  followUp(message: ReplyMessage, options?: RequestOptions): Promise<Message>;
}

/** @see docs/spec/interactions.md#after-the-answer */
export function createReplyMessages(
  { application_id, token: interaction_token, attachment_size_limit }: Interaction,
  call: Call,
): ReplyMessages {
  const path = { application_id, interaction_token };

  async function encode(message: MessageData, before?: FlagsBefore) {
    const { data, files, issues } = splitMessage(message, attachment_size_limit);
    rejectIssues('The message', [...issues, ...checkMessageData(data, before)]);
    return { path, ...(await encodeAnswer(data, files)) };
  }

  return {
    async editReply(message, options) {
      return readMessage((await call('editOriginalResponse', await encode(editData(message), null), options)).body);
    },
    async deleteReply(options) {
      await call('deleteOriginalResponse', { path }, options);
    },
    async followUp(message, options) {
      return readMessage((await call('createFollowUp', await encode(messageData(message)), options)).body);
    },
  };
}

/** The message as it is sent: `ephemeral` is one of its flags. @throws ArgumentError `invalid_argument` */
export function messageData(message: ReplyMessage): MessageData {
  requireType('message', message, 'object');
  const { ephemeral, ...data } = message;
  return ephemeral ? { ...data, flags: (data.flags ?? 0) | messageFlags.EPHEMERAL } : data;
}

/** What an edit sends: whether a message is ephemeral cannot change. @throws ArgumentError `invalid_argument` */
export function editData(message: ReplyMessage): MessageData {
  requireType('message', message, 'object');
  const { ephemeral: _, ...data } = message;
  return data;
}
