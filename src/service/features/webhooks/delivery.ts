import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import { Deadline } from '../../../wire/http/deadline.ts';
import type { Core } from '../../core.ts';
import { createExpiry } from '../../expiry.ts';
import { PrivateAddressError } from '../../outbound/private-address.ts';
import { signedRequest } from '../../outbound/signed-request.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, WebhookEventRecord, WebhookQueueRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { WaitingBytes, waitingBytesOf } from './waiting-bytes.ts';

/** An event for an application's server. */
export interface WebhookEvent {
  readonly name: string;
  readonly url: string;
  readonly application: ApplicationRecord;
  /** Events of one queue are delivered one after another. */
  readonly queue: string;
  /** The store scope of the transactions that add events to the queue. */
  readonly scope: string;
  /** The lobby or user that it concerns, for the journal. */
  readonly about: { readonly lobby: LobbyId } | { readonly user: UserId };
  readonly body: string;
}

/** To be called after the commit. */
export type AfterCommit = () => void;

/**
 * Delivers signed events, which wait in the store. Each is repeated with growing pauses until it is acknowledged with 204 or
 * `serviceLimits.webhookEventRetryMs` have passed. What waits is bounded by number for each queue, and in bytes for each application and
 * in total; events beyond a bound are dropped.
 *
 * Deliveries at the same time are bounded, in all and for each application. Queues beyond that wait for their turn; of these, events that
 * are too old to be repeated are given up.
 *
 * A node claims a queue while it delivers its events. When it dies, another node continues after {@link claimMs}: an event whose
 * acknowledgement was not stored is delivered again.
 */
export interface WebhookDelivery {
  /** Adds an event to its queue, within the transaction that causes it. */
  add(transaction: Transaction, event: WebhookEvent): Promise<AfterCommit>;
  /** Delivers what waits; the returned function aborts deliveries in progress, whose events stay in the store. */
  start(): Promise<() => void>;
}

/** Events that may wait in one queue. */
export const waitingPerQueueMax = 200;
/** How long a claim counts: longer than one delivery takes. */
const claimMs = 10_000;
/** Deliveries at the same time: in all, and to one application, so that a server that does not answer delays no others. */
const deliveriesMax = 1024;
export const deliveriesPerApplicationMax = 64;
/** How many queues of an application wait in memory for their turn; others are looked at again after {@link parkMs}. */
const turnsMax = 1000;
const parkMs = 60_000;
/** Requests whose traces are remembered until their events are delivered. */
const tracesMax = 1000;
/** How old the count of waiting bytes may be, and how often dropped events of an application are logged. */
const recountMs = 60_000;
const logEveryMs = 60_000;

const firstPauseMs = 1000;
const acknowledged = 204;

/** `refused`: the address is private. */
type Outcome = 'acknowledged' | 'retry' | 'given up' | 'refused' | 'dropped';

type Status = number | undefined;

/** The first event of a queue that this process has claimed. */
interface Claimed {
  readonly queue: WebhookQueueRecord;
  readonly event: WebhookEventRecord;
  /** Undefined when it no longer exists. */
  readonly application: ApplicationRecord | undefined;
}

/** An application whose server is being sent events. */
interface Receiver {
  running: number;
  /** Queues that wait for their turn, the first of them first, with the time at which each is due again in the store. */
  readonly turns: Map<string, number>;
}

/** Events of an application that were dropped since the last line about them. */
interface Drops {
  count: number;
  readonly atMs: number;
}

