import { commandTypes, optionTypes } from '../../../model/command.ts';
import { buttonStyles, componentTypes, textInputStyles } from '../../../model/component.ts';
import { callbackTypes, interactionTypes } from '../../../model/interaction.ts';
import { componentLimits } from '../../../model/limits/component-limits.ts';
import { limits } from '../../../model/limits/limits.ts';
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
} from '../../http/json-schema.ts';
import { serviceLimits } from '../../support/service-limits.ts';

const customId = text(1, componentLimits.customIdLengthMax);

/** Of every use. */
const usePlace = { application_id: ref('SnowflakeInput'), channel_id: ref('SnowflakeInput') };
const useExtras = nullableFields({
  guild_id: ref('SnowflakeInput'),
  session_id: text(),
  nonce: text(1, serviceLimits.nonceLengthMax),
});

/** @see docs/spec/interactions.md */
export const interactionSchemas = {
  Invocation: {
    description: 'What a user’s own client has done: used a command or a component, or filled in a modal',
    oneOf: [ref('CommandUse'), ref('ComponentUse'), ref('ModalSubmission')],
    discriminator: {
      propertyName: 'type',
      mapping: {
        [interactionTypes.APPLICATION_COMMAND]: ref('CommandUse').$ref,
        [interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE]: ref('CommandUse').$ref,
        [interactionTypes.MESSAGE_COMPONENT]: ref('ComponentUse').$ref,
        [interactionTypes.MODAL_SUBMIT]: ref('ModalSubmission').$ref,
      },
    },
  },
  CommandUse: object(
    'The use of a command, or of one that is being typed',
    {
      type: { enum: [interactionTypes.APPLICATION_COMMAND, interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE] },
      ...usePlace,
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
    useExtras,
  ),
  ComponentUse: object(
    'The use of a component of a message',
    {
      type: { const: interactionTypes.MESSAGE_COMPONENT },
      ...usePlace,
      message_id: ref('SnowflakeInput'),
      data: object(
        'Which component, and what was chosen',
        { custom_id: customId, component_type: enumeration(componentTypes) },
        nullableFields({ values: list(text(), componentLimits.selectOptionsMax) }),
      ),
    },
    useExtras,
  ),
  ModalSubmission: object(
    'A modal that was filled in',
    {
      type: { const: interactionTypes.MODAL_SUBMIT },
      ...usePlace,
      data: object(
        'Which modal, by the event INTERACTION_MODAL_CREATE, and what was filled in',
        { id: ref('SnowflakeInput'), custom_id: customId },
        nullableFields({ components: list(ref('SubmittedComponent'), componentLimits.modalComponentsMax) }),
      ),
    },
    useExtras,
  ),
  SubmittedComponent: object(
    'A component of a modal with what was filled in; rows and labels hold others',
    { type: enumeration(componentTypes) },
    nullableFields({
      id: integer(0, componentLimits.componentIdMax),
      custom_id: customId,
      value: { type: ['string', 'boolean'] },
      values: list(text(), componentLimits.selectOptionsMax),
      components: list(ref('SubmittedComponent'), componentLimits.modalComponentsMax),
      component: ref('SubmittedComponent'),
    }),
  ),
  Component: object(
    'A component of a message or modal; which other fields it has follows from its type',
    { type: enumeration(componentTypes) },
    nullableFields({
      id: integer(0, componentLimits.componentIdMax),
      custom_id: customId,
      components: list(ref('Component'), limits.messageComponentsMax),
      accessory: ref('Component'),
      component: ref('Component'),
      style: { anyOf: [enumeration(buttonStyles), enumeration(textInputStyles)] },
      label: text(0, componentLimits.buttonLabelLengthMax),
      description: text(0, componentLimits.mediaDescriptionLengthMax),
      emoji: anyObject,
      url: text(1, componentLimits.buttonUrlLengthMax),
      sku_id: ref('SnowflakeInput'),
      disabled: boolean,
      required: boolean,
      placeholder: text(0, componentLimits.selectPlaceholderLengthMax),
      min_values: integer(0, componentLimits.selectOptionsMax),
      max_values: integer(1, componentLimits.selectOptionsMax),
      options: list(ref('ComponentChoice'), componentLimits.selectOptionsMax),
      default_values: list(anyObject, componentLimits.selectOptionsMax),
      channel_types: list(integer(0), componentLimits.selectOptionsMax),
      value: text(0, componentLimits.textInputLengthMax),
      min_length: integer(0, componentLimits.textInputLengthMax),
      max_length: integer(1, componentLimits.textInputLengthMax),
      default: boolean,
      file_types: list(text(), limits.fileTypesMax),
      content: text(1, componentLimits.textDisplayLengthMax),
      media: ref('Media'),
      items: list(anyObject, componentLimits.galleryItemsMax, { minItems: 1 }),
      file: ref('Media'),
      spoiler: boolean,
      divider: boolean,
      spacing: integer(1, componentLimits.separatorSpacingMax),
      accent_color: integer(0, componentLimits.containerColorMax),
    }),
  ),
  Media: object('An address, or `attachment://` and the name of a file', {
    url: text(1, componentLimits.mediaUrlLengthMax),
  }),
  ComponentChoice: object(
    'One of the choices of a component',
    {
      label: text(1, componentLimits.componentChoiceLengthMax),
      value: text(1, componentLimits.componentChoiceLengthMax),
    },
    nullableFields({
      description: text(0, componentLimits.componentChoiceLengthMax),
      emoji: anyObject,
      default: boolean,
    }),
  ),
  Modal: object('A form that answers an interaction', {
    custom_id: customId,
    title: text(1, componentLimits.modalTitleLengthMax),
    components: list(ref('Component'), componentLimits.modalComponentsMax, { minItems: 1 }),
  }),
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
    nullableFields({ data: { anyOf: [ref('MessageInput'), ref('Modal'), anyObject] } }),
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
      components: list(ref('Component'), limits.messageComponentsMax),
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
      components: list(ref('Component'), limits.messageComponentsMax),
      interaction_metadata: ref('InteractionMetadata'),
    },
    {
      guild_id: ref('Snowflake'),
      message_reference: object(
        'The message whose component was used',
        { type: { const: 0 }, message_id: ref('Snowflake'), channel_id: ref('Snowflake') },
        { guild_id: ref('Snowflake') },
      ),
      nonce: text(),
    },
  ),
  InteractionMetadata: object(
    'The interaction that a message answers',
    {
      id: ref('Snowflake'),
      type: enumeration(interactionTypes),
      user: ref('User'),
      authorizing_integration_owners: dictionary(ref('Snowflake')),
    },
    {
      interacted_message_id: ref('Snowflake'),
      triggering_interaction_metadata: ref('InteractionMetadata'),
    },
  ),
};
