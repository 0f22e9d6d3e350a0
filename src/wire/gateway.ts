import { type DispatchName, type GatewayFrame, opcodes } from '../model/gateway.ts';
import { asRecord, parseJson } from './codec.ts';

/**
 * The frames of the gateway as text: pure, no socket. Both ends use it.
 *
 * @see gateway.md 2
 */

/** Reads a text frame; undefined when it is not JSON or not shaped like a frame. An absent `d` reads as null. */
export function parseFrame(text: string): GatewayFrame | undefined {
  const frame = asRecord(parseJson(text));
  if (!frame) return undefined;
  const { op, d = null, s = null, t = null } = frame;
  if (typeof op !== 'number' || !Number.isSafeInteger(op)) return undefined;
  if (s !== null && !(typeof s === 'number' && Number.isSafeInteger(s))) return undefined;
  if (t !== null && typeof t !== 'string') return undefined;
  return { op, d, s, t };
}

export function encodeFrame(frame: GatewayFrame): string {
  return JSON.stringify(frame);
}

/** A dispatch encoded once for every session that gets it; only the sequence number between the halves differs. */
export interface EncodedDispatch {
  readonly name: DispatchName;
  readonly head: string;
  readonly tail: string;
}

/** @param data the dispatch's `d`, already JSON */
export function encodeDispatch(name: DispatchName, data: string): EncodedDispatch {
  return { name, head: `{"op":${opcodes.DISPATCH},"t":"${name}","s":`, tail: `,"d":${data}}` };
}

/** The frame's text for the session in which it is number `sequence`. */
export function dispatchText({ head, tail }: EncodedDispatch, sequence: number): string {
  return head + sequence + tail;
}
