import type { GatewayFrame } from '../../model/gateway.ts';
import { asRecord, parseJson } from '../http/codec.ts';

/**
 * The frames of the gateway as text: pure, no socket. Both ends use it.
 *
 * @see docs/spec/gateway.md#frames
 */

/** Reads a text frame; undefined when it is not JSON or not shaped like a frame. An absent `d` reads as null. */
export function parseFrame(text: string): GatewayFrame | undefined {
  return readFrame(parseJson(text));
}

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
