import type { Message } from '../../../model/message.ts';
import type { MessageId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { RequestError } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';

interface Entry {
  readonly owner: string;
  readonly bytes: number;
  readonly untilMs: number;
}

/**
 * The bytes of the messages that an application has sent to each user's interactions, and that this process stored and still keeps. A
 * message whose transaction fails counts until it would have been deleted.
 */
export class KeptMessages {
  readonly #clock: Core['clock'];
  readonly #lifeMs: number;
  /** In the order in which they were stored, which is also that of `untilMs`. */
  readonly #entries = new Map<MessageId, Entry>();
  readonly #bytes = new Map<string, number>();

  /** @param lifeMs how long a message counts whose deletion is not reported, because another node did it */
  constructor({ clock }: Pick<Core, 'clock'>, lifeMs: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  /**
   * Counts a message, in place of its former state.
   *
   * @param bytes of the message as JSON
   * @throws RequestError `too_many_follow_ups` when the messages of its application for its user would exceed their bound
   */
  add({ id, application_id, interaction_metadata }: Message, bytes: number): void {
    const now = this.#clock.now();
    for (const [kept, { untilMs }] of this.#entries) {
      if (untilMs > now) break;
      this.delete(kept);
    }
    const owner = `${application_id}/${interaction_metadata.user.id}`;
    const before = this.#entries.get(id);
    const max = serviceLimits.interactionMessagesBytesMax;
    const sum = (this.#bytes.get(owner) ?? 0) - (before?.bytes ?? 0) + bytes;
    if (sum > max) {
      const message = `The messages to this user's interactions exceed ${max} bytes: delete some, or wait until they expire`;
      throw new RequestError('too_many_follow_ups', { message });
    }
    this.#entries.set(id, { owner, bytes, untilMs: before?.untilMs ?? now + this.#lifeMs });
    this.#bytes.set(owner, sum);
  }

  delete(id: MessageId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    const rest = (this.#bytes.get(entry.owner) ?? 0) - entry.bytes;
    if (rest > 0) this.#bytes.set(entry.owner, rest);
    else this.#bytes.delete(entry.owner);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes.clear();
  }
}
