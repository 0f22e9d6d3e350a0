import { AsyncLocalStorage } from 'node:async_hooks';
import type { LobbyId, UserId } from '../../../model/snowflake.ts';
import { steadyNow } from '../../../wire/clock/ports.ts';
import { Deadline } from '../../../wire/http/deadline.ts';
import type { Core } from '../../core.ts';
import { PrivateAddressError } from '../../outbound/private-address.ts';
import { signedRequest } from '../../outbound/signed-request.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** An event for an application's server. */
export interface WebhookEvent {
  readonly name: string;
  readonly url: string;
  readonly application: ApplicationRecord;
  /** Events of one queue are delivered one after another. */
  readonly queue: string;
  /** The lobby or user that it concerns, for the journal. */
  readonly about: { readonly lobby: LobbyId } | { readonly user: UserId };
  readonly body: string;
}

/**
 * Delivers signed events. Each is repeated with growing pauses until it is acknowledged with 204 or
 * `serviceLimits.webhookEventRetryMs` have passed. Queues are bounded, and events beyond the bound are dropped.
 */
export interface WebhookDelivery {
  enqueue(event: WebhookEvent): void;
  /** Drops all waiting events and aborts deliveries in progress. */
  drop(): void;
}

interface Waiting {
  readonly event: WebhookEvent;
  readonly sinceMs: number;
  /** Runs in the trace of the request that caused the event, not of the first request in the queue. */
  readonly inTrace: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Events that may wait: in one queue, and in all queues together. */
export const waitingPerQueueMax = 200;
const waitingMax = 10_000;

const firstPauseMs = 1000;
const acknowledged = 204;

/** Refused: the address is private. */
type Outcome = 'acknowledged' | 'retry' | 'given up' | 'refused' | 'dropped';

type Status = number | undefined;

export function createWebhookDelivery(core: Core, pendingWork: PendingWork): WebhookDelivery {
  const { clock, journal, log, metrics } = core;
  /** Queue → its events, the one in delivery first. */
  let queues = new Map<string, Waiting[]>();
  let waitingCount = 0;
  let life = new AbortController();

  function enqueue(event: WebhookEvent): void {
    const queue = queues.get(event.queue) ?? [];
    if (queue.length >= waitingPerQueueMax || waitingCount >= waitingMax) {
      log.warn(
        { application: event.application.id, ...event.about },
        'A webhook event was dropped: too many are queued.',
      );
      note(event, 'dropped');
      return;
    }
    waitingCount++;
    queue.push({ event, sinceMs: steadyNow(clock), inTrace: AsyncLocalStorage.snapshot() });
    if (queue.length > 1) return;
    queues.set(event.queue, queue);
    void work(event.queue, queue, life.signal);
  }

  async function work(name: string, queue: Waiting[], stop: AbortSignal): Promise<void> {
    for (let first = queue[0]; first; first = queue[0]) {
      await first.inTrace(deliver, first, stop);
      if (stop.aborted) return;
      queue.shift();
      waitingCount--;
    }
    queues.delete(name);
  }

  /** Resolves once the event is acknowledged, dropped or aborted. */
  async function deliver({ event, sinceMs }: Waiting, stop: AbortSignal): Promise<void> {
    for (let attempt = 1; !stop.aborted; attempt++) {
      const startMs = performance.now();
      const answer = await post(event, stop);
      if (stop.aborted) return;
      metrics.delivered('webhook_event', answer === acknowledged, performance.now() - startMs);
      const pauseMs = firstPauseMs * 2 ** (attempt - 1);
      const outcome = answer === 'refused' ? answer : outcomeOf(answer, steadyNow(clock) + pauseMs - sinceMs);
      note(event, outcome, attempt, answer === 'refused' ? undefined : answer);
      if (outcome !== 'retry') return;
      await pause(pauseMs, stop);
    }
  }

  /** The status of the answer; undefined when none came in time. */
  async function post(event: WebhookEvent, stop: AbortSignal): Promise<Status | 'refused'> {
    const deadline = new Deadline(clock, serviceLimits.webhookEventAnswerMs, stop);
    try {
      const signed = signedRequest(core, event.application, event.body);
      const request = { ...signed, signal: deadline.signal, redirect: 'manual' } as const;
      const response = await pendingWork.runOutside(() => deadline.within(core.fetch(event.url, request)));
      response.body?.cancel().catch(ignore);
      return response.status;
    } catch (error) {
      if (error instanceof PrivateAddressError) return 'refused';
      const about = { application: event.application.id, event: event.name, error };
      if (!stop.aborted) log.warn(about, 'A webhook event could not be delivered.');
      return undefined;
    } finally {
      deadline.close();
    }
  }

  function pause(ms: number, stop: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const cancel = clock.schedule(ms, resume);
      stop.addEventListener('abort', resume, { once: true });
      function resume() {
        cancel();
        stop.removeEventListener('abort', resume);
        resolve();
      }
    });
  }

  function note(
    { name, application, about }: WebhookEvent,
    outcome: Outcome,
    attempt = 0,
    status: number | null = null,
  ): void {
    journal.write('delivery', { event: name, application: application.id, ...about, outcome, attempt, status });
  }

  return {
    enqueue,
    drop() {
      life.abort();
      life = new AbortController();
      queues = new Map();
      waitingCount = 0;
    },
  };
}

/** @param retryAfterMs the age of the event at the next attempt */
function outcomeOf(status: Status, retryAfterMs: number): Outcome {
  if (status === acknowledged) return 'acknowledged';
  return retryAfterMs <= serviceLimits.webhookEventRetryMs ? 'retry' : 'given up';
}

const ignore = () => {};
