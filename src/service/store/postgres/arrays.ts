/** Control characters and surrogates, which JSON writes in ways of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const special = /[\0-\x1f\ud800-\udfff]/;

/** An array as PostgreSQL reads it. Values are well-formed and have no NUL. */
export function textArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: string | number | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  // JSON escapes quotes and backslashes as PostgreSQL reads them, faster than a replacement does.
  return special.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
}

/** As {@link textArray}, of texts that are JSON: they have no control characters. */
export function jsonArray(values: readonly (string | null)[]): string {
  return `{${values.map(value => (value === null ? 'NULL' : JSON.stringify(value))).join(',')}}`;
}
