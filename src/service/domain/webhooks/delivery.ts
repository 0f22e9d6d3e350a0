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

/** Something that an application's server is to hear. */
export interface WebhookEvent {
  readonly name: string;
  readonly url: string;
  readonly application: ApplicationRecord;
  /** Events of one line are delivered one after another. */
  readonly line: string;
  /** Which lobby or user it tells of, for the journal. */
  readonly about: { readonly lobby: LobbyId } | { readonly user: UserId };
  readonly body: string;
}

/**
 * Delivers signed events, each until it is acknowledged with 204 and, for `serviceLimits.webhookEventRetryMs` from its
 * happening, again and again with growing pauses. What waits is bounded; beyond that, events are dropped.
 */
export interface WebhookDelivery {
  enqueue(event: WebhookEvent): void;
  /** Forgets all that waits and breaks off what is under way. */
  drop(): void;
}

interface Waiting {
  readonly event: WebhookEvent;
  readonly sinceMs: number;
  /** Runs what belongs to the event in the trace of the request that caused it, not of the one that caused the first in line. */
  readonly inTrace: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Events that may wait at a time: of one line, and of all together. */
export const waitingPerLineMax = 200;
const waitingMax = 10_000;

const firstPauseMs = 1000;
const acknowledged = 204;

/** Refused: the address leads inside. */
type Outcome = 'acknowledged' | 'retry' | 'given up' | 'refused' | 'dropped';

type Status = number | undefined;

export function createWebhookDelivery(core: Core, pendingWork: PendingWork): WebhookDelivery {
  const { clock, journal, log, metrics } = core;
  /** Line → what waits in it, the one under way first. */
  let lines = new Map<string, Waiting[]>();
  let waitingCount = 0;
  let life = new AbortController();

  function enqueue(event: WebhookEvent): void {
    const line = lines.get(event.line) ?? [];
    if (line.length >= waitingPerLineMax || waitingCount >= waitingMax) {
      log.warn({ application: event.application.id, ...event.about }, 'A webhook event was dropped: too many wait.');
      note(event, 'dropped');
      return;
    }
    waitingCount++;
    line.push({ event, sinceMs: steadyNow(clock), inTrace: AsyncLocalStorage.snapshot() });
    if (line.length > 1) return;
    lines.set(event.line, line);
    void work(event.line, line, life.signal);
  }

  async function work(name: string, line: Waiting[], stop: AbortSignal): Promise<void> {
    for (let first = line[0]; first; first = line[0]) {
      await first.inTrace(deliver, first, stop);
      if (stop.aborted) return;
      line.shift();
      waitingCount--;
    }
    lines.delete(name);
  }

  /** Resolves once the event is acknowledged, given up or broken off. */
  async function deliver({ event, sinceMs }: Waiting, stop: AbortSignal): Promise<void> {
    for (let attempt = 1; !stop.aborted; attempt++) {
      const startMs = performance.now();
      const answer = await post(event, stop);
      if (stop.aborted) return;
      metrics.delivered('webhook_event', answer === acknowledged, performance.now() - startMs);
      const pauseMs = firstPauseMs * 2 ** (attempt - 1);
      const outcome = answer === 'refused' ? answer : judge(answer, steadyNow(clock) + pauseMs - sinceMs);
      note(event, outcome, attempt, answer === 'refused' ? undefined : answer);
      if (outcome !== 'retry') return;
      await pause(pauseMs, stop);
    }
  }

  /** The answer's status; undefined when none came in time. */
  async function post(event: WebhookEvent, stop: AbortSignal): Promise<Status | 'refused'> {
    const deadline = new Deadline(clock, serviceLimits.webhookEventAnswerMs, stop);
    try {
      const signed = signedRequest(clock, event.application, event.body);
      const request = { ...signed, signal: deadline.signal, redirect: 'manual' } as const;
      const response = await pendingWork.runOutside(() => deadline.within(core.fetch(event.url, request)));
      response.body?.cancel().catch(ignore);
      return response.status;
    } catch (error) {
      if (error instanceof PrivateAddressError) return 'refused';
      const about = { application: event.application.id, event: event.name, error };
      if (!stop.aborted) log.warn(about, 'A webhook event was not taken.');
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
      lines = new Map();
      waitingCount = 0;
    },
  };
}

/** @param retryAfterMs how late the next attempt would be */
function judge(status: Status, retryAfterMs: number): Outcome {
  if (status === acknowledged) return 'acknowledged';
  return retryAfterMs <= serviceLimits.webhookEventRetryMs ? 'retry' : 'given up';
}

const ignore = () => {};
