import { performance } from 'node:perf_hooks';
import type { FetchInit } from '../../wire/clock/ports.ts';
import { parseJson } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { ReceivedBody } from '../../wire/http/transport.ts';
import type { Core } from '../core.ts';
import type { PendingWork } from '../support/pending-work.ts';
import type { OutboundKind } from '../telemetry/metrics.ts';
import { PrivateAddressError } from './private-address.ts';

/** The answer of a server outside. */
export interface OutsideReply {
  readonly status: number;
  readonly contentType: string | null;
  /** Undefined if it is larger than the bound. */
  readonly body: Buffer | undefined;
}

/** Bounds on an answer, head and body together. */
export interface OutsideBounds {
  /** The label of its metrics. */
  readonly kind: OutboundKind;
  readonly ms: number;
  readonly bytesMax: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to a server outside; undefined if no answer came in time. Redirects are not followed, because the answer must come
 * from the configured address.
 *
 * @throws PrivateAddressError
 * @param pendingWork counts the request while it is under way
 */
export async function askOutside(
  { clock, fetch, log, metrics }: Pick<Core, 'clock' | 'fetch' | 'log' | 'metrics'>,
  pendingWork: PendingWork,
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
  { kind, ms, bytesMax, signal }: OutsideBounds,
): Promise<OutsideReply | undefined> {
  const deadline = new Deadline(clock, ms, signal);
  const ask = async () => {
    const response = await fetch(url, { ...init, signal: deadline.signal, redirect: 'manual' });
    const body = await readBytes(response, bytesMax);
    return { status: response.status, contentType: response.headers.get('content-type'), body };
  };
  const startMs = performance.now();
  let status: number | undefined;
  try {
    const reply = await pendingWork.runOutside(() => deadline.within(ask()));
    ({ status } = reply);
    return reply;
  } catch (error) {
    if (error instanceof PrivateAddressError) throw error;
    if (!signal?.aborted) log.warn({ host: new URL(url).host, error }, 'An external server did not answer.');
    return undefined;
  } finally {
    deadline.close();
    if (!signal?.aborted) metrics.delivered(kind, isTaken(kind, status), performance.now() - startMs);
  }
}

/** A 401 is the expected answer to a probe with a forged signature. */
function isTaken(kind: OutboundKind, status = 0): boolean {
  return (status >= 200 && status < 300) || (kind === 'endpoint_probe' && status === 401);
}

/** The JSON of the answer; undefined if it has another media type or is not valid JSON. */
export function readJsonReply({ contentType, body }: OutsideReply): unknown {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return mediaType === 'application/json' && body ? parseJson(body.toString()) : undefined;
}

async function readBytes({ body }: Response, bytesMax: number): Promise<Buffer | undefined> {
  const received = new ReceivedBody(bytesMax);
  for await (const chunk of body ?? []) if (!received.add(chunk)) return undefined;
  return received.bytes();
}
