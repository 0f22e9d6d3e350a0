import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

// A command's texts take a few hundred bytes; the rest is room for names that take four bytes a letter.
const bodyBytesMax = 4_096;

/** Reads a JSON object of at most {@link bodyBytesMax} bytes. @throws Refusal `invalid_body`, `body_too_large` */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal('invalid_body', 'Send JSON, and say so: content-type application/json.');
  }
  const parts: Buffer[] = [];
  let size = 0;
  // Stopping early must not cut the connection: the answer has yet to leave.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > bodyBytesMax) {
      const headers = { connection: 'close' };
      throw new Refusal('body_too_large', `A body has at most ${bodyBytesMax} bytes.`, { headers });
    }
    parts.push(part);
  }
  const value = parse(Buffer.concat(parts).toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refusal('invalid_body', 'The body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
