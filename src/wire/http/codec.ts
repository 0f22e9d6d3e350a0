/**
 * Reads JSON text. What it says is unknown until a reader has looked at it.
 *
 * @returns undefined when the text is not JSON (JSON itself has no undefined). No exception is thrown, because V8's
 *   quotes the text, which may hold a token.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value as a dictionary, or undefined when it is something else (null and arrays included). */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** Text → text, as `application/x-www-form-urlencoded`. */
export function encodeForm(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}
