import { clearTimeout, setTimeout } from 'node:timers';
import type { ComponentUse, InteractionHandler, Interactions, ReceivedInteraction } from '../backend/index.ts';
import { reportError } from '../wire/error-report.ts';

/** Why an interaction fails that its handler did not answer. */
export interface HandlerFailure {
  readonly message: string;
  /** What the handler threw. */
  readonly cause?: unknown;
}

/** How long what a handler has started may take to answer after the handler returned, in real time. */
const answerAfterReturnMs = 1_000;

/**
 * Watches the handlers of the game's server, and fails the interactions that they do not answer: nobody would advance the clock
 * to the end of their time.
 */
export class HandlerWatch {
  readonly #fail: (interactionId: string) => Promise<void>;
  readonly #failures = new Map<string, HandlerFailure>();
  readonly #listeners = new Map<string, (failure: HandlerFailure) => void>();
  readonly #timers = new Set<NodeJS.Timeout>();

  /** @param fail fails the interaction unless it was answered */
  constructor(fail: (interactionId: string) => Promise<void>) {
    this.#fail = fail;
  }

  /** The same interactions, whose handlers are watched. */
  watch(interactions: Interactions): Interactions {
    return {
      ...interactions,
      listen: (handler, options) => interactions.listen(this.#watched(handler), options),
      endpoint: (handler, options) => interactions.endpoint(this.#watched(handler), options),
    };
  }

  failureOf(interactionId: string): HandlerFailure | undefined {
    return this.#failures.get(interactionId);
  }

  /** Calls the listener if the handler fails, or has failed already, also after it answered. */
  onFailure(interactionId: string, listener: (failure: HandlerFailure) => void): void {
    const failure = this.#failures.get(interactionId);
    if (failure) listener(failure);
    else this.#listeners.set(interactionId, listener);
  }

  /** Forgets what came before. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#failures.clear();
    this.#listeners.clear();
  }

  #watched(handler: InteractionHandler): InteractionHandler {
    // What is no function is rejected by the backend.
    if (typeof handler !== 'function') return handler;
    return async interaction => {
      const ids: string[] = [];
      try {
        await handler(follow(interaction, ids));
      } catch (cause) {
        const { class: name, message } = reportError(cause);
        this.#failed(ids, { message: `The handler of the interaction failed: ${name}: ${message}`, cause });
        throw cause;
      }
      this.#returned(ids);
    };
  }

  #failed(ids: readonly string[], failure: HandlerFailure): void {
    for (const id of ids) {
      this.#failures.set(id, failure);
      this.#listeners.get(id)?.(failure);
      void this.#failUnanswered(id);
    }
  }

  /** What the handler started without waiting for it may still answer. */
  #returned(ids: readonly string[]): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const id of ids) {
        this.#failures.set(id, { message: unanswered });
        void this.#failUnanswered(id);
      }
    }, answerAfterReturnMs);
    this.#timers.add(timer);
  }

  async #failUnanswered(id: string): Promise<void> {
    // It cannot be failed when the world is just being closed, and then nobody waits for it.
    await this.#fail(id).catch(() => {});
  }
}

const unanswered =
  'The handler of the interaction returned and did not answer it. Answer with reply(), update(), defer() or showModal(), and ' +
  'return or await the promise of whatever answers.';

/** The interaction, which adds to `ids` its own id and those of the components whose use it receives. */
function follow<Followed extends ReceivedInteraction>(interaction: Followed, ids: string[]): Followed {
  ids.push(interaction.payload.id);
  return {
    ...interaction,
    async awaitComponent(options) {
      const use = await interaction.awaitComponent(options);
      return use && follow(use, ids);
    },
    collectComponents(options) {
      const uses = interaction.collectComponents(options);
      const followed: AsyncIterableIterator<ComponentUse> = {
        ...(uses.return && {
          return: value => uses.return?.(value) as Promise<IteratorResult<ComponentUse, undefined>>,
        }),
        async next() {
          const result = await uses.next();
          return result.done ? result : { ...result, value: follow(result.value, ids) };
        },
        [Symbol.asyncIterator]: () => followed,
      };
      return followed;
    },
  };
}
