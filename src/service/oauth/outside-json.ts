import { parseJson } from '../../wire/codec.ts';
import { Deadline } from '../../wire/deadline.ts';
import type { FetchInit } from '../../wire/ports.ts';
import type { Activity } from '../activity.ts';
import type { Core } from '../core.ts';

/** What somebody outside answered. */
export interface OutsideAnswer {
  readonly status: number;
  /** Parsed JSON nobody has looked at yet; undefined when it is none, or too large. */
  readonly body: unknown;
}

/** Asks somebody outside; undefined when no answer came in time. */
export type AskOutside = (
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
) => Promise<OutsideAnswer | undefined>;

/** Our choices: what a player who signs in may wait, and many times the size of a real document. */
export const outsideAnswerMs = 5_000;
export const outsideBytesMax = 256 * 1024;

/** Redirects are not followed: the answer must come from the address that was configured. */
export function createOutside(core: Pick<Core, 'clock' | 'fetch'>, activity: Activity): AskOutside {
  return async (url, init) => {
    const deadline = new Deadline(core.clock, outsideAnswerMs);
    const ask = async () => {
      const response = await core.fetch(url, { ...init, signal: deadline.signal, redirect: 'manual' });
      const text = await readText(response);
      return { status: response.status, body: text === undefined ? undefined : parseJson(text) };
    };
    try {
      return await activity.runOutside(() => deadline.within(ask()));
    } catch {
      return undefined;
    } finally {
      deadline.close();
    }
  };
}

/** The body's text; undefined when it is too large. */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > outsideBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
