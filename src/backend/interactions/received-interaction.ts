import type { Modal } from '../../model/component.ts';
import { ApiError, apiErrors, TransportError } from '../../model/errors/errors.ts';
import {
  type ComponentInteraction,
  callbackTypes,
  type Interaction,
  type InteractionCallback,
  interactionTypes,
  invokingUser,
  type PingInteraction,
} from '../../model/interaction.ts';
import { limits } from '../../model/limits/limits.ts';
import type { Message } from '../../model/message.ts';
import { checkAccepted } from '../../model/rules/interactions/accepted-callbacks.ts';
import { checkCallback } from '../../model/rules/interactions/callback.ts';
import { isSnowflake, snowflakeTimeMs } from '../../model/snowflake.ts';
import type { User } from '../../model/user.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { type Clock, steadyNow } from '../../wire/clock/ports.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { routeLabel } from '../../wire/routes.ts';
import { areOptions } from '../answers.ts';
import type { Call, RequestOptions } from '../calls.ts';
import { encodeAnswer, type MessageFile, splitMessage } from './answer-body.ts';
import type { CollectOptions, ComponentCollectors } from './component-collectors.ts';
import { createReplyMessages, editData, messageData, type ReplyMessage, type ReplyMessages } from './reply-messages.ts';

/** A use of one of the application's commands, components or modals, which waits for an answer. */
export interface ReceivedInteraction extends ReplyMessages {
  /** As the service sent it. */
  readonly payload: Interaction;
  /** Who used it, in a guild or in direct messages. In a guild `payload.member` says more. */
  readonly user: User;
  /** When the first answer must have arrived: milliseconds since the Unix epoch, by the backend's clock. */
  readonly answerByMs: number;
  /**
   * Answers with a message of at most `limits.messageContentLengthMax` characters. Never retried.
   *
   * @throws ValidationError, ArgumentError nothing was sent; ApiError `already_acknowledged` for a second answer, `empty_message`,
   *   `unknown_interaction` for a late one; TransportError `deadline_exceeded` if the time for an answer is over
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
   * cannot report an error; an answer with files goes through the callback endpoint.
   *
   * @throws as {@link reply}
   */
  respond(callback: InteractionCallback, options?: RequestOptions): Promise<void>;
  /**
   * Waits for the use of a component of a message that answers this interaction, or of the message whose component this is the
   * use of. The handlers and the middleware of a router do not see that use: answer it within `answerByMs`, as any other.
   *
   * @returns the first use that fits, or undefined if none arrived in time
   * @throws TransportError `aborted`; and what `filter` throws
   * @example
   * ```ts
   * await backend.interactions.listen(async ({ reply, awaitComponent, editReply }) => {
   *   await reply({ content: 'Leave the party?', components: [row(button.danger('leave', 'Leave'))] });
   *   const pressed = await awaitComponent({ customIds: ['leave'], timeoutMs: 60_000 });
   *   if (pressed) await pressed.update({ content: 'You have left.', components: [] });
   *   else await editReply({ content: 'You stay.', components: [] });
   * });
   * ```
   */
  awaitComponent(options?: CollectOptions<ComponentUse>): Promise<ComponentUse | undefined>;
  /**
   * Collects such uses, from this call on, one by one; see {@link awaitComponent}. At most 100 wait to be taken; further ones, and
   * those that still wait when collecting ends, go to the handler of the listener or endpoint. Leaving a `for await` loop ends it.
   */
  collectComponents(options?: CollectOptions<ComponentUse>): AsyncIterableIterator<ComponentUse>;
}

/** The use of a component of a message. */
export interface ComponentUse extends ReceivedInteraction {
  readonly payload: ComponentInteraction;
  /** The chosen values of a select; empty for a button. */
  readonly values: readonly string[];
  /** The text after the first colon of a custom id. `defineComponent()` carries values by name, as `params`. */
  readonly argument: string | undefined;
}

export interface DeferOptions extends RequestOptions {
  /** Shows the answer only to the user. Default false. */
  readonly ephemeral?: boolean | undefined;
}

export interface ModalOptions extends RequestOptions {
  /** Follows a colon in the modal's custom id. `withParams()` of a defined modal carries values by name, as `params`. */
  readonly argument?: string | undefined;
}

/** Sends a callback that passed its check. */
export type AnswerSender = (
  callback: InteractionCallback,
  options: RequestOptions & { readonly deadlineMs: number },
  files: readonly MessageFile[],
) => Promise<void>;

export interface InteractionMeans {
  readonly clock: Clock;
  readonly call: Call;
  readonly collectors: ComponentCollectors<ComponentUse>;
  /** Default: through the callback endpoint. */
  readonly send?: AnswerSender | undefined;
}

