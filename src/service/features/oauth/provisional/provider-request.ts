import type { Fetch, FetchInit } from '../../../../wire/clock/ports.ts';
import { parseJson } from '../../../../wire/http/codec.ts';
import type { Core } from '../../../core.ts';
import { askOutside, type OutsideReply } from '../../../outbound/ask-outside.ts';
import { PrivateAddressError } from '../../../outbound/private-address.ts';
import type { PendingWork } from '../../../support/pending-work.ts';

/** The answer of another server. */
export interface ProviderAnswer {
  readonly status: number;
  /** Parsed JSON, not validated; undefined when the body is not JSON or too large. */
  readonly body: unknown;
}

/** Sends a request to another server; undefined when no answer came in time, or the address is not allowed. */
export type RequestProvider = (
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
) => Promise<ProviderAnswer | undefined>;

/** Unspecified: how long a player who signs in may wait, and many times the size of a real document. */
export const providerAnswerMs = 5_000;
export const providerBytesMax = 256 * 1024;

/** @param fetch the core's, for addresses that applications name, or its `operatorFetch` */
export function createProviderRequests(
  { clock, log, metrics }: Pick<Core, 'clock' | 'log' | 'metrics'>,
  pendingWork: PendingWork,
  fetch: Fetch,
): RequestProvider {
  const bounds = { kind: 'identity_provider', ms: providerAnswerMs, bytesMax: providerBytesMax } as const;
  return async (url, init) => {
    const reply = await request(url, init);
    return reply && { status: reply.status, body: reply.body && parseJson(reply.body.toString()) };
  };

  async function request(...[url, init]: Parameters<RequestProvider>): Promise<OutsideReply | undefined> {
    try {
      return await askOutside({ clock, log, metrics, fetch }, pendingWork, url, init, bounds);
    } catch (error) {
      if (error instanceof PrivateAddressError) return undefined;
      throw error;
    }
  }
}
