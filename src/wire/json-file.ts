/** What a file of JSON holds, or where it is wrong and why. */
export type JsonReading = { readonly value: unknown } | { readonly fault: string };

/**
 * Reads the text of a JSON file that a person wrote. A byte order mark is accepted; comments and trailing commas are not.
 *
 * @returns the value, or the fault with its line and column. The fault never quotes the text, which may hold a token.
 */
export function readJsonFile(text: string): JsonReading {
  const content = text.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(content) as unknown };
  } catch {
    return { fault: describeFault(content) };
  }
}

function describeFault(text: string): string {
  // A file in UTF-16 begins with bytes that UTF-8 does not have.
  if (text.startsWith('\uFFFD')) return 'it is not in UTF-8; save it in that encoding';
  const { at, message } = findFault(text);
  return `${placeOf(text, at)}: ${message}`;
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

interface Fault {
  readonly at: number;
  readonly message: string;
}

/** What may come next. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'separator' | 'nothing';

const blanks = /[ \t\n\r]*/y;
// From the blank on all characters but the quotation mark and the backslash, and escapes.
const texts = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const scalars = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The first fault of a text that is not JSON (RFC 8259). */
function findFault(text: string): Fault {
  // A list in place of recursion: nothing bounds how deep a text goes.
  const open: { readonly sign: '{' | '['; readonly at: number }[] = [];
  let at = 0;
  let expected: Expected = 'value';
  const take = (form: RegExp): boolean => {
    form.lastIndex = at;
    const taken = form.exec(text)?.[0];
    at += taken?.length ?? 0;
    return taken !== undefined;
  };
  const afterValue = (): Expected => (open.length > 0 ? 'separator' : 'nothing');
  for (;;) {
    take(blanks);
    const sign = text[at];
    const container = open.at(-1);
    if (sign === undefined) return endFault(text, open);
    const closes = sign === (container?.sign === '{' ? '}' : ']') && container !== undefined;
    if (closes && expected !== 'value' && expected !== 'name' && expected !== 'colon') {
      open.pop();
      at++;
      expected = afterValue();
    } else if (expected === 'colon' && sign === ':') {
      at++;
      expected = 'value';
    } else if (expected === 'separator' && sign === ',') {
      at++;
      expected = container?.sign === '{' ? 'name' : 'value';
    } else if ((expected === 'name' || expected === 'first name') && sign === '"') {
      if (!take(texts)) return { at, message: textFault };
      expected = 'colon';
    } else if (expected === 'value' || expected === 'first value') {
      if (sign === '{' || sign === '[') {
        open.push({ sign, at });
        at++;
        expected = sign === '{' ? 'first name' : 'first value';
      } else if (sign === '"') {
        if (!take(texts)) return { at, message: textFault };
        expected = afterValue();
      } else if (take(scalars)) {
        expected = afterValue();
      } else return { at, message: signFault(sign, expected, closes) };
    } else return { at, message: signFault(sign, expected, closes) };
  }
}

const textFault = 'the text that begins here is not closed, or has a line break or a wrong escape in it';

function endFault(text: string, open: readonly { readonly sign: string; readonly at: number }[]): Fault {
  const last = open.at(-1);
  if (!last) return { at: text.length, message: 'the file is empty' };
  return { at: text.length, message: `the "${last.sign}" of ${placeOf(text, last.at)} is not closed` };
}

function signFault(sign: string, expected: Expected, closes: boolean): string {
  if (sign === '/' || sign === '#') return 'comments are not allowed in JSON';
  if (sign === "'") return "text must stand in double quotation marks, not in '";
  if (closes && (expected === 'value' || expected === 'name')) return `a comma before "${sign}" is not allowed in JSON`;
  return { ...wanted, 'first name': wanted.name, 'first value': wanted.value }[expected];
}

const wanted = {
  value: 'a value is expected: text in double quotation marks, a number, true, false, null, a list or an object',
  name: 'the name of a field is expected, in double quotation marks',
  colon: 'a ":" is expected after the name of the field',
  separator: 'a "," or the closing bracket is expected',
  nothing: 'the file must end after the first value',
} as const;
