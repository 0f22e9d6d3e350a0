import { ApiError, ArgumentError, TransportError } from '../../model/errors/errors.ts';
import type { Interaction } from '../../model/interaction.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import type { Call } from '../calls.ts';
import type { EndpointReply } from './http-adapters.ts';
import { type AnswerSender, alreadyAcknowledged, callbackSender } from './received-interaction.ts';

/**
 * The answer to an interaction that waits for it in an HTTP request: the first callback goes into the response. Once the
 * request was left without one, callbacks take the callback endpoint.
 */
export class InlineAnswer {
  /** What the request is answered. */
  readonly reply: Promise<EndpointReply>;
  readonly #resolve: (reply: EndpointReply) => void;
  readonly #sendLater: AnswerSender;
  readonly #call: Call;
  readonly #clock: Clock;
  #state: 'open' | 'answered' | 'left' = 'open';

  constructor(interaction: Interaction, call: Call, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<EndpointReply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#sendLater = callbackSender(interaction, call);
    this.#call = call;
    this.#clock = clock;
  }

  /** Ends the request without a callback; without effect when it has one. */
  leave(reply: EndpointReply): void {
    if (this.#state !== 'open') return;
    this.#state = 'left';
    this.#resolve(reply);
  }

  readonly send: AnswerSender = async (callback, options) => {
    if (this.#state === 'answered') throw alreadyAcknowledged();
    if (this.#state === 'left') return this.#sendLater(callback, options);
    if (options.signal?.aborted) throw new TransportError('aborted', 'The call was aborted.');
    const text = encode(callback);
    this.#state = 'answered';
    await new Promise<void>((resolve, reject) => {
      this.#resolve({ status: 200, text, left: error => (error ? reject(error) : resolve()) });
    });
  };

  /**
   * Calls about the messages of an interaction whose answer has just left: they may overtake it, and are then repeated
   * for a moment.
   */
  readonly call: Call = async (route, request, options) => {
    if (this.#state === 'answered') {
      for (const pauseMs of overtakingPausesMs) {
        try {
          return await this.#call(route, request, options);
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'unknown_webhook') throw error;
        }
        await new Promise<void>(resolve => this.#clock.schedule(pauseMs, resolve, { keepAlive: true }));
      }
    }
    return this.#call(route, request, options);
  };
}

// Our choice: in all as long as an answer under way can take to arrive on any usable line.
const overtakingPausesMs = [20, 40, 80, 160, 320, 640];

/** @throws ArgumentError `unencodable_body` */
function encode(callback: unknown): string {
  try {
    return JSON.stringify(callback);
  } catch {
    throw new ArgumentError(
      'unencodable_body',
      'The answer cannot be written as JSON: it has a bigint or a cycle in it.',
    );
  }
}
