/** A parsed JSON object that has not been checked. */
export type Fields = Readonly<Record<string, unknown>>;
