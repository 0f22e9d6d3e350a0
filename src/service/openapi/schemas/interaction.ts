import { commandTypes, optionTypes } from '../../../model/command.ts';
import { callbackTypes, interactionTypes } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits.ts';
import { messageTypes } from '../../../model/message.ts';
import {
  anyObject,
  boolean,
  dictionary,
  enumeration,
  integer,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../json-schema.ts';

/** @see commands.md 3.1 to 3.4 */
export const interactionSchemas = {
  Invocation: object(
    'The use of a command by its user’s own client',
    {
      type: { enum: [interactionTypes.APPLICATION_COMMAND, interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE] },
      application_id: ref('SnowflakeInput'),
      channel_id: ref('SnowflakeInput'),
      data: object(
        'Which command, and what was filled in',
        {
          id: ref('SnowflakeInput'),
          version: ref('SnowflakeInput'),
          name: text(1, limits.commandNameLengthMax),
        },
        nullableFields({
          type: enumeration(commandTypes),
          options: list(ref('OptionValue')),
          target_id: ref('SnowflakeInput'),
        }),
      ),
    },
    nullableFields({ guild_id: ref('SnowflakeInput'), session_id: text(), nonce: text(1, limits.nonceLengthMax) }),
  ),
  OptionValue: object(
    'What was filled in for one option; subcommands and groups nest',
    { name: text(1, limits.commandNameLengthMax) },
    {
      type: enumeration(optionTypes),
      value: { type: ['string', 'number', 'boolean'] },
      options: list(ref('OptionValue')),
      focused: boolean,
    },
  ),
  InteractionCallback: object(
    'The answer to an interaction',
    { type: enumeration(callbackTypes) },
    nullableFields({ data: anyObject }),
  ),
  CallbackResponse: object(
    'What the answer brought about',
    {
      interaction: object(
        'The interaction that was answered',
        { id: ref('Snowflake'), type: enumeration(interactionTypes) },
        {
          activity_instance_id: text(),
          response_message_id: ref('Snowflake'),
          response_message_loading: boolean,
          response_message_ephemeral: boolean,
        },
      ),
    },
    {
      resource: object(
        'What was made',
        { type: enumeration(callbackTypes) },
        {
          message: ref('Message'),
          activity_instance: object('The Activity that was launched', { id: text() }),
        },
      ),
    },
  ),
  MessageInput: object(
    'A message; in an edit, what of it is replaced',
    {},
    nullableFields({
      content: text(0, limits.messageContentLengthMax),
      tts: boolean,
      flags: integer(0),
      embeds: list(anyObject, limits.messageEmbedsMax),
      components: list(anyObject, limits.messageComponentsMax),
      attachments: list(anyObject, limits.messageAttachmentsMax),
      allowed_mentions: anyObject,
      poll: anyObject,
    }),
  ),
  Message: object(
    'A message that answers an interaction',
    {
      id: ref('Snowflake'),
      channel_id: ref('Snowflake'),
      author: ref('User'),
      application_id: ref('Snowflake'),
      webhook_id: ref('Snowflake'),
      content: text(0, limits.messageContentLengthMax),
      timestamp: ref('Timestamp'),
      edited_timestamp: nullable(ref('Timestamp')),
      type: enumeration(messageTypes),
      flags: integer(0),
      tts: boolean,
      pinned: boolean,
      mention_everyone: boolean,
      mentions: list(ref('User')),
      mention_roles: list(ref('Snowflake')),
      embeds: list(anyObject, limits.messageEmbedsMax),
      attachments: list(anyObject, limits.messageAttachmentsMax),
      components: list(anyObject, limits.messageComponentsMax),
      interaction_metadata: object('The interaction it answers', {
        id: ref('Snowflake'),
        type: enumeration(interactionTypes),
        user: ref('User'),
        authorizing_integration_owners: dictionary(ref('Snowflake')),
      }),
    },
    { guild_id: ref('Snowflake'), nonce: text() },
  ),
};
