/** A piece of a text that is expressed by another: text of its own, or a range of the other. */
export type DeltaPart = string | readonly [start: number, end: number];

/** Where lists of objects in JSON are cut apart. */
const boundary = '},{';
/** Approximate length of a range in a record. */
const rangeLength = 16;

/**
 * Expresses `text` by what it shares with `base`: its beginning, its end, and whole objects of lists between. Undefined if that would
 * not save half of its length.
 */
export function deltaOf(base: string, text: string): readonly DeltaPart[] | undefined {
  const start = commonStart(base, text);
  const end = commonEnd(base, text, start);
  const [baseEnd, textEnd] = [base.length - end, text.length - end];
  const parts: DeltaPart[] = [];
  if (start > 0) parts.push([0, start]);
  if (textEnd - start <= text.length / 8) addOwn(parts, text.slice(start, textEnd));
  else addMiddle(parts, base.slice(start, baseEnd), text.slice(start, textEnd), start);
  if (end > 0) addRange(parts, baseEnd, base.length);
  return lengthOf(parts) <= text.length / 2 ? parts : undefined;
}

export function applyDelta(base: string, parts: readonly DeltaPart[]): string {
  let text = '';
  for (const part of parts) text += typeof part === 'string' ? part : base.slice(part[0], part[1]);
  return text;
}

function addMiddle(parts: DeltaPart[], base: string, text: string, offset: number): void {
  const known = new Map<string, number>();
  for (const [at, piece] of pieces(base)) if (!known.has(piece)) known.set(piece, at);
  for (const [, piece] of pieces(text)) {
    const at = known.get(piece);
    if (at === undefined) addOwn(parts, piece);
    else addRange(parts, offset + at, offset + at + piece.length);
  }
}

function* pieces(text: string): Iterable<readonly [at: number, piece: string]> {
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(boundary, at);
    const end = found < 0 ? text.length : found + boundary.length;
    yield [at, text.slice(at, end)];
    at = end;
  }
}

function addOwn(parts: DeltaPart[], text: string): void {
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else if (text !== '') parts.push(text);
}

function addRange(parts: DeltaPart[], start: number, end: number): void {
  const last = parts.at(-1);
  if (typeof last === 'object' && last[1] === start) parts[parts.length - 1] = [last[0], end];
  else parts.push([start, end]);
}

/** Approximate length of the parts in a record. */
export function lengthOf(parts: readonly DeltaPart[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : rangeLength), 0);
}

// Binary search, because comparing slices costs a fraction of comparing one code unit after the other.
function commonStart(a: string, b: string): number {
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (a.slice(low, middle) === b.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @param start code units at the beginning that are already shared */
function commonEnd(a: string, b: string, start: number): number {
  let low = 0;
  let high = Math.min(a.length, b.length) - start;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const isSame = a.slice(a.length - middle, a.length - low) === b.slice(b.length - middle, b.length - low);
    if (isSame) low = middle;
    else high = middle - 1;
  }
  return low;
}
