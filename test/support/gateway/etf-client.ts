import { Buffer } from 'node:buffer';

/**
 * Erlang's external term format as a client of the gateway has it, written apart from the service's own: it writes
 * what clients may write (names of fields as binaries), and reads terms into what it can tell apart: maps as Map, atoms
 * as `{ atom }`, binaries as text, integers as number or bigint.
 */

/** An atom other than `nil`, `true` and `false`. */
export interface ReadAtom {
  readonly atom: string;
}

export function packTerm(value: unknown): Buffer {
  return Buffer.concat([Buffer.from([131]), ...pack(value)]);
}

function pack(value: unknown): Buffer[] {
  if (value === null || value === undefined) return [atom('nil')];
  if (typeof value === 'boolean') return [atom(String(value))];
  if (typeof value === 'number') return [integer(value)];
  if (typeof value === 'bigint') return [bigInteger(value)];
  if (typeof value === 'string') return [sized(109, Buffer.byteLength(value)), Buffer.from(value)];
  if (Array.isArray(value)) return [sized(108, value.length), ...value.flatMap(pack), Buffer.from([106])];
  const entries = Object.entries(value);
  return [sized(116, entries.length), ...entries.flatMap(([key, field]) => [...pack(key), ...pack(field)])];
}

function sized(tag: number, size: number): Buffer {
  const bytes = Buffer.from([tag, 0, 0, 0, 0]);
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

function atom(name: string): Buffer {
  return Buffer.concat([Buffer.from([119, name.length]), Buffer.from(name)]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.from([98, 0, 0, 0, 0]);
  bytes.writeInt32BE(value, 1);
  return bytes;
}

function bigInteger(value: bigint): Buffer {
  const bytes = Buffer.from([110, 8, 0, ...new Array<number>(8).fill(0)]);
  bytes.writeBigUInt64LE(value, 3);
  return bytes;
}

/** @throws on what the service does not write */
export function unpackTerm(bytes: Buffer): unknown {
  if (bytes[0] !== 131) throw new Error('Not a term.');
  const [value, end] = unpack(bytes, 1);
  if (end !== bytes.length) throw new Error('Something follows the term.');
  return value;
}

type Unpacked = readonly [value: unknown, end: number];

function unpack(bytes: Buffer, at: number): Unpacked {
  const size = () => bytes.readUInt32BE(at + 1);
  switch (bytes[at]) {
    case 97:
      return [bytes.readUInt8(at + 1), at + 2];
    case 98:
      return [bytes.readInt32BE(at + 1), at + 5];
    case 70:
      return [bytes.readDoubleBE(at + 1), at + 9];
    case 100:
      return atomOf(bytes.toString('latin1', at + 3, at + 3 + bytes.readUInt16BE(at + 1)), at + 3);
    case 106:
      return [[], at + 1];
    case 109:
      return [bytes.toString('utf8', at + 5, at + 5 + size()), at + 5 + size()];
    case 110:
      return unpackBig(bytes, at);
    case 108: {
      const items = unpackItems(bytes, at + 5, size());
      if (bytes[items.end] !== 106) throw new Error('A list without its end.');
      return [items.values, items.end + 1];
    }
    case 116: {
      const { values, end } = unpackItems(bytes, at + 5, 2 * size());
      return [new Map(values.flatMap((key, n) => (n % 2 === 0 ? [[key, values[n + 1]]] : []))), end];
    }
    default:
      throw new Error(`Unknown tag ${bytes[at]}.`);
  }
}

function unpackItems(bytes: Buffer, start: number, count: number) {
  const values: unknown[] = [];
  let end = start;
  while (values.length < count) {
    const [value, next] = unpack(bytes, end);
    values.push(value);
    end = next;
  }
  return { values, end };
}

function unpackBig(bytes: Buffer, at: number): Unpacked {
  const size = bytes.readUInt8(at + 1);
  const digits = bytes.subarray(at + 3, at + 3 + size).toReversed();
  const value = BigInt(`0x${Buffer.from(digits).toString('hex') || '0'}`);
  const signed = bytes[at + 2] ? -value : value;
  return [Number.isSafeInteger(Number(signed)) ? Number(signed) : signed, at + 3 + size];
}

function atomOf(name: string, at: number): Unpacked {
  const words: Record<string, unknown> = { nil: null, true: true, false: false };
  return [Object.hasOwn(words, name) ? words[name] : ({ atom: name } satisfies ReadAtom), at + name.length];
}

/** What was read, as JSON has it: maps as objects, atoms as text, integers beyond a double's as decimal text. */
export function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (!(value instanceof Map)) return isAtom(value) ? value.atom : value;
  return Object.fromEntries([...value].map(([key, field]) => [String(asJson(key)), asJson(field)]));
}

function isAtom(value: unknown): value is ReadAtom {
  return typeof value === 'object' && value !== null && 'atom' in value;
}
