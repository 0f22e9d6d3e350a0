import type { CommandChoice } from '../../../model/command.ts';
import type { Modal } from '../../../model/component.ts';
import type { ModalCreated } from '../../../model/gateway.ts';
import { type CallbackResponse, type CallbackType, callbackTypes } from '../../../model/interaction.ts';
import { isLocale } from '../../../model/locale.ts';
import { type Message, messageFlags } from '../../../model/message.ts';
import { pickComponents } from '../../../model/rules/components/known-components.ts';
import { numberComponents } from '../../../model/rules/components/modal-layout.ts';
import { isFields } from '../../../model/rules/field.ts';
import { checkAccepted } from '../../../model/rules/interactions/accepted-callbacks.ts';
import { checkCallback, checkSuggestedValues, isEmptyMessage } from '../../../model/rules/interactions/callback.ts';
import { localize } from '../../../model/rules/locales/localize.ts';
import type { InteractionId, MessageId } from '../../../model/snowflake.ts';
import { type Attach, attachmentNames, uploadedFiles } from '../../attachments/attachments.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { matchesSecret } from '../../support/secret.ts';
import { botUserView } from '../accounts/user-view.ts';
import { answerView, isEphemeral, isLoading, type MessageData } from './answer-view.ts';
import type { KeptMessages } from './kept-messages.ts';
import { editMessage } from './message-edit.ts';
import { interactionScope, messageGuards, notifyOutcome, partiesOf, putMessage, tokenEndMs } from './records.ts';

/** An interaction that can be answered now, with what its answer needs. */
interface Answer {
  readonly transaction: Transaction;
  readonly kept: KeptMessages;
  readonly record: InteractionRecord;
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly data: MessageData;
  /** For the message, if there is one. */
  readonly messageId: MessageId;
  /** The message whose component was used; undefined when there is none, or it was deleted. */
  readonly source: Message | undefined;
  readonly attach: Attach;
  readonly atMs: number;
}

/** The result of an answer. */
interface Outcome {
  /** The first answer. */
  readonly message?: Message;
  readonly activityId?: string;
  readonly modal?: Modal;
}

type Responder = (answer: Answer) => Outcome;

/** {@link checkAccepted} says which of them an interaction accepts. @see docs/spec/interactions.md#answers */
const responders: Readonly<Record<Exclude<CallbackType, typeof callbackTypes.PONG>, Responder>> = {
  [callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE]: respondWithMessage,
  [callbackTypes.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE]: respondLater,
  [callbackTypes.DEFERRED_UPDATE_MESSAGE]: respondByUpdateLater,
  [callbackTypes.UPDATE_MESSAGE]: respondByUpdate,
  [callbackTypes.APPLICATION_COMMAND_AUTOCOMPLETE_RESULT]: respondWithChoices,
  [callbackTypes.MODAL]: respondWithModal,
  [callbackTypes.LAUNCH_ACTIVITY]: respondWithActivity,
};

export function createInteractionAnswer({ store, clock, ids }: Core, attach: Attach, kept: KeptMessages) {
  async function answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse> {
    const messageId: MessageId = ids.next();
    const work = async (transaction: Transaction): Promise<CallbackResponse> => {
      const atMs = clock.now();
      const record = await find(transaction, id, token);
      if (record.state === 'answered') throw new RequestError('already_acknowledged');
      if (record.state === 'failed' || atMs >= record.expires_at_ms) throw new RequestError('unknown_interaction');
      const parties = await partiesOf(transaction, record);
      const source =
        record.source && (await transaction.get('interaction_messages', record.source.message_id))?.message;
      const { type, data, respond } = readCallback(body, record, parties.application, source);
      const { modal, ...outcome } = respond({
        transaction,
        kept,
        record,
        ...parties,
        data,
        messageId,
        source,
        attach,
        atMs,
      });
      transaction.put('interactions', {
        ...record,
        state: 'answered',
        expires_at_ms: tokenEndMs(record),
        original_id: outcome.message?.id ?? null,
        ...(modal && { modal: { ...modal, open: true } }),
      });
      return callbackResponse(record, type, outcome);
    };
    return store.transact(interactionScope(id), work, messageGuards(await store.get('interactions', id)));
  }

  async function checkToken(id: InteractionId, token: string): Promise<void> {
    await find(store, id, token);
  }

  return { answer, checkToken };
}

/** @throws RequestError `unknown_interaction` */
async function find(view: StoreView, id: InteractionId, token: string): Promise<InteractionRecord> {
  const record = await view.get('interactions', id);
  if (!record || !matchesSecret(token, record.token_hash)) throw new RequestError('unknown_interaction');
  return record;
}

/** @throws RequestError `invalid_form_body` */
function readCallback(
  body: unknown,
  record: InteractionRecord,
  { embedded }: ApplicationRecord,
  source: Message | undefined,
): { readonly type: CallbackType; readonly data: MessageData; readonly respond: Responder } {
  const given = isFields(body) ? body : {};
  const before = given.type === callbackTypes.UPDATE_MESSAGE ? source?.attachments : [];
  rejectIssues(checkCallback(body, source?.flags, attachmentNames(given.data, before)));
  const { type, data } = body as { readonly type: keyof typeof responders; readonly data?: MessageData | null };
  rejectIssues(checkAccepted(type, { type: record.type, hasSource: Boolean(record.source), isEmbedded: embedded }));
  return { type, data: data ?? {}, respond: responders[type] };
}

