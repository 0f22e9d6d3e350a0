import { splitScopes } from '../../../model/oauth.ts';
import { FormFields } from '../../http/body/url-encoded.ts';
import type { Call } from '../../http/call.ts';
import { oauthFaults } from './oauth-request-error.ts';

/** The parameters of a form-encoded body; none when the body is not a form. */
export type Form = Pick<FormFields, 'get' | 'getAll'>;

/** The form of a request; JSON and malformed bodies count as an empty form. @see docs/spec/oauth2.md#errors */
export function formOf({ body }: Call): Form {
  return body instanceof FormFields ? body : new FormFields();
}

/**
 * A field's text; an empty field counts as missing.
 *
 * @throws OAuthRequestError `invalid_request` when the field is repeated
 * @see RFC 6749, section 3.2
 */
export function field(form: Form, name: string): string | undefined {
  const [value, ...more] = form.getAll(name);
  if (more.length > 0) throw oauthFaults.repeated(name);
  return value || undefined;
}

/** The scopes that a form names, if any. */
export function scopesIn(form: Form): readonly string[] {
  return splitScopes(field(form, 'scope') ?? '');
}

/** @throws OAuthRequestError `invalid_request` when the field is missing or repeated */
export function requiredField(form: Form, name: string): string {
  const value = field(form, name);
  if (value === undefined) throw oauthFaults.missing(name);
  return value;
}
