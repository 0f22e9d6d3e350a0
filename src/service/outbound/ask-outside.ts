import type { FetchInit } from '../../wire/clock/ports.ts';
import { parseJson } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import type { Core } from '../core.ts';
import type { PendingWork } from '../support/pending-work.ts';
import type { OutboundKind } from '../telemetry/metrics.ts';
import { PrivateAddressError } from './private-address.ts';

/** What somebody outside answered. */
export interface OutsideReply {
  readonly status: number;
  readonly contentType: string | null;
  /** Undefined when it is larger than was asked for. */
  readonly body: Buffer | undefined;
}

/** What is waited for at most, head and body together. */
export interface OutsideBounds {
  /** What it is counted as. */
  readonly kind: OutboundKind;
  readonly ms: number;
  readonly bytesMax: number;
  /** Gives up before. */
  readonly signal?: AbortSignal;
}

/**
 * Asks somebody outside; undefined when no answer came in time. Redirects are not followed: the answer must come from
 * the address that was configured.
 *
 * @throws PrivateAddressError
 * @param pendingWork counts the question while it is under way
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
    if (!signal?.aborted) log.warn({ host: new URL(url).host, error }, 'A server outside gave no answer.');
    return undefined;
  } finally {
    deadline.close();
    if (!signal?.aborted) metrics.delivered(kind, isTaken(kind, status), performance.now() - startMs);
  }
}

/** A probe is also answered as it should be by refusing what is forged. */
function isTaken(kind: OutboundKind, status = 0): boolean {
  return (status >= 200 && status < 300) || (kind === 'endpoint_probe' && status === 401);
}

/** What the reply says in JSON; undefined when it says that it is something else, or is not readable. */
export function readJsonReply({ contentType, body }: OutsideReply): unknown {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return mediaType === 'application/json' && body ? parseJson(body.toString()) : undefined;
}

async function readBytes({ body }: Response, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
