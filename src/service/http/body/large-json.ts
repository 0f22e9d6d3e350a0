import type { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers';
import { RequestError } from '../../support/request-error.ts';
import { intakeLimits } from '../../support/service-limits.ts';

/**
 * Parses a large JSON body without blocking the event loop: one pass over the bytes counts its values, with a pause after each
 * megabyte; then the items of the outermost list are parsed in portions, with a pause after each.
 *
 * @param parse reads JSON text, as for a small body
 * @throws RequestError `request_too_large` if it has too many values, `invalid_json` if it is nested too deeply; whatever `parse` throws
 */
export async function parseLargeJson(bytes: Buffer, parse: (text: string) => unknown): Promise<unknown> {
  const portions = await findPortions(bytes);
  if (!portions) {
    const text = bytes.toString();
    await pause();
    const value = parse(text);
    // Whatever checks it begins in a turn of its own.
    await pause();
    return value;
  }
  const items: unknown[] = [];
  for (const { start, end } of portions) {
    const text = bytes.toString('utf8', start, end);
    // A trailing comma is not valid JSON; parsing `[]` would accept it.
    const portion = parse(text.trim() === '' ? '' : `[${text}]`) as unknown[];
    for (const item of portion) items.push(item);
    await pause();
  }
  return items;
}

/** Some items of the outermost list, without its brackets. */
interface Portion {
  readonly start: number;
  readonly end: number;
}

const sliceBytes = 1024 * 1024;

/** @returns undefined if the body is not a list, or cannot be cut; it is then parsed as a whole */
async function findPortions(bytes: Buffer): Promise<readonly Portion[] | undefined> {
  const walk = new Walk(bytes);
  for (let end = sliceBytes; ; end += sliceBytes) {
    walk.on(Math.min(end, bytes.length));
    if (end >= bytes.length) return walk.portions;
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A state machine over bytes of JSON: counts values and depth, and finds the commas of the outermost list. */
class Walk {
  readonly #bytes: Buffer;
  readonly #portions: Portion[] = [];
  /** Whether everything so far is one list, with optional whitespace around it. */
  #isList = true;
  #hasEnded = false;
  #at = 0;
  #inText = false;
  #depth = 0;
  #values = 0;
  #valuesInItem = 0;
  #valuesInPortion = 0;
  #portionStart = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Undefined if it is not a list with portions, or not JSON; the parser then reports the error of the whole body. */
  get portions(): readonly Portion[] | undefined {
    return this.#isList && this.#hasEnded && this.#portions.length > 0 ? this.#portions : undefined;
  }

  /** Continues up to `end`. @throws RequestError `request_too_large`, `invalid_json` */
  on(end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < end) {
      if (this.#inText) {
        at = this.#endOfText(at, end);
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte === quote) this.#inText = true;
      else if (byte === comma) this.#onComma(at);
      else if (byte === openList || byte === openObject) this.#onOpen(byte, at);
      else if (byte === closeList || byte === closeObject) this.#onClose(byte, at);
      if (this.#depth === 0 && !isBlank(byte) && byte !== closeList) this.#isList = false;
      at++;
    }
    this.#at = at;
  }

  /** The position after the string that `start` is in. If the string continues beyond `end`: `end`, or one more after a backslash. */
  #endOfText(start: number, end: number): number {
    const bytes = this.#bytes;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === backslash) at++;
      else if (byte === quote) {
        this.#inText = false;
        return at + 1;
      }
    }
    return at;
  }

  #onOpen(byte: number, at: number): void {
    if (this.#depth === 0) {
      if (byte !== openList || this.#hasEnded) this.#isList = false;
      this.#portionStart = at + 1;
    }
    this.#depth++;
    if (this.#depth > intakeLimits.jsonDepthMax) throw new RequestError('invalid_json');
    this.#count();
  }

  #onClose(byte: number, at: number): void {
    if (this.#depth !== 1) {
      if (this.#depth === 0) this.#isList = false;
      else this.#depth--;
      return;
    }
    this.#depth = 0;
    this.#hasEnded = true;
    if (byte !== closeList) this.#isList = false;
    // A list that was never cut is parsed as a whole.
    if (this.#portions.length > 0) this.#endPortion(at);
  }

  #onComma(at: number): void {
    this.#count();
    if (this.#depth !== 1) return;
    const isFull =
      at - this.#portionStart >= intakeLimits.jsonPortionBytes ||
      this.#valuesInPortion >= intakeLimits.jsonValuesPerItemMax / 2;
    if (this.#isList) this.#valuesInItem = 0;
    if (isFull) this.#endPortion(at);
  }

  #endPortion(at: number): void {
    this.#portions.push({ start: this.#portionStart, end: at });
    this.#portionStart = at + 1;
    this.#valuesInPortion = 0;
  }

  #count(): void {
    this.#values++;
    this.#valuesInItem++;
    this.#valuesInPortion++;
    const { jsonValuesMax, jsonValuesPerItemMax } = intakeLimits;
    if (this.#values > jsonValuesMax || this.#valuesInItem > jsonValuesPerItemMax)
      throw new RequestError('request_too_large');
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
