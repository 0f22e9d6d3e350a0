import type { IncomingMessage } from 'node:http';
import { fieldErrors } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import type { Route } from '../../wire/routes.ts';
import { Fault } from '../fault.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/**
 * Reads a request's body as the route wants it: parsed JSON, or a form as field → text (the first of repeated fields;
 * undefined when it is no form, because the OAuth2 routes answer that in their own words).
 *
 * @throws Fault `invalid_form_body` on another media type, `invalid_json`, `request_too_large`
 */
export async function readBody(route: Route, request: IncomingMessage): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (route.body === 'form') return mediaType === mediaTypes.form ? readForm(await readText(request)) : undefined;
  if (mediaType !== mediaTypes.json) throw wrongMediaType(mediaTypes.json);
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('invalid_json');
  }
}

/** @throws Fault `request_too_large`; what is too much is read on and thrown away, so that the answer gets through */
function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limits.requestBodyBytesMax) chunks.push(chunk);
    });
    request.on('end', () => {
      if (size > limits.requestBodyBytesMax) reject(new Fault('request_too_large'));
      else resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString());
    });
    request.on('error', reject);
  });
}

function readForm(text: string): Readonly<Record<string, string>> {
  const form: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) form[name] ??= value;
  return form;
}

function wrongMediaType(expected: string): Fault {
  const message = fieldErrors.CONTENT_TYPE_INVALID(expected);
  return new Fault('invalid_form_body', {}, [{ path: [], code: 'CONTENT_TYPE_INVALID', message }]);
}
