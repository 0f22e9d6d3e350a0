import type { Call } from '../http/call.ts';
import { oauthFaults } from './oauth-fault.ts';

/** Field → text of a form-encoded body; empty when the body was no form. */
export type Form = Readonly<Record<string, string>>;

/** The form of a call; JSON and malformed bodies count as an empty one. @see oauth2.md 10 */
export function formOf({ body }: Call): Form {
  return (body ?? {}) as Form;
}

/** A field's text; one without a value counts as left out (RFC 6749, 3.2). */
export function field(form: Form, name: string): string | undefined {
  return form[name] || undefined;
}

/** @throws OAuthFault `invalid_request` when the field is missing */
export function requiredField(form: Form, name: string): string {
  const value = field(form, name);
  if (value === undefined) throw oauthFaults.missing(name);
  return value;
}
