import type { FetchInit } from '../../../wire/clock/ports.ts';
import { parseJson } from '../../../wire/http/codec.ts';
import type { Core } from '../../core.ts';
import { askOutside } from '../../outbound/ask-outside.ts';
import type { Activity } from '../../support/activity.ts';

/** What somebody outside answered. */
export interface OutsideAnswer {
  readonly status: number;
  /** Parsed JSON nobody has looked at yet; undefined when it is none, or too large. */
  readonly body: unknown;
}

/** Asks somebody outside whom the operator names; undefined when no answer came in time. */
export type AskOutside = (
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
) => Promise<OutsideAnswer | undefined>;

/** Our choices: what a player who signs in may wait, and many times the size of a real document. */
export const outsideAnswerMs = 5_000;
export const outsideBytesMax = 256 * 1024;

export function createOutside(
  { clock, log, metrics, operatorFetch }: Pick<Core, 'clock' | 'log' | 'metrics' | 'operatorFetch'>,
  activity: Activity,
): AskOutside {
  const core = { clock, log, metrics, fetch: operatorFetch };
  const bounds = { kind: 'identity_provider', ms: outsideAnswerMs, bytesMax: outsideBytesMax } as const;
  return async (url, init) => {
    const reply = await askOutside(core, activity, url, init, bounds);
    return reply && { status: reply.status, body: reply.body && parseJson(reply.body.toString()) };
  };
}
