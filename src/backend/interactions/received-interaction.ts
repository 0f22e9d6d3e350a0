import type { Modal } from '../../model/component.ts';
import { ApiError, apiErrors, TransportError } from '../../model/errors/errors.ts';
import {
  callbackTypes,
  type Interaction,
  type InteractionCallback,
  type PingInteraction,
} from '../../model/interaction.ts';
import { limits } from '../../model/limits/limits.ts';
import { type Message, messageFlags } from '../../model/message.ts';
import { checkCallback, checkMessageData, type FlagsBefore } from '../../model/rules/interactions/callback.ts';
import { isSnowflake, snowflakeTimeMs } from '../../model/snowflake.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { routeLabel } from '../../wire/routes.ts';
import { readMessage } from '../answers.ts';
import type { Call, RequestOptions } from '../calls.ts';

/** A use of one of the application's commands, components or modals, which waits for an answer. */
export interface ReceivedInteraction extends ReplyMessages {
  /** As the service sent it. */
  readonly payload: Interaction;
  /** When the first answer must have arrived: milliseconds since the Unix epoch, by the backend's clock. */
  readonly answerByMs: number;
  /**
   * Answers with a message of at most `limits.messageContentLengthMax` characters. Never retried.
   *
   * @throws ValidationError nothing was sent; ApiError `already_acknowledged` for a second answer, `unknown_interaction`
   *   for a late one; TransportError `deadline_exceeded` if the time for an answer is over
   */
  reply(message: ReplyMessage, options?: RequestOptions): Promise<void>;
  /**
   * Defers the answer: the user sees that the application is working. Supply it with `editReply` within
   * `limits.interactionTokenLifeMs`. Whether it is ephemeral must be decided here.
   *
   * @throws as {@link reply}
   */
  defer(options?: DeferOptions): Promise<void>;
  /**
   * Acknowledges the use of a component without a visible change. Edit its message later with `editReply`.
   *
   * @throws as {@link reply}
   */
  deferUpdate(options?: RequestOptions): Promise<void>;
  /**
   * Answers the use of a component, or of a modal that a component opened, by editing the component's message. The fields of
   * `message` replace those of the message.
   *
   * @throws as {@link reply}; ApiError `invalid_form_body` where there is no such message
   */
  update(message: ReplyMessage, options?: RequestOptions): Promise<void>;
  /**
   * Answers the use of a command or of a component with a form. When the user submits it, another interaction arrives; when
   * the user dismisses it, none does.
   *
   * @throws as {@link reply}
   */
  showModal(modal: Modal, options?: ModalOptions): Promise<void>;
  /**
   * Answers with any callback. An interaction that arrived over HTTP is answered in the HTTP response, so that the service
   * cannot report an error.
   *
   * @throws as {@link reply}
   */
  respond(callback: InteractionCallback, options?: RequestOptions): Promise<void>;
}

export interface DeferOptions extends RequestOptions {
  /** Shows the answer only to the user. Default false. */
  readonly ephemeral?: boolean | undefined;
}

export interface ModalOptions extends RequestOptions {
  /** Passed to the handler of the submitted form. It follows a colon in the modal's custom id. */
  readonly argument?: string | undefined;
}

/** Sends a callback that passed its check. */
export type AnswerSender = (
  callback: InteractionCallback,
  options: RequestOptions & { readonly deadlineMs: number },
) => Promise<void>;

export interface InteractionMeans {
  readonly clock: Clock;
  readonly call: Call;
  /** Default: through the callback endpoint. */
  readonly send?: AnswerSender | undefined;
}

/** Makes a received interaction with the methods that answer it. @see docs/spec/interactions.md#answers; docs/spec/interactions.md#after-the-answer */
export function createReceivedInteraction(
  payload: Interaction,
  { clock, call, send = callbackSender(payload, call) }: InteractionMeans,
): ReceivedInteraction {
  const answerByMs = answerTimeMs(payload, clock.now());

  async function respond(callback: InteractionCallback, options: RequestOptions = {}): Promise<void> {
    rejectIssues('The answer to the interaction', checkCallback(callback, messageOf(payload)?.flags));
    const leftMs = answerByMs - clock.now();
    if (leftMs <= 0) throw tooLate();
    await send(callback, { ...options, deadlineMs: Math.min(leftMs, options.deadlineMs ?? leftMs) });
  }

  return {
    payload,
    answerByMs,
    respond,
    reply: (message, options) =>
      respond({ type: callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE, data: messageData(message) }, options),
    update: ({ ephemeral: _, ...data }, options) => respond({ type: callbackTypes.UPDATE_MESSAGE, data }, options),
    defer({ ephemeral, ...options } = {}) {
      const type = callbackTypes.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE;
      return respond(ephemeral ? { type, data: messageData({ ephemeral }) } : { type }, options);
    },
    deferUpdate: options => respond({ type: callbackTypes.DEFERRED_UPDATE_MESSAGE }, options),
    showModal: (modal, options) => respond({ type: callbackTypes.MODAL, data: modalData(modal, options) }, options),
    ...createReplyMessages(payload, call),
  };
}

