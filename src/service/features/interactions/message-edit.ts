import type { Message } from '../../../model/message.ts';
import { checkMessageData, isEmptyMessage } from '../../../model/rules/interactions/callback.ts';
import type { Attach } from '../../attachments/attachments.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { editedView, type MessageData } from './answer-view.ts';

/**
 * The message with the fields of an edit, if the result is a valid message: an edit that turns it into a message of
 * components must remove its text and embeds.
 *
 * @throws RequestError `empty_message`, `invalid_form_body`
 */
export function editMessage(message: Message, data: MessageData, atMs: number, attach: Attach): Message {
  const edited = editedView(message, data, atMs, attach);
  const { content, embeds, flags } = edited;
  if (flags !== message.flags) {
    // What is in the embeds was checked when they were sent; files of theirs have longer addresses by now.
    rejectIssues(checkMessageData({ content, embeds: embeds.map(() => ({})), flags }));
  }
  if (isEmptyMessage(edited)) throw new RequestError('empty_message');
  return edited;
}
