/** A place in a text, counted from 1, and the part of it that is meant. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

const blanks = /[ \t\n\r]*/y;
const texts = /"(?:[^"\\]|\\.)*"/y;
const scalars = /[^\s,\]}]+/y;

/**
 * Where the value at `path` stands in a text that is valid JSON; where the path leads to nothing, its last part that exists.
 *
 * @param path as issues have it: `['guilds', '0', 'owner_id']`
 */
export function locateInJson(text: string, path: readonly string[]): TextPlace {
  const reader = createReader(text);
  reader.skip(blanks);
  let start = reader.at;
  for (const step of path) {
    if (!reader.enter(step)) break;
    start = reader.at;
  }
  reader.at = start;
  reader.skipValue();
  const before = text.slice(0, start).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, start, end: reader.at };
}

function createReader(text: string) {
  const reader = { at: 0, skip, skipValue, enter };

  function skip(form: RegExp): string {
    form.lastIndex = reader.at;
    const found = form.exec(text)?.[0] ?? '';
    reader.at += found.length;
    return found;
  }

  /** Skips one value of any depth without recursion. */
  function skipValue(): void {
    let depth = 0;
    do {
      skip(blanks);
      const sign = text[reader.at];
      if (sign === undefined) return;
      if (sign === '{' || sign === '[') depth++;
      if (sign === '}' || sign === ']') depth--;
      if (sign === '"') skip(texts);
      else if (/[{}[\],:]/.test(sign)) reader.at++;
      else skip(scalars);
    } while (depth > 0);
  }

  /** Moves from the beginning of an object or a list to the beginning of one of its values; false when it has none such. */
  function enter(step: string): boolean {
    const isList = text[reader.at] === '[';
    if (!isList && text[reader.at] !== '{') return false;
    reader.at++;
    for (let index = 0; ; index++) {
      skip(blanks);
      if (text[reader.at] === ',') reader.at++;
      skip(blanks);
      const sign = text[reader.at];
      if (sign === undefined || sign === '}' || sign === ']') return false;
      let name = String(index);
      if (!isList) {
        name = nameOf(skip(texts));
        skip(blanks);
        reader.at++; // the colon
        skip(blanks);
      }
      if (name === step) return true;
      skipValue();
    }
  }

  return reader;
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return '';
  }
}
