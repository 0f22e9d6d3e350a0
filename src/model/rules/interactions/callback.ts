import { type OptionType, optionTypes } from '../../command.ts';
import type { Issue } from '../../errors/issue.ts';
import { callbackTypes } from '../../interaction.ts';
import { componentLimits } from '../../limits/component-limits.ts';
import { limits } from '../../limits/limits.ts';
import { messageFlags } from '../../message.ts';
import { checkOptionNumber } from '../commands/choice.ts';
import { checkMessageComponents, checkModalComponents } from '../components/component.ts';
import {
  checkBoolean,
  checkEnum,
  checkInteger,
  checkItems,
  checkList,
  checkNumber,
  checkRequiredText,
  checkString,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from '../field.ts';
import { FullReport } from '../full-report.ts';
import { checkLocalizations } from '../locales/localizations.ts';
import { checkEmbeds } from './embed.ts';

const types = Object.values(callbackTypes);
const flagsMax = 2 ** 31 - 1;

/**
 * The flags of the message that is edited: one that is built of all types of components stays so. Null: not known.
 */
export type FlagsBefore = number | null;

/**
 * Checks the shape of an interaction callback's body. Whether its type answers that interaction (`checkAccepted`), and whether a message
 * has any content ({@link isEmptyMessage}), are questions with errors of their own.
 *
 * Unspecified: `allowed_mentions` and `poll` must be objects and are not checked further, because they have no effect here, like some
 * message flags.
 *
 * @param before of the message that type 7 edits
 * @param attachmentNames of the files that the message will have; without them, its `attachment://` addresses may name any
 * @see docs/spec/interactions.md#answers
 */
export function checkCallback(value: unknown, before: FlagsBefore = 0, attachmentNames?: ReadonlySet<string>): Issue[] {
  const report = new FullReport();
  report.attachmentNames = attachmentNames;
  if (!isFields(value)) report.here('DICT_TYPE_CONVERT');
  else if (isAbsent(value.type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (checkEnum(report, 'type', value.type, types)) checkData(report, value.data, checks[value.type], before);
  return report.issues;
}

/**
 * Checks the data of a message: that of a callback, of a follow-up or of an edit.
 *
 * @param before of the message that is edited
 * @param attachmentNames as of {@link checkCallback}
 * @see docs/spec/interactions.md#messages
 */
export function checkMessageData(
  value: unknown,
  before: FlagsBefore = 0,
  attachmentNames?: ReadonlySet<string>,
): Issue[] {
  const report = new FullReport();
  report.attachmentNames = attachmentNames;
  if (isFields(value)) checkMessage(report, value, before);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}

/** Checks a modal, from its own root. @see docs/spec/interactions.md#modals */
export function checkModal(value: unknown): Issue[] {
  const report = new FullReport();
  if (isFields(value)) checkModalData(report, value);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}

/**
 * Checks that what is suggested for an option of this type can be its value; `choices` have been checked for shape.
 *
 * @see docs/spec/commands.md#choices
 */
export function checkSuggestedValues(choices: readonly { readonly value: unknown }[], type: OptionType): Issue[] {
  const report = new FullReport();
  report.enter('data');
  report.enter('choices');
  report.enter(0);
  choices.forEach(({ value }, i) => {
    report.moveTo(i);
    if (type === optionTypes.STRING) checkString(report, 'value', value);
    else checkOptionNumber(report, 'value', value, type);
  });
  return report.issues;
}

/**
 * Whether the data of a message callback shows nothing: no text but blanks, no embed, component, attachment or poll.
 * The answer to it is the error `empty_message`, not an issue of the body.
 */
export function isEmptyMessage(data: unknown): boolean {
  if (!isFields(data)) return true;
  if (typeof data.content === 'string' && data.content.trim() !== '') return false;
  if ([data.embeds, data.components, data.attachments].some(list => Array.isArray(list) && list.length > 0))
    return false;
  return isAbsent(data.poll);
}

/** The check of a type's data, and whether there must be any; a type without a row takes no notice of it. */
interface DataCheck {
  readonly required?: true;
  readonly check: (report: FullReport, data: Fields, before: FlagsBefore) => void;
}

const checks: Readonly<Record<number, DataCheck>> = {
  [callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE]: { check: (report, data) => checkMessage(report, data, 0) },
  [callbackTypes.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE]: { check: checkFlags },
  [callbackTypes.UPDATE_MESSAGE]: { check: checkMessage },
  [callbackTypes.APPLICATION_COMMAND_AUTOCOMPLETE_RESULT]: { check: checkSuggestions },
  [callbackTypes.MODAL]: { required: true, check: checkModalData },
};

function checkData(report: FullReport, data: unknown, row: DataCheck | undefined, before: FlagsBefore): void {
  if (row === undefined) return;
  if (isAbsent(data)) {
    if (row.required) report.at('data', 'BASE_TYPE_REQUIRED');
    return;
  }
  if (!isFields(data)) {
    report.at('data', 'MODEL_TYPE_CONVERT');
    return;
  }
  report.enter('data');
  row.check(report, data, before);
  report.leave();
}

function checkMessage(report: FullReport, message: Fields, before: FlagsBefore): void {
  const isV2 = (((before ?? 0) | flagsOf(message)) & messageFlags.IS_COMPONENTS_V2) !== 0;
  if (!isAbsent(message.content)) checkText(report, 'content', message.content, 0, limits.messageContentLengthMax);
  if (!isAbsent(message.tts)) checkBoolean(report, 'tts', message.tts);
  checkFlags(report, message);
  checkEmbeds(report, message.embeds);
  checkMessageComponents(report, message.components, before === null && !isV2 ? undefined : isV2);
  if (isV2) rejectLegacy(report, message);
  checkObjects(report, 'attachments', message.attachments, limits.messageAttachmentsMax, checkAttachment);
  checkObject(report, 'allowed_mentions', message.allowed_mentions);
  checkObject(report, 'poll', message.poll);
}

/** The texts that a file is stored with. Unspecified: values that are not text are ignored. */
function checkAttachment(report: FullReport, { filename, description }: Fields): void {
  if (typeof filename === 'string') checkText(report, 'filename', filename, 0, limits.attachmentNameLengthMax);
  if (typeof description === 'string') {
    checkText(report, 'description', description, 0, componentLimits.mediaDescriptionLengthMax);
  }
}

/** A message that is built of components of every type has no other content. */
function rejectLegacy(report: FullReport, message: Fields): void {
  for (const field of ['content', 'embeds', 'poll'] as const) {
    const isEmpty = isAbsent(message[field]) || (message[field] as { length?: unknown }).length === 0;
    if (!isEmpty) report.at(field, 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', field);
  }
}

function flagsOf({ flags }: Fields): number {
  return typeof flags === 'number' ? flags : 0;
}

function checkFlags(report: FullReport, { flags }: Fields): void {
  if (!isAbsent(flags)) checkInteger(report, 'flags', flags, 0, flagsMax);
}

function checkSuggestions(report: FullReport, { choices }: Fields): void {
  checkObjects(report, 'choices', choices, limits.optionChoicesMax, checkSuggestion);
}

/** A suggestion's value. Its type is checked where the option is known. */
function checkSuggestion(report: FullReport, { name, name_localizations, value }: Fields): void {
  checkRequiredText(report, 'name', name, limits.choiceNameLengthMax);
  checkLocalizations(report, 'name_localizations', name_localizations, (_, locale, text) =>
    checkText(report, locale, text, 1, limits.choiceNameLengthMax),
  );
  if (typeof value === 'number') checkNumber(report, 'value', value, -limits.numberMax, limits.numberMax, 'float');
  else checkRequiredText(report, 'value', value, limits.choiceValueLengthMax);
}

function checkModalData(report: FullReport, modal: Fields): void {
  checkRequiredText(report, 'custom_id', modal.custom_id, componentLimits.customIdLengthMax);
  checkRequiredText(report, 'title', modal.title, componentLimits.modalTitleLengthMax);
  checkModalComponents(report, modal.components);
}

function checkObject(report: FullReport, key: string, value: unknown): void {
  if (!isAbsent(value) && !isFields(value)) report.at(key, 'MODEL_TYPE_CONVERT');
}

function checkObjects(
  report: FullReport,
  key: string,
  list: unknown,
  max: number,
  checkItem: (report: FullReport, item: Fields) => void = () => {},
): void {
  if (!isAbsent(list) && checkList(report, key, list, max)) checkItems(report, key, list, max, checkItem);
}
