import { TransportError } from '../model/errors.ts';
import { callbackTypes, type Interaction, type InteractionCallback } from '../model/interaction.ts';
import { limits } from '../model/limits.ts';
import { checkCallback } from '../model/rules/callback.ts';
import { isSnowflake, snowflakeTimeMs } from '../model/snowflake.ts';
import { refuseIssues } from '../wire/check.ts';
import { asRecord } from '../wire/codec.ts';
import type { Clock } from '../wire/ports.ts';
import type { Call, CallOptions } from './calls.ts';

/** The message of an answer. */
export type ReplyMessage = NonNullable<InteractionCallback['data']>;

/** A use of one of the application's commands, waiting for an answer. */
export interface ReceivedInteraction {
  /** As the service sent it. */
  readonly payload: Interaction;
  /** Until when the first answer must have arrived: milliseconds since the Unix epoch by the backend's clock. */
  readonly answerByMs: number;
  /**
   * Answers with a message of at most `limits.messageContentLengthMax` characters. Never sent twice.
   *
   * @throws ValidationError nothing was sent; ApiError `already_acknowledged` for a second answer, `unknown_interaction`
   *   for a late one; TransportError `deadline_exceeded` when the time is over
   */
  reply(message: ReplyMessage, options?: CallOptions): Promise<void>;
  /** Answers with any callback. @throws as {@link reply} */
  respond(callback: InteractionCallback, options?: CallOptions): Promise<void>;
}

/** An interaction that came just now, with the means to answer it. @see commands.md 3.3, 3.4 */
export function createReceivedInteraction(payload: Interaction, clock: Clock, call: Call): ReceivedInteraction {
  const answerByMs = answerTimeMs(payload, clock.now());

  async function respond(callback: InteractionCallback, options: CallOptions = {}): Promise<void> {
    refuseIssues('The answer to the interaction', checkCallback(callback));
    const leftMs = answerByMs - clock.now();
    if (leftMs <= 0) throw tooLate();
    const path = { interaction_id: payload.id, interaction_token: payload.token };
    const deadlineMs = Math.min(leftMs, options.deadlineMs ?? leftMs);
    await call('createInteractionResponse', { path, body: callback }, { ...options, deadlineMs });
  }

  return {
    payload,
    answerByMs,
    respond,
    reply: (message, options) => respond({ type: callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE, data: message }, options),
  };
}

/** An INTERACTION_CREATE's data, when it has what an answer needs; the rest passes as it came. */
export function readInteraction(data: unknown): Interaction | undefined {
  const { id, token, type } = asRecord(data) ?? {};
  if (!isSnowflake(id) || typeof token !== 'string' || typeof type !== 'number') return undefined;
  return data as Interaction;
}

/**
 * The time counts from the interaction's creation. Our choice: from its arrival where our clock and the service's
 * disagree so much that it would come from the future or be over already.
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
    `An interaction takes its first answer within ${ms} ms. Answer earlier, or defer the answer first.`,
  );
}
