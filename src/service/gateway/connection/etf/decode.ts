import { type Buffer, isUtf8 } from 'node:buffer';
import { tags, version } from './tags.ts';

/**
 * Decodes a term; undefined when the bytes are not a valid term, or one that clients may not send: names of fields
 * must be binaries, and texts valid UTF-8. An atom elsewhere is a text, a tuple a list, and an integer beyond the range
 * of a double decimal text, like ids.
 */
export function decodeEtf(bytes: Buffer): unknown {
  try {
    const reader = new Reader(bytes);
    if (reader.uint8() !== version) return undefined;
    const value = readTerm(reader);
    return reader.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

// Every item takes at least a byte, and messages are small, so neither lists nor depth can grow without bound.
function readTerm(reader: Reader): unknown {
  const tag = reader.uint8();
  switch (tag) {
    case tags.smallInteger:
      return reader.uint8();
    case tags.integer:
      return reader.int32();
    case tags.smallBig:
      return readBig(reader);
    case tags.newFloat:
      return reader.float64();
    case tags.binary:
      return reader.text(reader.uint32());
    case tags.nil:
      return [];
    // A list of bytes is written in this form, whatever it means: also [0, 1] of a shard.
    case tags.string:
      return [...reader.bytes(reader.uint16())];
    case tags.list:
      return readList(reader);
    case tags.smallTuple:
      return readItems(reader, reader.uint8());
    case tags.map:
      return readMap(reader);
    case tags.atom:
      return readAtom(reader.latin1(reader.uint16()));
    case tags.atomUtf8:
      return readAtom(reader.text(reader.uint16()));
    case tags.smallAtom:
      return readAtom(reader.latin1(reader.uint8()));
    case tags.smallAtomUtf8:
      return readAtom(reader.text(reader.uint8()));
    default:
      throw new RangeError(`The tag ${tag} is not supported.`);
  }
}

function readBig(reader: Reader): number | string {
  const size = reader.uint8();
  const isNegative = reader.uint8() !== 0;
  let value = 0n;
  for (const [place, digit] of reader.bytes(size).entries()) value |= BigInt(digit) << (8n * BigInt(place));
  if (isNegative) value = -value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function readList(reader: Reader): unknown[] {
  const items = readItems(reader, reader.uint32());
  if (reader.uint8() !== tags.nil) throw new RangeError('A list must end with nil.');
  return items;
}

function readItems(reader: Reader, count: number): unknown[] {
  const items: unknown[] = [];
  while (items.length < count) items.push(readTerm(reader));
  return items;
}

function readMap(reader: Reader): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (let left = reader.uint32(); left > 0; left--) {
    if (reader.uint8() !== tags.binary) throw new RangeError('A name of a field must be a binary.');
    const key = reader.text(reader.uint32());
    entries.push([key, readTerm(reader)]);
  }
  return Object.fromEntries(entries);
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['nil', null],
  ['null', null],
  ['undefined', null],
  ['true', true],
  ['false', false],
]);

function readAtom(name: string): unknown {
  return words.has(name) ? words.get(name) : name;
}

/** Reads bytes from the front; throws a RangeError when there are not enough, and for a text that is not UTF-8. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(size: number): Buffer {
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new RangeError('The message ends too early.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  text(size: number): string {
    const bytes = this.bytes(size);
    if (!isUtf8(bytes)) throw new RangeError('A text must be valid UTF-8.');
    return bytes.toString();
  }

  latin1(size: number): string {
    return this.bytes(size).toString('latin1');
  }

  uint8(): number {
    return this.bytes(1).readUInt8();
  }

  uint16(): number {
    return this.bytes(2).readUInt16BE();
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  float64(): number {
    return this.bytes(8).readDoubleBE();
  }
}
