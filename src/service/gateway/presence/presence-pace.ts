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

/** What a pace needs of the sessions. */
export interface PacedSessions {
  /** Runs work for a session. */
  work(session: Session, work: () => Promise<unknown>): void;
  /** Shows a presence. */
  setPresence(session: Session, presence: GivenPresence): Promise<void>;
  /** Keeps the presence that waits, for the node at which the session continues; undefined: none does any more. */
  keepWaiting(session: Session, presence: GivenPresence | undefined): void;
}

/**
 * Applies the presences of sessions one after another. Of those beyond the limit only the newest is applied, when the limit allows it.
 *
 * @see docs/spec/social.md#presence
 */
export class PresencePace {
  readonly #core: Core;
  readonly #sessions: PacedSessions;
  readonly #queues = new Map<Session, Queue>();

  constructor(core: Core, sessions: PacedSessions) {
    this.#core = core;
    this.#sessions = sessions;
  }

  put(session: Session, presence: GivenPresence): void {
    const queue = this.#queues.get(session);
    if (!queue) this.#begin(session, { presences: [presence], timer: undefined });
    else if (queue.timer) this.#hold(session, queue, presence);
    else queue.presences = [...queue.presences, presence];
  }

  /** The session continues here: what waited at another node, or before a restart, waits here. */
  goOn(session: Session): void {
    const waiting = session.record.waiting_presence;
    if (waiting && !this.#queues.has(session)) this.put(session, waiting);
  }

  /** Forgets what waits. */
  drop(session: Session): void {
    this.#queues.get(session)?.timer?.();
    this.#queues.delete(session);
  }

  /** Keeps what waits for the process that continues the sessions. */
  close(): void {
    for (const [session, { presences }] of [...this.#queues]) {
      const newest = presences.at(-1);
      // Without one, what was kept before is being applied; that may still fail.
      if (newest) this.#keep(session, newest);
      this.drop(session);
    }
  }

  #begin(session: Session, queue: Queue): void {
    this.#queues.set(session, queue);
    this.#sessions.work(session, async () => {
      try {
        await this.#run(session, queue);
      } finally {
        if (!queue.timer && this.#queues.get(session) === queue) this.#queues.delete(session);
      }
    });
  }

  async #run(session: Session, queue: Queue): Promise<void> {
    const limit = this.#core.limits.buckets['gateway-presence'];
    for (let [next] = queue.presences; next && this.#goesOn(session, queue); [next] = queue.presences) {
      const state = limit && (await this.#core.bus.count(`gateway-presence/${session.id}`, limit));
      if (state?.allowed === false) {
        this.#wait(session, queue, state.resetAtMs);
        return;
      }
      queue.presences = queue.presences.slice(1);
      await this.#sessions.setPresence(session, next);
    }
    if (this.#goesOn(session, queue)) this.#keep(session, undefined);
  }

  #goesOn(session: Session, queue: Queue): boolean {
    return this.#queues.get(session) === queue && !session.hasEnded;
  }

  #wait(session: Session, queue: Queue, untilMs: number): void {
    const newest = queue.presences.at(-1);
    if (!newest || !this.#goesOn(session, queue)) return;
    this.#hold(session, queue, newest);
    const delayMs = Math.max(0, untilMs - this.#core.clock.now());
    queue.timer = this.#core.clock.schedule(delayMs, () => {
      queue.timer = undefined;
      if (this.#goesOn(session, queue)) this.#begin(session, queue);
    });
  }

  #hold(session: Session, queue: Queue, newest: GivenPresence): void {
    queue.presences = [newest];
    this.#keep(session, newest);
  }

  #keep(session: Session, presence: GivenPresence | undefined): void {
    if (session.record.waiting_presence !== presence) this.#sessions.keepWaiting(session, presence);
  }
}
