import { fieldErrors } from '../../errors/field-errors.ts';
import type { Issue } from '../../errors/issue.ts';
import { type CallbackType, callbackTypes, type InteractionType, interactionTypes } from '../../interaction.ts';

/** What decides which callbacks an interaction accepts. */
export interface Answerable {
  readonly type: InteractionType;
  /** A component caused it, whose message can be edited. */
  readonly hasSource: boolean;
  /** Its application has an Activity. */
  readonly isEmbedded: boolean;
}

const {
  CHANNEL_MESSAGE_WITH_SOURCE,
  DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE,
  DEFERRED_UPDATE_MESSAGE,
  UPDATE_MESSAGE,
  APPLICATION_COMMAND_AUTOCOMPLETE_RESULT,
  MODAL,
  LAUNCH_ACTIVITY,
} = callbackTypes;

const withMessage = [CHANNEL_MESSAGE_WITH_SOURCE, DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE] as const;
const ofSource = [DEFERRED_UPDATE_MESSAGE, UPDATE_MESSAGE] as const;

/** Every interaction of a type accepts these. */
const byType: Readonly<Record<InteractionType, readonly CallbackType[]>> = {
  [interactionTypes.PING]: [],
  [interactionTypes.APPLICATION_COMMAND]: [...withMessage, MODAL],
  [interactionTypes.MESSAGE_COMPONENT]: [...withMessage, MODAL],
  [interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE]: [APPLICATION_COMMAND_AUTOCOMPLETE_RESULT],
  [interactionTypes.MODAL_SUBMIT]: withMessage,
};

/** Checks whether a callback of this type answers the interaction. @see docs/spec/interactions.md#answers */
export function checkAccepted(callback: CallbackType, { type, hasSource, isEmbedded }: Answerable): Issue[] {
  const launches = isEmbedded && type !== interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  const accepted = [...byType[type], ...(hasSource ? ofSource : []), ...(launches ? [LAUNCH_ACTIVITY] : [])];
  if (accepted.includes(callback)) return [];
  const choices = accepted.toSorted((a, b) => a - b).map(String);
  return [{ path: ['type'], code: 'BASE_TYPE_CHOICES', message: fieldErrors.BASE_TYPE_CHOICES(choices) }];
}