/** Makes a received interaction with the methods that answer it. @see docs/spec/interactions.md#answers; docs/spec/interactions.md#after-the-answer */
export function createReceivedInteraction(
  payload: Interaction,
  { clock, call, collectors, send = callbackSender(payload, call) }: InteractionMeans,
): ReceivedInteraction {
  const answerByMs = answerTimeMs(payload, clock.now());
  const endsMs = steadyNow(clock) + (answerByMs - clock.now());
  // Only the service knows whether the application has an Activity.
  const answerable = { type: payload.type, hasSource: messageOf(payload) !== undefined, isEmbedded: true };

  async function respond(callback: InteractionCallback, given?: RequestOptions): Promise<void> {
    requireType('callback', callback, 'object');
    const options = parseOptions(given);
    const { data, files, issues } = splitMessage(callback.data ?? {}, payload.attachment_size_limit);
    const answer = callback.data ? { ...callback, data } : callback;
    const inData = issues.map(issue => ({ ...issue, path: ['data', ...issue.path] }));
    rejectIssues('The answer to the interaction', [...inData, ...checkCallback(answer, messageOf(payload)?.flags)]);
    rejectIssues('The answer to the interaction', checkAccepted(callback.type, answerable));
    const leftMs = endsMs - steadyNow(clock);
    if (leftMs <= 0) throw tooLate();
    await send(answer, { ...options, deadlineMs: Math.min(leftMs, options.deadlineMs ?? leftMs) }, files);
  }

  const afterAnswerMs = limits.interactionTokenLifeMs - limits.interactionAnswerMs;
  const collectComponents: ReceivedInteraction['collectComponents'] = options =>
    collectors.open(payload, endsMs - steadyNow(clock) + afterAnswerMs, parseOptions(options));

  return {
    payload,
    // Every interaction has one of the two.
    user: invokingUser(payload) as User,
    answerByMs,
    respond,
    reply: async (message, options) =>
      respond({ type: callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE, data: messageData(message) }, options),
    update: async (message, options) =>
      respond({ type: callbackTypes.UPDATE_MESSAGE, data: editData(message) }, options),
    async defer(given) {
      const { ephemeral, ...options } = parseOptions(given);
      const type = callbackTypes.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE;
      return respond(ephemeral ? { type, data: messageData({ ephemeral }) } : { type }, options);
    },
    deferUpdate: options => respond({ type: callbackTypes.DEFERRED_UPDATE_MESSAGE }, options),
    showModal: async (modal, options) =>
      respond({ type: callbackTypes.MODAL, data: modalData(modal, options) }, options),
    async awaitComponent(options) {
      const collected = collectComponents(options);
      const { value } = await collected.next();
      await collected.return?.();
      return value;
    },
    collectComponents,
    ...createReplyMessages(payload, call),
  };
}

function modalData(modal: Modal, options?: ModalOptions): Modal & ReplyMessage {
  requireType('modal', modal, 'object');
  const { argument } = parseOptions(options);
  const { custom_id, title, components } = modal;
  return { custom_id: argument === undefined ? custom_id : `${custom_id}:${argument}`, title, components };
}

function messageOf(payload: Interaction): Message | undefined {
  return 'message' in payload ? payload.message : undefined;
}

/** Sends callbacks to the callback endpoint. @see docs/spec/interactions.md#after-the-answer */
export function callbackSender({ id, token }: Interaction, call: Call): AnswerSender {
  const path = { interaction_id: id, interaction_token: token };
  return async (callback, options, files) => {
    await call('createInteractionResponse', { path, ...(await encodeAnswer(callback, files)) }, options);
  };
}

/** The use of a component with what was chosen; undefined for any other interaction. */
export function asComponentUse(interaction: ReceivedInteraction): ComponentUse | undefined {
  const { payload } = interaction;
  if (payload.type !== interactionTypes.MESSAGE_COMPONENT) return undefined;
  if (!asRecord(payload.data)) return undefined;
  const { custom_id: customId, values = [] } = payload.data;
  if (typeof customId !== 'string') return undefined;
  const colon = customId.indexOf(':');
  return { ...interaction, payload, values, argument: colon < 0 ? undefined : customId.slice(colon + 1) };
}

/** Parses an interaction: checks what an answer and its handler need, and keeps the rest as received. */
export function readInteraction(value: unknown): Interaction | PingInteraction | undefined {
  const { id, token, type, data, message } = asRecord(value) ?? {};
  if (!isSnowflake(id) || typeof token !== 'string' || typeof type !== 'number') return undefined;
  if (type === interactionTypes.MESSAGE_COMPONENT && !asRecord(message)) return undefined;
  return areOptions(asRecord(data)?.options) ? (value as Interaction | PingInteraction) : undefined;
}

/** The error that the service would respond with to such an answer. */
export function rejectedAnswer(name: 'already_acknowledged' | 'empty_message', message: string): ApiError {
  const { status, code: apiCode } = apiErrors[name];
  return new ApiError(message, { status, apiCode, route: routeLabel('createInteractionResponse'), issues: [] });
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
