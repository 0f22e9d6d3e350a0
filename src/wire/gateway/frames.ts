import type { GatewayFrame } from '../../model/gateway.ts';
import { asRecord, parseJson } from '../http/codec.ts';

/**
 * The frames of the gateway as text: pure, no socket. Both ends use it.
 *
 * @see docs/spec/gateway.md#frames
 */

/**
 * The most objects, lists and elements in a frame. A READY with 24 lobbies of 1,000 members has this many, and takes 50 ms to parse;
 * what costs most at this number, an object with as many different names, takes 300 ms. Without a bound 64 MiB of `[{},{},…]` took 10 s.
 */
export const frameValuesMax = 500_000;

/**
 * Reads a text frame; undefined when it is not JSON, not shaped like a frame, or has more than {@link frameValuesMax} values. An
 * absent `d` reads as null.
 */
export function parseFrame(text: string): GatewayFrame | undefined {
  // Every value takes a character, so short texts need no count.
  if (text.length > frameValuesMax && countValues(text) > frameValuesMax) return undefined;
  return readFrame(parseJson(text));
}

/** Counts commas and opening brackets outside of texts: at least the values, at most twice as many. */
export function countValues(json: string): number {
  let count = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) isInText = !isInText;
    else if (code === backslash) at++;
    else if (!isInText && (code === comma || code === openBracket || code === openBrace)) count++;
  }
  return count;
}

const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** The same of what was decoded already. */
export function readFrame(value: unknown): GatewayFrame | undefined {
  const frame = asRecord(value);
  if (!frame) return undefined;
  const { op, d, s = null, t = null } = frame;
  if (typeof op !== 'number' || !Number.isSafeInteger(op)) return undefined;
  if (s !== null && !(typeof s === 'number' && Number.isSafeInteger(s))) return undefined;
  if (t !== null && typeof t !== 'string') return undefined;
  // Most are whole, and need not be written again.
  if (d !== undefined && frame.s !== undefined && frame.t !== undefined) return frame as unknown as GatewayFrame;
  return { op, d: d ?? null, s, t };
}

export function encodeFrame(frame: GatewayFrame): string {
  return JSON.stringify(frame);
}
