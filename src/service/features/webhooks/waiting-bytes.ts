import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApplicationId } from '../../../model/snowflake.ts';
import type { Store } from '../../store/contract.ts';
import type { WebhookEventRecord } from '../../store/records.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** Estimate of what the store needs for an event besides its texts. */
const recordBytes = 256;
const pageSize = 1000;

/** What a waiting event counts towards the bounds. */
export function waitingBytesOf({ name, url, body }: Pick<WebhookEventRecord, 'name' | 'url' | 'body'>): number {
  return recordBytes + name.length + url.length + Buffer.byteLength(body);
}

/**
 * How many bytes of events wait in the store, for each application and in total. Every process counts what it adds and removes, and adds up
 * the queues of the store from time to time, because other nodes add and remove events, too.
 */
export class WaitingBytes {
  #total = 0;
  #byApplication = new Map<ApplicationId, number>();

  get total(): number {
    return this.#total;
  }

  hasRoom(application: ApplicationId, bytes: number): boolean {
    const { webhookWaitingBytesMax, webhookWaitingBytesPerApplicationMax } = serviceLimits;
    const ofApplication = this.#byApplication.get(application) ?? 0;
    return (
      this.#total + bytes <= webhookWaitingBytesMax && ofApplication + bytes <= webhookWaitingBytesPerApplicationMax
    );
  }

  /** @param bytes negative when events were removed */
  change(application: ApplicationId, bytes: number): void {
    const before = this.#byApplication.get(application) ?? 0;
    const after = Math.max(0, before + bytes);
    this.#total += after - before;
    if (after === 0) this.#byApplication.delete(application);
    else this.#byApplication.set(application, after);
  }

  /** Adds up what the queues of the store hold, in pages. What changes meanwhile is counted at the next time. */
  async recount(store: Pick<Store, 'list'>, signal: AbortSignal): Promise<void> {
    const found = new WaitingBytes();
    for (let after = ''; ; ) {
      const page = await store.list('webhook_queues', { from: after, limit: pageSize });
      for (const { id, application_id, bytes = 0 } of page) if (id !== after) found.change(application_id, bytes);
      const last = page.at(-1);
      if (signal.aborted) return;
      if (!last || page.length < pageSize) break;
      after = last.id;
      await nextTurn();
    }
    this.#total = found.#total;
    this.#byApplication = found.#byApplication;
  }
}
