import { Buffer } from 'node:buffer';
import { readFrame } from '../../../../wire/gateway/frames.ts';
import type { Encoding } from '../encoding.ts';
import { type OutFrame, textOf } from '../frames.ts';
import { decodeEtf } from './decode.ts';
import { Atom, encodeEtf } from './encode.ts';

// Written as four bytes, which suffice for any number that a session reaches.
const placeholder = 2 ** 31 - 1;

// Position: after the version, tag and size of the map, the name `s` as an atom, and the integer's tag.
const numberAt = 1 + 5 + 4 + 1;

/** Frames as terms: each is encoded once for all receivers, and they differ only in the sequence number. */
export function createEtf(): Encoding {
  const made = new WeakMap<OutFrame, Buffer>();

  function make(frame: OutFrame): Buffer {
    const { s, op, t, d } = JSON.parse(textOf(frame, placeholder).toString());
    const message = encodeEtf({ s, op, t: t === null ? null : new Atom(t), d });
    made.set(frame, message);
    return message;
  }

  return {
    message(frame, sequence) {
      const message = made.get(frame) ?? make(frame);
      if (frame.numberEnd === 0) return message;
      const numbered = Buffer.from(message);
      numbered.writeInt32BE(sequence, numberAt);
      return numbered;
    },
    read: message => readFrame(decodeEtf(message)),
  };
}
