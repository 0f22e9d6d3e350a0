import type { Message } from '../../../model/message.ts';
import { checkMessageData, isEmptyMessage } from '../../../model/rules/interactions/callback.ts';
import type { Attach } from '../../attachments/attachments.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { editedView, type MessageData } from './answer-view.ts';

/**
 * The message with what an edit supplies, when that can be a message: one that components alone are to be from now on
 * has its text and embeds taken away by the same edit.
 *
 * @throws RequestError `empty_message`, `invalid_form_body`
 */
export function editMessage(message: Message, data: MessageData, atMs: number, attach: Attach): Message {
  const edited = editedView(message, data, atMs, attach);
  const { content, embeds, flags } = edited;
  if (flags !== message.flags) rejectIssues(checkMessageData({ content, embeds, flags }));
  if (isEmptyMessage(edited)) throw new RequestError('empty_message');
  return edited;
}