/** The message as it is sent: `ephemeral` is one of its flags. */
function messageData({ ephemeral, ...data }: ReplyMessage): NonNullable<InteractionCallback['data']> {
  return ephemeral ? { ...data, flags: (data.flags ?? 0) | messageFlags.EPHEMERAL } : data;
}

function modalData({ custom_id, title, components }: Modal, { argument }: ModalOptions = {}): Modal & ReplyMessage {
  return { custom_id: argument === undefined ? custom_id : `${custom_id}:${argument}`, title, components };
}

function messageOf(payload: Interaction): Message | undefined {
  return 'message' in payload ? payload.message : undefined;
}

/** Sends callbacks to the callback endpoint. @see docs/spec/interactions.md#after-the-answer */
export function callbackSender({ id, token }: Interaction, call: Call): AnswerSender {
  const path = { interaction_id: id, interaction_token: token };
  return async (callback, options) => {
    await call('createInteractionResponse', { path, body: callback }, options);
  };
}

/** Parses an interaction: checks what an answer needs and keeps the rest as received. */
export function readInteraction(data: unknown): Interaction | PingInteraction | undefined {
  const { id, token, type } = asRecord(data) ?? {};
  if (!isSnowflake(id) || typeof token !== 'string' || typeof type !== 'number') return undefined;
  return data as Interaction | PingInteraction;
}

/** The error that the service would respond with to a second answer. */
export function alreadyAcknowledged(): ApiError {
  const { status, code: apiCode } = apiErrors.already_acknowledged;
  return new ApiError('The interaction has already been acknowledged.', {
    status,
    apiCode,
    route: routeLabel('createInteractionResponse'),
    issues: [],
  });
}

/**
 * The time counts from the interaction's creation. Unspecified: it counts from the arrival if the clocks differ so much that
 * the creation would be in the future or the time already over.
 */
function answerTimeMs({ id }: Interaction, nowMs: number): number {
  const createdMs = snowflakeTimeMs(id);
  const ageMs = nowMs - createdMs;
  return (ageMs >= 0 && ageMs < limits.interactionAnswerMs ? createdMs : nowMs) + limits.interactionAnswerMs;
}

function tooLate(): TransportError {
  const ms = limits.interactionAnswerMs;
  return new TransportError(
    'deadline_exceeded',
    `The first answer to an interaction must arrive within ${ms} ms. Answer earlier, or call defer() first.`,
  );
}

/** The message of an answer. */
export interface ReplyMessage extends NonNullable<InteractionCallback['data']> {
  /** Shows a new message only to the user. Short for the flag `messageFlags.EPHEMERAL`; has no effect on an edit. */
  readonly ephemeral?: boolean | undefined;
}

/** The messages after the first answer, possible for `limits.interactionTokenLifeMs` after the interaction's creation. */
export interface ReplyMessages {
  /**
   * Edits the first answer, or supplies it if it was deferred. The fields of `message` replace those of the answer.
   *
   * @throws ValidationError nothing was sent; ApiError `unknown_webhook` before the first answer, `unknown_message` if it was
   *   deleted, `empty_message`, `invalid_webhook_token` if the time is over
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
  { application_id, token: interaction_token }: Interaction,
  call: Call,
): ReplyMessages {
  const path = { application_id, interaction_token };
  return {
    async editReply({ ephemeral: _, ...message }, options) {
      return readMessage((await call('editOriginalResponse', { path, body: checked(message, null) }, options)).body);
    },
    async deleteReply(options) {
      await call('deleteOriginalResponse', { path }, options);
    },
    async followUp(message, options) {
      return readMessage((await call('createFollowUp', { path, body: checked(messageData(message)) }, options)).body);
    },
  };
}

/** @throws ValidationError */
function checked<Data extends object>(message: Data, before?: FlagsBefore): Data {
  rejectIssues('The message', checkMessageData(message, before));
  return message;
}
