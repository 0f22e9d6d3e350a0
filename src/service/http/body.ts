import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Route } from '../../wire/routes.ts';
import { Fault } from '../fault.ts';
import { serviceFieldErrors } from '../service-field-errors.ts';
import { serviceLimits } from '../service-limits.ts';
import { isFormType, readFormBody } from './form-body.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

const smallBytesMax = 64 * 1024;

/** Whether the request says that its body is small enough to be held for anybody. */
export function isSmall({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= smallBytesMax;
}

/**
 * The bytes of a body, or undefined when they are too many; what is too much is read on and thrown away, so that the
 * answer gets through.
 */
export function collectBody(request: IncomingMessage, route: Route): Promise<Buffer | undefined> {
  const bytesMax = bodyBytesMax(route, request.headers);
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(request.headers['content-length']) > bytesMax) return resolve(undefined);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) chunks.push(chunk);
    });
    request.on('end', () => {
      const fits = size <= bytesMax;
      resolve(fits ? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)) : undefined);
    });
    // Broken off: nobody is there to be answered.
    request.on('error', () => resolve(Buffer.alloc(0)));
  });
}

/** A form may bring files. */
function bodyBytesMax({ forms }: Route, headers: IncomingHttpHeaders): number {
  const isForm = forms !== undefined && isFormType(mediaTypeOf(headers['content-type']));
  return isForm ? serviceLimits.formBodyBytesMax : serviceLimits.requestBodyBytesMax;
}

/**
 * Reads a body as the route wants it: parsed JSON, or a form as its parameters (undefined when it is no form, because
 * the OAuth2 routes answer that in their own words).
 *
 * One that may be left out is undefined when it is.
 *
 * @returns a promise only of a form in place of JSON
 * @throws Fault `request_too_large`, `invalid_form_body` on another media type, `invalid_json`
 */
export function readBody(route: Route, headers: IncomingHttpHeaders, bytes: Buffer | undefined): unknown {
  if (!bytes) throw new Fault('request_too_large');
  if (route.bodyOptional && bytes.length === 0) return undefined;
  const mediaType = mediaTypeOf(headers['content-type']);
  if (route.body === 'form') return mediaType === mediaTypes.form ? new URLSearchParams(bytes.toString()) : undefined;
  if (route.forms && isFormType(mediaType)) return readFormBody(headers['content-type'] ?? '', bytes, route.forms);
  if (mediaType !== mediaTypes.json) throw wrongMediaType(mediaTypes.json);
  if (!isUtf8(bytes)) throw new Fault('invalid_json');
  try {
    return JSON.parse(quoteLongIds(bytes.toString()));
  } catch {
    throw new Fault('invalid_json');
  }
}

// Every field of the interface that takes an id or, as the last, another number too long for a double.
const idFields =
  '(?:application_|channel_|guild_|message_|provisional_user_|recipient_|target_|client_|child_application_)?id' +
  '|default_member_permissions';
const longId = new RegExp(`("(?:${idFields})"\\s*:\\s*)([0-9]{16,})(?![0-9.eE])`, 'g');
const mayHaveLongId = /(?:id|permissions)"\s*:\s*[0-9]{16}/;

/**
 * Ids may come as numbers, of which a double keeps the first 53 bits alone; as text they keep all. A quotation mark
 * inside a text is escaped, so that this finds nothing there.
 *
 * @see commands.md 6, "Snowflake"
 */
function quoteLongIds(text: string): string {
  return mayHaveLongId.test(text) ? text.replace(longId, '$1"$2"') : text;
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  if (contentType === mediaTypes.json) return contentType;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

function wrongMediaType(expected: string): Fault {
  const message = serviceFieldErrors.CONTENT_TYPE_INVALID(expected);
  return new Fault('invalid_form_body', {}, [{ path: [], code: 'CONTENT_TYPE_INVALID', message }]);
}
