/** An answer as the service gave it, for the bare server to repeat byte for byte. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const hopByHop = new Set(['connection', 'date', 'keep-alive']);

/** Asks once and keeps the answer, but for the headers that every HTTP server writes by itself. */
export async function recordAnswer(url: string, method: string, authorization: string, body?: string): Promise<Answer> {
  const headers: Record<string, string> = { authorization };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const kept = [...answer.headers].filter(([name]) => !hopByHop.has(name));
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
}
