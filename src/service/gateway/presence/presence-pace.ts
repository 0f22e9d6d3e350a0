import type { Cancel } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { Session } from '../sessions/session.ts';
import type { GivenPresence } from './presence-update.ts';

/** Presences of a session that wait for their turn. */
interface Queue {
  presences: readonly GivenPresence[];
  /** Set while no more presences are allowed. */
  timer: Cancel | undefined;
}

/**
 * Applies the presences of sessions one after another. Of those beyond the limit only the newest is applied, when the limit allows it.
 *
 * @see docs/spec/social.md#presence
 */
export class PresencePace {
  readonly #core: Core;
  readonly #apply: (session: Session, presence: GivenPresence) => Promise<void>;
  readonly #work: (session: Session, work: () => Promise<unknown>) => void;
  readonly #queues = new Map<Session, Queue>();

  /** @param work runs work for a session */
  constructor(
    core: Core,
    work: (session: Session, work: () => Promise<unknown>) => void,
    apply: (session: Session, presence: GivenPresence) => Promise<void>,
  ) {
    this.#core = core;
    this.#work = work;
    this.#apply = apply;
  }

  put(session: Session, presence: GivenPresence): void {
    const queue = this.#queues.get(session);
    if (queue) queue.presences = queue.timer ? [presence] : [...queue.presences, presence];
    else this.#begin(session, { presences: [presence], timer: undefined });
  }

  /** Forgets what waits. */
  drop(session: Session): void {
    this.#queues.get(session)?.timer?.();
    this.#queues.delete(session);
  }

  close(): void {
    for (const session of [...this.#queues.keys()]) this.drop(session);
  }

  #begin(session: Session, queue: Queue): void {
    this.#queues.set(session, queue);
    this.#work(session, async () => {
      try {
        await this.#run(session, queue);
      } finally {
        if (!queue.timer && this.#queues.get(session) === queue) this.#queues.delete(session);
      }
    });
  }

  async #run(session: Session, queue: Queue): Promise<void> {
    const limit = this.#core.limits.buckets['gateway-presence'];
    for (let [next] = queue.presences; next && !session.hasEnded; [next] = queue.presences) {
      const state = limit && (await this.#core.bus.count(`gateway-presence/${session.id}`, limit));
      if (state?.allowed === false) {
        this.#wait(session, queue, state.resetAtMs);
        return;
      }
      queue.presences = queue.presences.slice(1);
      await this.#apply(session, next);
    }
  }

  #wait(session: Session, queue: Queue, untilMs: number): void {
    queue.presences = queue.presences.slice(-1);
    const delayMs = Math.max(0, untilMs - this.#core.clock.now());
    queue.timer = this.#core.clock.schedule(delayMs, () => {
      queue.timer = undefined;
      if (this.#queues.get(session) === queue && !session.hasEnded) this.#begin(session, queue);
    });
  }
}
