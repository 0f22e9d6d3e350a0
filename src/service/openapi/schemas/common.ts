import { snowflakeMax } from '../../../model/snowflake.ts';
import { boolean, type Fields, integer, nullable, object, ref, text } from '../json-schema.ts';

/** What every user has, whoever looks. */
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