export function createWebhookDelivery(core: Core, pendingWork: PendingWork): WebhookDelivery {
  const { clock, ids, journal, log, metrics, store } = core;
  const expiry = createExpiry(core, 'webhook_queues', onDue);
  /** Events run in the trace of the request that caused them, if that was a request to this process. */
  const traces = new Map<string, ReturnType<typeof AsyncLocalStorage.snapshot>>();
  const receivers = new Map<ApplicationId, Receiver>();
  const waiting = new WaitingBytes();
  const drops = new Map<ApplicationId, Drops>();
  metrics.watch({ waitingWebhookBytes: () => waiting.total });
  let countedMs = 0;
  let running = 0;
  let life = new AbortController();

  async function add(transaction: Transaction, event: WebhookEvent): Promise<AfterCommit> {
    const { queue: id, scope, application, name, url, about, body } = event;
    const nowMs = clock.now();
    const queue = (await transaction.get('webhook_queues', id)) ?? newQueue(id, scope, application.id, nowMs);
    const bytes = waitingBytesOf(event);
    const isFull = queue.next - queue.first >= waitingPerQueueMax || !waiting.hasRoom(application.id, bytes);
    if (isFull) return () => dropped(event);
    transaction.put('webhook_queues', { ...queue, next: queue.next + 1, bytes: (queue.bytes ?? 0) + bytes });
    transaction.put('webhook_events', { queue_id: id, number: queue.next, name, url, about, body, sent_at_ms: nowMs });
    return () => {
      waiting.change(application.id, bytes);
      recountIfOld();
      remember(traceKey(id, queue.next));
      if (queue.next > queue.first) return; // It is delivered after those before it.
      const receiver = receiverOf(application.id);
      if (isFree(receiver)) beginLater(id, application.id, nowMs);
      else if (receiver.turns.size < turnsMax) receiver.turns.set(id, nowMs);
      else expiry.notice(nowMs);
    };
  }

  function dropped({ application, name, about }: WebhookEvent): void {
    recountIfOld();
    logDropped(application.id);
    journal.write('delivery', {
      ...{ event: name, application: application.id, ...about },
      ...{ outcome: 'dropped' satisfies Outcome, attempt: 0, status: null },
    });
  }

  /** One line each minute, because a server that is down has many events dropped. */
  function logDropped(application: ApplicationId): void {
    const nowMs = performance.now();
    const before = drops.get(application);
    if (before && nowMs - before.atMs < logEveryMs) {
      before.count++;
      return;
    }
    const count = (before?.count ?? 0) + 1;
    drops.set(application, { count: 0, atMs: nowMs });
    log.warn({ application, dropped: count }, 'Webhook events were dropped: too many are queued.');
  }

  function recountIfOld(): void {
    const nowMs = performance.now();
    if (nowMs - countedMs < recountMs) return;
    countedMs = nowMs;
    recount();
  }

  function recount(): void {
    waiting.recount(store, life.signal).catch((error: unknown) => {
      log.error({ error }, 'The webhook events that wait could not be counted; they are counted again later.');
    });
  }

  function receiverOf(id: ApplicationId): Receiver {
    const known = receivers.get(id);
    if (known) return known;
    const receiver = { running: 0, turns: new Map<string, number>() };
    receivers.set(id, receiver);
    return receiver;
  }

  function isFree(receiver: Receiver): boolean {
    return running < deliveriesMax && receiver.running < deliveriesPerApplicationMax;
  }

  /** Delivers the queue's events, or puts it off until its application's server has time. */
  async function onDue(id: string): Promise<void> {
    const queue = await store.get('webhook_queues', id);
    if (!queue || life.signal.aborted) return;
    const receiver = receiverOf(queue.application_id);
    if (isFree(receiver)) return begin(id, queue.application_id, queue.expires_at_ms);
    const dueMs = await park(queue);
    if (dueMs === undefined) receiver.turns.delete(id);
    else if (receiver.turns.has(id) || receiver.turns.size < turnsMax) receiver.turns.set(id, dueMs);
  }

  /** Resolves when the delivery has begun. @param dueMs when the queue is due according to the store */
  async function begin(id: string, applicationId: ApplicationId, dueMs: number): Promise<void> {
    const stop = life.signal;
    const receiver = receiverOf(applicationId);
    running++;
    receiver.running++;
    const done = () => {
      running--;
      receiver.running--;
      if (receiver.running === 0 && receiver.turns.size === 0) receivers.delete(applicationId);
      if (!stop.aborted) beginNext();
    };
    const claimed = await pendingWork
      .run(() => claim(id, dueMs))
      .catch((error: unknown) => {
        done();
        throw error;
      });
    if (!claimed || stop.aborted) done();
    else void deliverAll(claimed, stop).finally(done);
  }

  /** As {@link begin}; if that fails, it is due again later. */
  function beginLater(id: string, applicationId: ApplicationId, dueMs: number): void {
    begin(id, applicationId, dueMs).catch((error: unknown) => {
      log.error({ error, queue: id }, 'A webhook event cannot be delivered now; it is delivered later.');
      expiry.notice(clock.now() + firstPauseMs);
    });
  }

  function remember(trace: string): void {
    const [oldest] = traces.keys();
    if (traces.size >= tracesMax && oldest !== undefined) traces.delete(oldest);
    traces.set(trace, AsyncLocalStorage.snapshot());
  }

  /** Begins with the queues whose turn it is; of several applications each has its turn. */
  function beginNext(): void {
    for (const [applicationId, receiver] of receivers) {
      if (running >= deliveriesMax) return;
      const [next] = receiver.turns;
      if (!next || !isFree(receiver)) continue;
      receivers.delete(applicationId);
      receivers.set(applicationId, receiver);
      receiver.turns.delete(next[0]);
      beginLater(next[0], applicationId, next[1]);
    }
  }

  async function claim(id: string, dueMs: number): Promise<Claimed | undefined> {
    const found = await store.get('webhook_queues', id);
    if (!found) return undefined;
    return store.transact(found.scope, async transaction => {
      const queue = await transaction.get('webhook_queues', id);
      const nowMs = clock.now();
      if (!queue || (queue.expires_at_ms > nowMs && queue.expires_at_ms !== dueMs)) return undefined;
      return continueWith(transaction, { ...queue, claim: ids.next(), expires_at_ms: nowMs + claimMs });
    });
  }

  /** Lets a queue that is due wait, without its events that are too old to be repeated. @returns until when; undefined: it is not due */
  async function park({ id, scope, application_id }: WebhookQueueRecord): Promise<number | undefined> {
    let old: WebhookEventRecord[] = [];
    const dueMs = await store.transact(scope, async transaction => {
      old = [];
      let queue = await transaction.get('webhook_queues', id);
      const nowMs = clock.now();
      while (queue && queue.expires_at_ms <= nowMs) {
        const event = await transaction.get('webhook_events', id, queue.first);
        if (!event) {
          transaction.delete('webhook_queues', id);
          return undefined;
        }
        if (nowMs - event.sent_at_ms <= serviceLimits.webhookEventRetryMs) {
          const untilMs = nowMs + parkMs;
          transaction.put('webhook_queues', { ...queue, claim: null, expires_at_ms: untilMs });
          return untilMs;
        }
        transaction.delete('webhook_events', id, queue.first);
        old.push(event);
        queue = { ...withoutFirst(queue, event), failures: 0 };
      }
      return undefined;
    });
    for (const event of old) {
      const { name, about, number } = event;
      waiting.change(application_id, -waitingBytesOf(event));
      traces.delete(traceKey(id, number));
      journal.write('delivery', {
        ...{ event: name, application: application_id, ...about },
        ...{ outcome: 'given up' satisfies Outcome, attempt: 0, status: null },
      });
    }
    return dueMs;
  }

  /** Keeps the claim on the queue, and reads its first event; deletes a queue without events. */
  async function continueWith(transaction: Transaction, queue: WebhookQueueRecord): Promise<Claimed | undefined> {
    const event = await transaction.get('webhook_events', queue.id, queue.first);
    if (!event) {
      transaction.delete('webhook_queues', queue.id);
      return undefined;
    }
    transaction.put('webhook_queues', queue);
    return { queue, event, application: await transaction.get('applications', queue.application_id) };
  }

  async function deliverAll(first: Claimed, stop: AbortSignal): Promise<void> {
    try {
      for (let next: Claimed | undefined = first; next; ) {
        const trace = traceKey(next.queue.id, next.queue.first);
        const deliver: Deliver = () => deliverOne(next as Claimed, stop);
        const following: Claimed | undefined = await (traces.get(trace)?.(deliver) ?? deliver());
        if (stop.aborted) return;
        if (following?.queue.first !== next.queue.first) traces.delete(trace);
        next = following;
      }
    } catch (error) {
      // The claim ends by itself, and the queue is due again.
      log.error({ error, queue: first.queue.id }, 'The delivery of a webhook event could not be recorded.');
      expiry.notice(clock.now() + claimMs);
    }
  }

  type Deliver = () => Promise<Claimed | undefined>;

  /** @returns the queue's next event; undefined when there is none, or it must wait */
  async function deliverOne(claimed: Claimed, stop: AbortSignal): Promise<Claimed | undefined> {
    const { queue, event, application } = claimed;
    if (clock.now() + serviceLimits.webhookEventAnswerMs > queue.expires_at_ms) {
      // This node was frozen, and another one may have claimed the queue by the time of an answer.
      expiry.notice(queue.expires_at_ms);
      return undefined;
    }
    const startMs = performance.now();
    const answer = application ? await post(application, event, stop) : 'dropped';
    if (stop.aborted) return undefined;
    const isAnswered = typeof answer !== 'string';
    if (isAnswered) metrics.delivered('webhook_event', answer === acknowledged, performance.now() - startMs);
    const attempt = queue.failures + 1;
    const pauseMs = firstPauseMs * 2 ** queue.failures;
    const outcome: Outcome = isAnswered ? outcomeOf(answer, clock.now() + pauseMs - event.sent_at_ms) : answer;
    journal.write('delivery', {
      ...{ event: event.name, application: queue.application_id, ...event.about },
      ...{ outcome, attempt, status: (isAnswered && answer) || null },
    });
    return pendingWork.run(() => settle(claimed, outcome === 'retry' ? pauseMs : undefined));
  }

  /** Records the end of a delivery. @param pauseMs the time until the event is sent again; undefined when it is not */
  async function settle({ queue: { id, scope, claim, application_id }, event }: Claimed, pauseMs: number | undefined) {
    const result = await store.transact(scope, async transaction => {
      const queue = await transaction.get('webhook_queues', id);
      const nowMs = clock.now();
      if (!queue || queue.claim !== claim) return { bytes: 0 }; // Another node has it.
      if (pauseMs !== undefined) {
        const dueMs = nowMs + pauseMs;
        transaction.put('webhook_queues', {
          ...queue,
          ...{ claim: null, failures: queue.failures + 1, expires_at_ms: dueMs },
        });
        return { dueMs, bytes: 0 };
      }
      transaction.delete('webhook_events', id, queue.first);
      const rest = { ...withoutFirst(queue, event), failures: 0, expires_at_ms: nowMs + claimMs };
      return { next: await continueWith(transaction, rest), bytes: -waitingBytesOf(event) };
    });
    waiting.change(application_id, result.bytes);
    if (result.dueMs !== undefined) expiry.notice(result.dueMs);
    return result.next;
  }

  /** The status of the answer; undefined when none came in time. */
  async function post(
    application: ApplicationRecord,
    { name, url, body }: WebhookEventRecord,
    stop: AbortSignal,
  ): Promise<Status | 'refused'> {
    const deadline = new Deadline(clock, serviceLimits.webhookEventAnswerMs, stop);
    try {
      const signed = signedRequest(core, application, body);
      const request = { ...signed, signal: deadline.signal, redirect: 'manual' } as const;
      const response = await pendingWork.runOutside(() => deadline.within(core.fetch(url, request)));
      response.body?.cancel().catch(ignore);
      return response.status;
    } catch (error) {
      if (error instanceof PrivateAddressError) return 'refused';
      const about = { application: application.id, event: name, error };
      if (!stop.aborted) log.warn(about, 'A webhook event could not be delivered.');
      return undefined;
    } finally {
      deadline.close();
    }
  }

  /** A service on its own has lost what it had claimed before it was restarted. */
  async function releaseClaims(): Promise<void> {
    const nowMs = clock.now();
    const query = { index: 'byExpiry', from: nowMs, upTo: nowMs + claimMs, limit: deliveriesMax } as const;
    for (const { id, scope, claim } of await store.list('webhook_queues', query)) {
      if (claim === null) continue;
      await store.transact(scope, async transaction => {
        const queue = await transaction.get('webhook_queues', id);
        if (queue) transaction.put('webhook_queues', { ...queue, claim: null, expires_at_ms: clock.now() });
      });
    }
  }

  return {
    add,
    async start() {
      life = new AbortController();
      if (!core.cluster) await releaseClaims();
      recount();
      const stop = expiry.begin();
      return () => {
        stop();
        life.abort();
        receivers.clear();
        traces.clear();
      };
    },
  };
}

function newQueue(id: string, scope: string, applicationId: string, nowMs: number): WebhookQueueRecord {
  return {
    ...{ id, scope, application_id: applicationId as ApplicationRecord['id'], expires_at_ms: nowMs },
    ...{ claim: null, failures: 0, first: 1, next: 1, bytes: 0 },
  };
}

/** The queue when its first event is gone. */
function withoutFirst(queue: WebhookQueueRecord, event: WebhookEventRecord): WebhookQueueRecord {
  const bytes = Math.max(0, (queue.bytes ?? 0) - waitingBytesOf(event));
  return { ...queue, first: queue.first + 1, bytes };
}

function traceKey(queue: string, number: number): string {
  return `${queue} ${number}`;
}

/** @param retryAfterMs the age of the event at the next attempt */
function outcomeOf(status: Status, retryAfterMs: number): Outcome {
  if (status === acknowledged) return 'acknowledged';
  return retryAfterMs <= serviceLimits.webhookEventRetryMs ? 'retry' : 'given up';
}

const ignore = () => {};
