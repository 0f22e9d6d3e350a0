import { Buffer } from 'node:buffer';
import { optionTypes } from '../../../../model/command.ts';
import { componentTypes } from '../../../../model/component.ts';
import { isSnowflake } from '../../../../model/snowflake.ts';
import { tags, version } from './tags.ts';

/** A name that is written as an atom. */
export class Atom {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Writes a term: names of fields and `nil`, `true`, `false` as atoms, texts as binaries, ids as integers.
 *
 * @param value made of JSON's values, and atoms
 */
export function encodeEtf(value: unknown): Buffer {
  const out = [byte(version)];
  writeTerm(out, value, '');
  return Buffer.concat(out);
}

/** @param name the name of the field, or of the list, that contains the value */
function writeTerm(out: Buffer[], value: unknown, name: string): void {
  if (value === null || value === undefined) writeAtom(out, 'nil');
  else if (typeof value === 'boolean') writeAtom(out, String(value));
  else if (typeof value === 'number') writeNumber(out, value);
  else if (typeof value === 'string') writeText(out, value, name);
  else if (value instanceof Atom) writeAtom(out, value.name);
  else if (Array.isArray(value)) writeList(out, value, name);
  else writeMap(out, value as Readonly<Record<string, unknown>>, name);
}

// Unspecified: atoms of the oldest kind, which every reader knows.
function writeAtom(out: Buffer[], name: string): void {
  const text = Buffer.from(name, 'latin1');
  out.push(byte(tags.atom), uint16(text.length), text);
}

function writeNumber(out: Buffer[], value: number): void {
  if (!Number.isSafeInteger(value)) out.push(byte(tags.newFloat), float64(value));
  else if (value >= 0 && value < 2 ** 8) out.push(byte(tags.smallInteger), byte(value));
  else if (value >= -(2 ** 31) && value < 2 ** 31) out.push(byte(tags.integer), int32(value));
  else writeBig(out, BigInt(value));
}

function writeBig(out: Buffer[], value: bigint): void {
  const digits: number[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 8n) digits.push(Number(rest & 0xffn));
  out.push(Buffer.from([tags.smallBig, digits.length, value < 0n ? 1 : 0, ...digits]));
}

function writeText(out: Buffer[], text: string, name: string): void {
  if (namesIds(name) && isSnowflake(text)) writeId(out, text);
  else writeBinary(out, text);
}

function writeId(out: Buffer[], id: string): void {
  const number = Number(id);
  if (Number.isSafeInteger(number)) writeNumber(out, number);
  else writeBig(out, BigInt(id));
}

function writeBinary(out: Buffer[], text: string): void {
  const bytes = Buffer.from(text);
  out.push(byte(tags.binary), uint32(bytes.length), bytes);
}

function writeList(out: Buffer[], items: readonly unknown[], name: string): void {
  if (items.length > 0) out.push(byte(tags.list), uint32(items.length));
  for (const item of items) writeTerm(out, item, name);
  out.push(byte(tags.nil));
}

function writeMap(out: Buffer[], fields: Readonly<Record<string, unknown>>, name: string): void {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  out.push(byte(tags.map), uint32(entries.length));
  for (const [key, value] of entries) {
    writeKey(out, key, freeTexts.has(name));
    writeTerm(out, value, nameOfValue(fields, key, name));
  }
}

/** The name by which a value is read as an id or not. */
function nameOfValue({ type, component_type = type }: Readonly<Record<string, unknown>>, key: string, name: string) {
  if (freeTexts.has(name) || idsByKey.has(name) || (key === 'id' && withTextId.has(name))) return name;
  if (key === 'value' && name === 'options' && idOptions.has(type)) return 'id';
  return key === 'values' && idSelects.has(component_type) ? 'ids' : key;
}

function writeKey(out: Buffer[], key: string, isFree: boolean): void {
  if (isFree || !/^\w{1,255}$/.test(key)) writeBinary(out, key);
  else if (isSnowflake(key)) writeId(out, key);
  else writeAtom(out, key);
}

/** Dictionaries whose keys the game chooses. */
const freeTexts: ReadonlySet<string> = new Set(['metadata', 'moderation_metadata']);

/** Dictionaries of ids. */
const idsByKey: ReadonlySet<string> = new Set(['authorizing_integration_owners']);

/** Types of options and of selects whose values are ids. */
const idOptions: ReadonlySet<unknown> = new Set([
  ...[optionTypes.USER, optionTypes.CHANNEL, optionTypes.ROLE],
  ...[optionTypes.MENTIONABLE, optionTypes.ATTACHMENT],
]);
const idSelects: ReadonlySet<unknown> = new Set([
  ...[componentTypes.USER_SELECT, componentTypes.ROLE_SELECT, componentTypes.MENTIONABLE_SELECT],
  ...[componentTypes.CHANNEL_SELECT, componentTypes.FILE_UPLOAD],
]);

/** Lists of ids, and ids, whose names do not end in `id`; and names that end so without being ids. */
const otherIds: ReadonlySet<string> = new Set([
  ...['roles', 'mention_roles', 'version', 'not_found', 'linked_by'],
  ...idsByKey,
]);
const noIds: ReadonlySet<string> = new Set([
  ...['session_id', 'custom_id', 'party_id'],
  ...['provider_id', 'provider_issued_user_id'],
]);
/** What a game names, or the service with more than digits. */
const withTextId: ReadonlySet<string> = new Set(['party', 'activities', 'hidden_activities']);

function namesIds(name: string): boolean {
  return otherIds.has(name) || (/(?:^|_)ids?$/.test(name) && !noIds.has(name));
}

function byte(value: number): Buffer {
  return Buffer.from([value]);
}

const uint16 = (value: number) => written(2, bytes => bytes.writeUInt16BE(value));
const uint32 = (value: number) => written(4, bytes => bytes.writeUInt32BE(value));
const int32 = (value: number) => written(4, bytes => bytes.writeInt32BE(value));
const float64 = (value: number) => written(8, bytes => bytes.writeDoubleBE(value));

function written(size: number, write: (bytes: Buffer) => number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  write(bytes);
  return bytes;
}
