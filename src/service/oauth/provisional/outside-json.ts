import type { Fetch, FetchInit } from '../../../wire/clock/ports.ts';
import { parseJson } from '../../../wire/http/codec.ts';
import type { Core } from '../../core.ts';
import { askOutside, type OutsideReply } from '../../outbound/ask-outside.ts';
import { PrivateAddressError } from '../../outbound/private-address.ts';
import type { PendingWork } from '../../support/pending-work.ts';

/** What somebody outside answered. */
export interface OutsideAnswer {
  readonly status: number;
  /** Parsed JSON nobody has looked at yet; undefined when it is none, or too large. */
  readonly body: unknown;
}

/** Asks somebody outside; undefined when no answer came in time, or nobody there may be asked. */
export type AskOutside = (
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
) => Promise<OutsideAnswer | undefined>;

/** Our choices: what a player who signs in may wait, and many times the size of a real document. */
export const outsideAnswerMs = 5_000;
export const outsideBytesMax = 256 * 1024;

/** @param fetch the core's, for addresses that others may name, or its `operatorFetch` */
export function createOutside(
  { clock, log, metrics }: Pick<Core, 'clock' | 'log' | 'metrics'>,
  pendingWork: PendingWork,
  fetch: Fetch,
): AskOutside {
  const bounds = { kind: 'identity_provider', ms: outsideAnswerMs, bytesMax: outsideBytesMax } as const;
  return async (url, init) => {
    const reply = await ask(url, init);
    return reply && { status: reply.status, body: reply.body && parseJson(reply.body.toString()) };
  };

  async function ask(...[url, init]: Parameters<AskOutside>): Promise<OutsideReply | undefined> {
    try {
      return await askOutside({ clock, log, metrics, fetch }, pendingWork, url, init, bounds);
    } catch (error) {
      if (error instanceof PrivateAddressError) return undefined;
      throw error;
    }
  }
}
