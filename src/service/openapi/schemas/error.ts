import { apiErrors } from '../../../model/errors/errors.ts';
import { fieldErrors } from '../../../model/errors/issue.ts';
import { serviceFieldErrors } from '../../support/service-field-errors.ts';
import { boolean, integer, list, object, ref, text } from '../json-schema.ts';

const codes = [...new Set(Object.values(apiErrors).map(({ code }) => code))].sort((a, b) => a - b);

/** @see docs/spec/errors.md#shapes; docs/spec/errors.md#field-error-codes; docs/spec/limits.md#the-body-of-a-429 */
export const errorSchemas = {
  Error: object('Why a call was refused', {
    message: text(),
    code: { type: 'integer', enum: codes, description: '0: what the HTTP status says' },
  }),
  InvalidForm: object(
    'What is wrong with the body, the path or the query',
    { message: text(), code: { type: 'integer', enum: codes } },
    { errors: ref('ErrorTree') },
  ),
  ErrorTree: {
    type: 'object',
    description: 'Follows the shape of the body, list items by index; `_errors` says what is wrong where it stands',
    properties: { _errors: list(ref('FieldError')) },
    additionalProperties: ref('ErrorTree'),
  },
  FieldError: object('One fault', {
    code: { type: 'string', enum: Object.keys({ ...fieldErrors, ...serviceFieldErrors }) },
    message: text(),
  }),
  RateLimited: object('Too many calls; come again after `retry_after` seconds', {
    message: text(),
    code: integer(),
    retry_after: { type: 'number', minimum: 0 },
    global: boolean,
  }),
  TokenRefusal: {
    description: 'Why a token was not granted; about an account to be merged, in the interface’s own form',
    anyOf: [ref('OAuthError'), ref('Error')],
  },
  OAuthError: object('Why a token was not granted', { error: text(1) }, { error_description: text() }),
};
