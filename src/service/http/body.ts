import { fieldErrors } from '../../model/issue.ts';
import type { Route } from '../../wire/routes.ts';
import { Fault } from '../fault.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/**
 * Reads a request's body as the route wants it: parsed JSON, or a form as field → text (the first of repeated fields;
 * undefined when it is no form, because the OAuth2 routes answer that in their own words).
 *
 * @throws Fault `invalid_form_body` on another media type, `invalid_json`
 */
export function readBody(route: Route, contentType: string | undefined, raw: unknown): unknown {
  if (route.body === undefined) return undefined;
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const text = typeof raw === 'string' ? raw : '';
  if (route.body === 'form') return mediaType === mediaTypes.form ? readForm(text) : undefined;
  if (mediaType !== mediaTypes.json) throw wrongMediaType(mediaTypes.json);
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('invalid_json');
  }
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
