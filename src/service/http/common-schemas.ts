import { apiErrors } from '../../model/errors/errors.ts';
import { fieldErrors } from '../../model/errors/field-errors.ts';
import { snowflakeMax } from '../../model/snowflake.ts';
import { serviceFieldErrors } from '../support/api-messages.ts';
import { serviceLimits } from '../support/service-limits.ts';
import { anyObject, boolean, type Fields, integer, list, nullable, object, ref, text } from './json-schema.ts';

/** Fields that every user has. */
export const accountFields: Fields = {
  avatar: nullable(text()),
  public_flags: integer(0),
  flags: integer(0),
  primary_guild: { type: 'null' },
};

/** @see docs/spec/http.md#ids */
export const commonSchemas = {
  Snowflake: {
    type: 'string',
    description: `A unique id as decimal text, 0 to ${snowflakeMax}`,
    pattern: '^(0|[1-9][0-9]{0,18})$',
  },
  SnowflakeInput: {
    description: 'A unique id as decimal text or, where a double holds it exactly, as a number',
    anyOf: [ref('Snowflake'), integer(0, Number.MAX_SAFE_INTEGER)],
  },
  Timestamp: {
    type: 'string',
    description: 'ISO 8601 with microseconds and offset',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}\\+00:00$',
  },
  User: object(
    'A user as others see it',
    {
      id: ref('Snowflake'),
      username: text(),
      global_name: nullable(text()),
      discriminator: text(),
      ...accountFields,
    },
    { bot: boolean },
  ),
};

const codes = [...new Set(Object.values(apiErrors).map(({ code }) => code))].sort((a, b) => a - b);

/** @see docs/spec/errors.md#shapes; docs/spec/errors.md#field-error-codes; docs/spec/limits.md#the-body-of-a-429 */
export const errorSchemas = {
  Error: object('Why a request was rejected', {
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
    description: 'Has the shape of the body, with list items by index; `_errors` lists the errors at its place',
    properties: { _errors: list(ref('FieldError')) },
    additionalProperties: ref('ErrorTree'),
  },
  FieldError: object('One error of a field', {
    code: { type: 'string', enum: Object.keys({ ...fieldErrors, ...serviceFieldErrors }) },
    message: text(),
  }),
  RateLimited: object('Too many calls; retry after `retry_after` seconds', {
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

const url = { ...text(1), format: 'uri' };

/** @see docs/spec/gateway.md#connecting */
export const gatewaySchemas = {
  Gateway: object('Where the gateway is reached', { url }),
  GatewayBot: object('Where the gateway is reached, and how often', {
    url,
    shards: integer(1, serviceLimits.gatewayShardsMax),
    session_start_limit: object('Sessions that may still be started; times in milliseconds', {
      total: integer(0),
      remaining: integer(0),
      reset_after: integer(0),
      max_concurrency: integer(1),
    }),
  }),
};

/** What is sent to webhooks that are not there; nothing of it is looked at. */
export const webhookSchemas = {
  WebhookEdit: object('What would be changed of a webhook', {}),
  ForeignMessage: { ...anyObject, description: 'A message in the form of another service' },
};