function respondWithMessage(answer: Answer): Outcome {
  const { record, ...parts } = answer;
  if (isEmptyMessage(parts.data) && uploadedFiles(parts.data).length === 0) throw new RequestError('empty_message');
  return answerWithMessage(answer, answerView({ ...parts, id: parts.messageId, interaction: record }));
}

/** Stores a deferred answer, of which only the ephemeral flag is known. */
function respondLater(answer: Answer): Outcome {
  const { record, ...parts } = answer;
  const { EPHEMERAL, LOADING } = messageFlags;
  const empty = answerView({ ...parts, id: parts.messageId, interaction: record, data: {} });
  const flags = (Number(parts.data.flags ?? 0) & EPHEMERAL) | LOADING;
  return answerWithMessage(answer, { ...empty, flags });
}

function answerWithMessage(answer: Answer, message: Message): Outcome {
  const { transaction, record } = answer;
  notifyOutcome(transaction, record, 'INTERACTION_SUCCESS');
  putMessage(answer, record, message, 'MESSAGE_CREATE');
  return { message };
}

/**
 * Edits the message that the component belongs to.
 *
 * @throws RequestError `unknown_message` when it was deleted, and as {@link editMessage}
 */
function respondByUpdate(answer: Answer): Outcome {
  const { transaction, record, source, data, attach, atMs } = answer;
  if (!source) throw new RequestError('unknown_message');
  const message = editMessage(source, data, atMs, attach);
  notifyOutcome(transaction, record, 'INTERACTION_SUCCESS');
  putMessage(answer, record, message, 'MESSAGE_UPDATE');
  return { message };
}

/** Leaves the message of the component unchanged; it may be edited later. */
function respondByUpdateLater({ transaction, record, source }: Answer): Outcome {
  notifyOutcome(transaction, record, 'INTERACTION_SUCCESS');
  return source ? { message: source } : {};
}

/** Shows the user a modal. Unspecified: the user's client receives INTERACTION_SUCCESS as well, as with a message. */
function respondWithModal({ transaction, record, application, data }: Answer): Outcome {
  const { custom_id, title, components } = data as unknown as Modal;
  const modal: Modal = { custom_id, title, components: numberComponents(pickComponents(components)) };
  const { id, channel_id, nonce } = record;
  const shown = { id, channel_id, ...modal, application: modalApplicationView(application), nonce };
  notifyOutcome(transaction, record, 'INTERACTION_SUCCESS');
  const event = { name: 'INTERACTION_MODAL_CREATE', data: JSON.stringify(shown satisfies ModalCreated) } as const;
  transaction.announce({ to: topics.user(record.user_id), event });
  return { modal };
}

function modalApplicationView(application: ApplicationRecord): ModalCreated['application'] {
  const { id, name, description } = application;
  return { id, name, description, icon: null, bot: botUserView(application) };
}

/** Unspecified: an Activity has one instance for each launch; nothing else is stored about it. */
function respondWithActivity({ transaction, record }: Answer): Outcome {
  notifyOutcome(transaction, record, 'INTERACTION_SUCCESS');
  const place = record.guild_id === null ? `pc-${record.channel_id}` : `gc-${record.guild_id}-${record.channel_id}`;
  return { activityId: `i-${record.id}-${place}` };
}

/** Unspecified: the user receives the choices' names in the user's own language, so that the client need not choose. */
function respondWithChoices({ transaction, record, user, data }: Answer): Outcome {
  const choices = (data.choices ?? []) as readonly CommandChoice[];
  if (record.focused_type !== null) rejectIssues(checkSuggestedValues(choices, record.focused_type));
  const shown = choices.map(({ name, name_localizations, value }) => ({
    name: (isLocale(user.locale) && localize(name_localizations, user.locale)) || name,
    value,
  }));
  const event = {
    name: 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE',
    data: JSON.stringify({ choices: shown, nonce: record.nonce }),
  } as const;
  transaction.announce({ to: topics.user(record.user_id), event });
  return {};
}

/** @see docs/spec/interactions.md#answers */
function callbackResponse(
  { id, type }: InteractionRecord,
  callbackType: CallbackType,
  { message, activityId }: Outcome,
): CallbackResponse {
  const isShown =
    callbackType === callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE || callbackType === callbackTypes.UPDATE_MESSAGE;
  return {
    interaction: {
      id,
      type,
      ...(activityId !== undefined && { activity_instance_id: activityId }),
      ...(message && {
        response_message_id: message.id,
        response_message_loading: isLoading(message),
        response_message_ephemeral: isEphemeral(message),
      }),
    },
    // The interface has a type for these alone.
    ...(message && isShown && { resource: { type: callbackType, message } }),
    ...(activityId !== undefined && { resource: { type: callbackType, activity_instance: { id: activityId } } }),
  };
}
