import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../../../wire/routes.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { RequestError } from '../../support/request-error.ts';
import { intakeLimits, serviceLimits } from '../../support/service-limits.ts';
import { isFormType, readFormBody } from './form-body.ts';
import { parseLargeJson } from './large-json.ts';
import { parseForm } from './url-encoded.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** The bound on a body: for unidentified callers, for all others, and for forms that may contain files. */
export function bodyBytesMax({ forms }: Route, headers: IncomingHttpHeaders, isProven: boolean): number {
  if (!isProven) return intakeLimits.unprovenBodyBytesMax;
  const isForm = forms !== undefined && isFormType(mediaTypeOf(headers['content-type']));
  return isForm ? serviceLimits.formBodyBytesMax : serviceLimits.requestBodyBytesMax;
}

/**
 * Reads a body in the form that the route takes: parsed JSON, or the fields of a form. It is undefined if an optional body is
 * missing, and for a malformed form or one with too many fields, because the OAuth2 routes have error bodies of their own.
 *
 * @returns a promise only for a large body, which is parsed with pauses, and for a form in place of JSON
 * @throws RequestError `request_too_large`, `invalid_form_body` on another media type, `invalid_json`
 */
export function readBody(route: Route, headers: IncomingHttpHeaders, bytes: Buffer | undefined): unknown {
  if (!bytes) throw new RequestError('request_too_large');
  if (route.bodyOptional && bytes.length === 0) return undefined;
  const mediaType = mediaTypeOf(headers['content-type']);
  if (route.body === 'form') return mediaType === mediaTypes.form ? parseForm(bytes.toString()) : undefined;
  if (route.forms && isFormType(mediaType)) return readFormBody(headers['content-type'] ?? '', bytes, route.forms);
  if (mediaType !== mediaTypes.json) throw wrongMediaType(mediaTypes.json);
  if (!isUtf8(bytes)) throw new RequestError('invalid_json');
  const isLarge = bytes.length > intakeLimits.jsonPortionBytes;
  return isLarge ? parseLargeJson(bytes, readJson) : readJson(bytes.toString());
}

/** @throws RequestError `invalid_json` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(quoteLongIds(text));
  } catch {
    throw new RequestError('invalid_json');
  }
}

// Every field of the interface that takes an id, and one that takes another number too long for a double.
const idFields =
  '(?:application_|channel_|guild_|message_|provisional_user_|recipient_|target_|client_|child_application_)?id' +
  '|default_member_permissions';
const longId = new RegExp(`("(?:${idFields})"\\s*:\\s*)([0-9]{16,})(?![0-9.eE])`, 'g');
const mayHaveLongId = /(?:id|permissions)"\s*:\s*[0-9]{16}/;

/**
 * Puts ids that are sent as numbers in quotation marks, because a double keeps only 53 bits. Quotation marks inside strings are
 * escaped, so that the pattern does not match there.
 *
 * @see docs/spec/http.md#ids
 */
function quoteLongIds(text: string): string {
  return mayHaveLongId.test(text) ? text.replace(longId, '$1"$2"') : text;
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  if (contentType === mediaTypes.json) return contentType;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

function wrongMediaType(expected: string): RequestError {
  const message = serviceFieldErrors.CONTENT_TYPE_INVALID(expected);
  return new RequestError('invalid_form_body', {}, [{ path: [], code: 'CONTENT_TYPE_INVALID', message }]);
}
