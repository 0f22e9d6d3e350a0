import { ApiError } from '../../model/errors/errors.ts';
import { callbackTypes, type Interaction } from '../../model/interaction.ts';
import { isEmptyMessage } from '../../model/rules/interactions/callback.ts';
import { requireTimeLeft } from '../../wire/http/deadline.ts';
import type { Call } from '../calls.ts';
import type { Operations } from '../operation.ts';
import { encodeJson } from './answer-body.ts';
import type { EndpointReply } from './http-adapters.ts';
import { type AnswerSender, callbackSender, rejectedAnswer } from './received-interaction.ts';

/** What carries the calls about an interaction. */
export interface InlineMeans {
  readonly call: Call;
  readonly operations: Operations;
  /** Of calls that give none. */
  readonly deadlineMs: number;
}

/**
 * The answer to an interaction that arrived over HTTP. The first callback is sent in the response; if the request ended
 * without one, callbacks go through the callback endpoint.
 */
export class InlineAnswer {
  /** The response to the request. */
  readonly reply: Promise<EndpointReply>;
  readonly #resolve: (reply: EndpointReply) => void;
  readonly #sendLater: AnswerSender;
  readonly #means: InlineMeans;
  #state: 'open' | 'answered' | 'left' = 'open';

  constructor(interaction: Interaction, means: InlineMeans) {
    const { promise, resolve } = Promise.withResolvers<EndpointReply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#sendLater = callbackSender(interaction, means.call);
    this.#means = means;
  }

  /** Ends the request without a callback. Has no effect if it has one. */
  leave(reply: EndpointReply): void {
    if (this.#state !== 'open') return;
    this.#state = 'left';
    this.#resolve(reply);
  }

  readonly send: AnswerSender = async (callback, options, files) => {
    if (this.#state === 'answered') {
      throw rejectedAnswer('already_acknowledged', 'The interaction has already been acknowledged.');
    }
    if (this.#state === 'left') return this.#sendLater(callback, options, files);
    if (files.length > 0) {
      // The service reads only JSON from a response.
      await this.#sendLater(callback, options, files);
      return this.leave({ status: 202 });
    }
    requireTimeLeft({ signal: options.signal });
    if (callback.type === callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE && isEmptyMessage(callback.data)) {
      throw rejectedAnswer('empty_message', 'The message has no content, embed, component, attachment or poll.');
    }
    const text = encodeJson(callback);
    this.#state = 'answered';
    await new Promise<void>((resolve, reject) => {
      this.#resolve({ status: 200, text, left: error => (error ? reject(error) : resolve()) });
    });
  };

  /**
   * Makes calls about the messages of an interaction. They can overtake the answer that was just sent, so they are retried
   * for a moment.
   */
  readonly call: Call = async (route, request, options) => {
    const { call, operations, deadlineMs } = this.#means;
    if (this.#state !== 'answered') return call(route, request, options);
    return operations.run(deadlineMs, options, async operation => {
      for (const pauseMs of overtakingPausesMs) {
        try {
          return await call(route, request, operation.next());
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'unknown_webhook') throw error;
        }
        await operation.sleep(pauseMs);
      }
      return call(route, request, operation.next());
    });
  };
}

// The sum is as long as an answer can take to arrive over any usable connection.
const overtakingPausesMs = [20, 40, 80, 160, 320, 640];
