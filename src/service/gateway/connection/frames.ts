import { Buffer } from 'node:buffer';
import { type DispatchName, type GatewayFrame, opcodes } from '../../../model/gateway.ts';
import { encodeFrame } from '../../../wire/gateway/frames.ts';

/**
 * WebSocket frames as a server writes them: complete, unmasked, assembled by hand. An event's frame is encoded once
 * for all sessions; they differ only in the sequence number, which has a fixed width (JSON allows spaces before it).
 *
 * @see RFC 6455, section 5.2
 */

const textKind = 0x81;
const binaryKind = 0x82;

/** Digits reserved for a sequence number. */
const numberWidth = 10;
const noNumber = ' '.repeat(numberWidth);

const encoder = new TextEncoder();
/** As many characters as the largest header has bytes. */
const headerRoom = ' '.repeat(10);

const blank = 0x20;
const zero = 0x30;

/** An outgoing frame. */
export interface OutFrame {
  /** Header and text. */
  readonly bytes: Buffer;
  /** Index at which the text begins. */
  readonly textAt: number;
  /** Index at which the sequence number ends; 0: it has none. */
  readonly numberEnd: number;
}

/** An event's frame, without its number. */
export interface DispatchFrame extends OutFrame {
  readonly name: DispatchName;
}

/** A frame that is not a dispatch. */
export function controlFrame(op: GatewayFrame['op'], d: unknown): OutFrame {
  return textFrame(encodeFrame({ op, d, s: null, t: null }));
}

export function textFrame(text: string): OutFrame {
  return { ...frameText(text), numberEnd: 0 };
}

/** @param data the event's `d`, encoded as JSON */
export function dispatchFrame(name: DispatchName, data: string): DispatchFrame {
  const head = `{"op":${opcodes.DISPATCH},"t":"${name}","s":${noNumber}`;
  const { bytes, textAt } = frameText(`${head},"d":${data}}`);
  return { name, bytes, textAt, numberEnd: textAt + head.length };
}

/** The frames in a row; dispatches are numbered from `sequence`. */
export function joinFrames(frames: readonly OutFrame[], sequence: number): Buffer {
  let size = 0;
  for (const { bytes } of frames) size += bytes.length;
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  let number = sequence;
  for (const { bytes, numberEnd } of frames) {
    joined.set(bytes, at);
    if (numberEnd > 0) writeNumber(joined, at + numberEnd, number++);
    at += bytes.length;
  }
  return joined;
}

/** The frame's text with its number. */
export function textOf({ bytes, textAt, numberEnd }: OutFrame, sequence: number): Buffer {
  const text = Buffer.from(bytes.subarray(textAt));
  if (numberEnd > 0) writeNumber(text, numberEnd - textAt, sequence);
  return text;
}

export function frameBinary(payload: Buffer): Buffer {
  const at = headerSize(payload.length);
  const bytes = Buffer.allocUnsafe(at + payload.length);
  writeHeader(bytes, binaryKind, payload.length);
  bytes.set(payload, at);
  return bytes;
}

function frameText(text: string): Pick<OutFrame, 'bytes' | 'textAt'> {
  // In one step, with room for the header. The encoder does not use the pool: a replay buffer that keeps a slice of that would keep all of
  // it, many times the frame's size.
  const { buffer, byteOffset, length } = encoder.encode(headerRoom + text);
  const size = length - headerRoom.length;
  const textAt = headerSize(size);
  const bytes = Buffer.from(buffer, byteOffset + headerRoom.length - textAt, textAt + size);
  writeHeader(bytes, textKind, size);
  return { bytes, textAt };
}

/** Sizes up to 125 are in the second byte; 126 and 127 there mean that two or eight more bytes contain the size. */
function headerSize(payload: number): number {
  if (payload < 126) return 2;
  return payload < 2 ** 16 ? 4 : 10;
}

function writeHeader(bytes: Buffer, kind: number, payload: number): void {
  bytes[0] = kind;
  if (payload < 126) bytes[1] = payload;
  else if (payload < 2 ** 16) {
    bytes[1] = 126;
    bytes.writeUInt16BE(payload, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(payload), 2);
  }
}

/** Writes the number so that it ends before `end`, padded with spaces. */
function writeNumber(bytes: Buffer, end: number, number: number): void {
  const start = end - numberWidth;
  let rest = number;
  let at = end;
  do {
    bytes[--at] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  } while (rest > 0);
  while (at > start) bytes[--at] = blank;
}
