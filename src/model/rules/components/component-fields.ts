import { buttonStyles, componentTypes, textInputStyles } from '../../component.ts';
import { componentLimits } from '../../limits/component-limits.ts';
import { limits } from '../../limits/limits.ts';
import {
  checkBoolean,
  checkInteger,
  checkItems,
  checkList,
  checkRequiredEnum,
  checkRequiredId,
  checkRequiredText,
  checkSizedList,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from '../field.ts';
import { checkAddress, checkMediaAddress } from '../field-table.ts';
import type { FullReport } from '../full-report.ts';
import { checkFileTypes } from './file-type.ts';
import { emojiRule } from './known-components.ts';

/**
 * The rules for the fields of each type of component, at the report's current path.
 *
 * Unspecified: a button needs neither label nor emoji.
 */

/** What a component stands among. */
export interface Surroundings {
  readonly report: FullReport;
  readonly inModal: boolean;
  /** Of the components before it. */
  readonly customIds: Set<string>;
}

const { LINK, PREMIUM } = buttonStyles;
const styles = Object.values(buttonStyles);
const inputStyles = Object.values(textInputStyles);

export function checkButton(among: Surroundings, button: Fields): void {
  const { report } = among;
  checkOptionalText(report, 'label', button.label, componentLimits.buttonLabelLengthMax);
  checkEmoji(report, button.emoji);
  checkOptionalBoolean(report, 'disabled', button.disabled);
  if (!checkRequiredEnum(report, 'style', button.style, styles)) return;
  if (button.style === LINK) checkLinkButton(report, button);
  else if (button.style === PREMIUM) checkPremiumButton(report, button);
  else checkPlainButton(among, button);
}

function checkLinkButton(report: FullReport, { url, custom_id, sku_id }: Fields): void {
  if (checkRequiredText(report, 'url', url, componentLimits.buttonUrlLengthMax)) {
    checkAddress(report, 'url', url, ['http', 'https', 'discord']);
  }
  if (!isAbsent(custom_id)) report.at('custom_id', 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE');
  refuse(report, 'sku_id', sku_id);
}

function checkPremiumButton(report: FullReport, button: Fields): void {
  checkRequiredId(report, 'sku_id', button.sku_id);
  for (const field of ['custom_id', 'label', 'url', 'emoji']) refuse(report, field, button[field]);
}

function checkPlainButton(among: Surroundings, { custom_id, url, sku_id }: Fields): void {
  const { report } = among;
  if (isAbsent(custom_id) || custom_id === '') report.at('custom_id', 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED');
  else checkCustomId(among, custom_id);
  if (!isAbsent(url)) report.at('url', 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE');
  refuse(report, 'sku_id', sku_id);
}

/** A select whose choices the application gives. */
export function checkStringSelect(among: Surroundings, select: Fields): void {
  const { options } = select;
  checkSelectFields(among, select);
  const max = checkCounts(among, select, componentLimits.selectOptionsMax, 1);
  checkChoices(among.report, options, 1, componentLimits.selectOptionsMax, max);
  const defaults = Array.isArray(options) ? options.filter(one => isFields(one) && one.default === true).length : 0;
  if (defaults > max) among.report.at('options', 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES');
}

const defaultTypes: readonly unknown[] = ['user', 'role', 'channel'];

/** A select among users, roles or channels. */
export function checkSelect(among: Surroundings, select: Fields): void {
  const { report } = among;
  const { default_values: values, channel_types } = select;
  checkSelectFields(among, select);
  const max = checkCounts(among, select, componentLimits.selectOptionsMax, 1);
  if (!isAbsent(values) && checkList(report, 'default_values', values, componentLimits.selectOptionsMax)) {
    checkItems(report, 'default_values', values, componentLimits.selectOptionsMax, checkDefaultValue);
    if (values.length > max) report.at('default_values', 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES');
  }
  if (select.type !== componentTypes.CHANNEL_SELECT) refuse(report, 'channel_types', channel_types);
  else if (!isAbsent(channel_types)) checkChannelTypes(report, channel_types);
}

function checkDefaultValue(report: FullReport, { id, type }: Fields): void {
  checkRequiredId(report, 'id', id);
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (!defaultTypes.includes(type)) report.at('type', 'BASE_TYPE_CHOICES', defaultTypes as readonly string[]);
}

/** Unspecified: any numbers, as clients know types of channels that are not here. */
function checkChannelTypes(report: FullReport, value: unknown): void {
  if (!checkList(report, 'channel_types', value, componentLimits.selectOptionsMax)) return;
  report.enter('channel_types');
  value.slice(0, componentLimits.selectOptionsMax).forEach((type, i) => {
    checkInteger(report, i, type, 0, limits.integerMax);
  });
  report.leave();
}

/** What all selects have. */
function checkSelectFields(among: Surroundings, { custom_id, placeholder, disabled }: Fields): void {
  const { report, inModal } = among;
  checkCustomId(among, custom_id);
  checkOptionalText(report, 'placeholder', placeholder, componentLimits.selectPlaceholderLengthMax);
  checkOptionalBoolean(report, 'disabled', disabled);
  if (inModal && disabled === true) refuse(report, 'disabled', disabled);
}

export function checkTextInput(among: Surroundings, input: Fields, inLabel: boolean): void {
  const { report } = among;
  const { style, label, min_length: min, max_length: max } = input;
  checkCustomId(among, input.custom_id);
  checkRequiredEnum(report, 'style', style, inputStyles);
  if (inLabel) checkOptionalText(report, 'label', label, componentLimits.textInputLabelLengthMax);
  else checkRequiredText(report, 'label', label, componentLimits.textInputLabelLengthMax);
  const hasMin = !isAbsent(min) && checkInteger(report, 'min_length', min, 0, componentLimits.textInputLengthMax);
  const hasMax = !isAbsent(max) && checkInteger(report, 'max_length', max, 1, componentLimits.textInputLengthMax);
  if (hasMin && hasMax && min > max) report.at('max_length', 'COMPONENT_RANGE_INVALID');
  checkOptionalBoolean(report, 'required', input.required);
  checkOptionalText(report, 'value', input.value, componentLimits.textInputLengthMax);
  checkOptionalText(report, 'placeholder', input.placeholder, componentLimits.textInputPlaceholderLengthMax);
}

export function checkTextDisplay({ report }: Surroundings, { content }: Fields): void {
  checkRequiredText(report, 'content', content, componentLimits.textDisplayLengthMax);
}

export function checkThumbnail({ report }: Surroundings, thumbnail: Fields): void {
  checkMedia(report, 'media', thumbnail.media);
  checkOptionalText(report, 'description', thumbnail.description, componentLimits.mediaDescriptionLengthMax);
  checkOptionalBoolean(report, 'spoiler', thumbnail.spoiler);
}

export function checkGallery({ report }: Surroundings, { items }: Fields): void {
  if (!checkSizedList(report, 'items', items, 1, componentLimits.galleryItemsMax)) return;
  checkItems(report, 'items', items, componentLimits.galleryItemsMax, (_, item) => {
    checkMedia(report, 'media', item.media);
    checkOptionalText(report, 'description', item.description, componentLimits.mediaDescriptionLengthMax);
    checkOptionalBoolean(report, 'spoiler', item.spoiler);
  });
}

export function checkFile({ report }: Surroundings, { file, spoiler }: Fields): void {
  checkMedia(report, 'file', file);
  checkOptionalBoolean(report, 'spoiler', spoiler);
}

export function checkSeparator({ report }: Surroundings, { divider, spacing }: Fields): void {
  checkOptionalBoolean(report, 'divider', divider);
  if (!isAbsent(spacing)) checkInteger(report, 'spacing', spacing, 1, componentLimits.separatorSpacingMax);
}

export function checkContainer({ report }: Surroundings, { accent_color, spoiler }: Fields): void {
  if (!isAbsent(accent_color)) checkInteger(report, 'accent_color', accent_color, 0, componentLimits.containerColorMax);
  checkOptionalBoolean(report, 'spoiler', spoiler);
}

export function checkLabel({ report }: Surroundings, { label, description }: Fields): void {
  checkRequiredText(report, 'label', label, componentLimits.labelLengthMax);
  checkOptionalText(report, 'description', description, componentLimits.labelDescriptionLengthMax);
}

export function checkFileUpload(among: Surroundings, upload: Fields): void {
  checkCustomId(among, upload.custom_id);
  checkCounts(among, upload, componentLimits.uploadedFilesMax, 1);
  if (!isAbsent(upload.file_types)) checkFileTypes(among.report, upload.file_types);
}

export function checkRadioGroup(among: Surroundings, group: Fields): void {
  const { report } = among;
  checkCustomId(among, group.custom_id);
  checkChoices(report, group.options, componentLimits.radioOptionsMin, componentLimits.groupOptionsMax);
  checkOptionalBoolean(report, 'required', group.required);
}

export function checkCheckboxGroup(among: Surroundings, group: Fields): void {
  checkCustomId(among, group.custom_id);
  const { options } = group;
  const count = Array.isArray(options) ? options.length : 1;
  const max = checkCounts(among, group, componentLimits.groupOptionsMax, count);
  checkChoices(among.report, options, 1, componentLimits.groupOptionsMax, max);
}

export function checkCheckbox(among: Surroundings, checkbox: Fields): void {
  checkCustomId(among, checkbox.custom_id);
  checkOptionalBoolean(among.report, 'default', checkbox.default);
}

/**
 * How many values may be chosen, and whether any must be.
 *
 * @param maxDefault of `max_values`; that of `min_values` is 1
 * @returns the most that may be chosen
 */
function checkCounts({ report, inModal }: Surroundings, component: Fields, limit: number, maxDefault: number): number {
  const { min_values: min, max_values: max, required } = component;
  checkOptionalBoolean(report, 'required', required);
  const least = inModal && required !== false ? 1 : 0;
  const hasMin = !isAbsent(min) && checkInteger(report, 'min_values', min, least, limit);
  const hasMax = !isAbsent(max) && checkInteger(report, 'max_values', max, 1, limit);
  const most = hasMax ? max : maxDefault;
  if (hasMin && min > most) report.at(hasMax ? 'max_values' : 'min_values', 'COMPONENT_RANGE_INVALID');
  return most;
}

/** @param chosenMax how many of them may be chosen: fewer could not be */
function checkChoices(report: FullReport, options: unknown, min: number, max: number, chosenMax = min): void {
  if (!checkSizedList(report, 'options', options, Math.max(min, chosenMax), max)) return;
  const values = new Set<unknown>();
  checkItems(report, 'options', options, max, (_, choice) => {
    checkRequiredText(report, 'label', choice.label, componentLimits.componentChoiceLengthMax);
    if (
      checkRequiredText(report, 'value', choice.value, componentLimits.componentChoiceLengthMax) &&
      values.has(choice.value)
    ) {
      report.at('value', 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED');
    }
    values.add(choice.value);
    checkOptionalText(report, 'description', choice.description, componentLimits.componentChoiceLengthMax);
    checkEmoji(report, choice.emoji);
    checkOptionalBoolean(report, 'default', choice.default);
  });
}

function checkCustomId({ report, customIds }: Surroundings, customId: unknown): void {
  if (!checkRequiredText(report, 'custom_id', customId, componentLimits.customIdLengthMax)) return;
  if (customIds.has(customId)) report.at('custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED');
  customIds.add(customId);
}

/** An address, or a file of the same message. */
function checkMedia(report: FullReport, key: string, media: unknown): void {
  if (isAbsent(media)) report.at(key, 'BASE_TYPE_REQUIRED');
  else if (!isFields(media)) report.at(key, 'MODEL_TYPE_CONVERT');
  else {
    report.enter(key);
    if (checkRequiredText(report, 'url', media.url, componentLimits.mediaUrlLengthMax)) {
      checkMediaAddress(report, 'url', media.url);
    }
    report.leave();
  }
}

function checkEmoji(report: FullReport, emoji: unknown): void {
  if (!isAbsent(emoji)) emojiRule.check(report, 'emoji', emoji);
}

function checkOptionalText(report: FullReport, key: string, value: unknown, max: number): void {
  if (!isAbsent(value)) checkText(report, key, value, 0, max);
}

function checkOptionalBoolean(report: FullReport, key: string, value: unknown): void {
  if (!isAbsent(value)) checkBoolean(report, key, value);
}

function refuse(report: FullReport, key: string, value: unknown): void {
  if (!isAbsent(value)) report.at(key, 'COMPONENT_FIELD_INVALID', key);
}
