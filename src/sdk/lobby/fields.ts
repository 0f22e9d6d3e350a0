/** A parsed JSON object that nobody has looked at. */
export type Fields = Readonly<Record<string, unknown>>;
