import { limits } from '../../limits/limits.ts';
import { checkRequiredText, checkText, type Key } from '../field.ts';
import type { FullReport } from '../full-report.ts';

/**
 * Naming rules of commands and options.
 *
 * @see docs/spec/commands.md#names
 */

const max = limits.commandNameLengthMax;

/** Characters of a name typed in chat input. Its length is a separate rule, so that the two faults have different codes. */
export const chatNameCharacters = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]+$/u;

/** A name typed in chat input: letters, digits, `-`, `_`, `'`, in lower case where there is one. */
export function checkChatName(report: FullReport, key: Key, value: unknown): void {
  if (typeof value === 'string' && value !== '') checkCharacters(report, key, value);
  checkRequiredText(report, key, value, max);
}

/** A translation of a name typed in chat input. */
export function checkLocalizedChatName(report: FullReport, key: Key, value: unknown): void {
  if (typeof value === 'string' && value !== '') checkCharacters(report, key, value);
  checkText(report, key, value, 1, max);
}

/** A name that is only shown: any characters, mixed case, blanks. */
export function checkShownName(report: FullReport, key: Key, value: unknown): void {
  if (checkRequiredText(report, key, value, max)) checkUnicode(report, key, value);
}

/** A translation of a name that is only shown. */
export function checkLocalizedShownName(report: FullReport, key: Key, value: unknown): void {
  if (checkText(report, key, value, 1, max)) checkUnicode(report, key, value);
}

// A command is found by its name, and a store of UTF-8 text could not tell two lone surrogates apart.
function checkUnicode(report: FullReport, key: Key, name: string): void {
  if (!name.isWellFormed()) report.at(key, 'APPLICATION_COMMAND_INVALID_NAME');
}

function checkCharacters(report: FullReport, key: Key, name: string): void {
  if (!chatNameCharacters.test(name)) {
    report.at(key, 'STRING_TYPE_REGEX');
    report.at(key, 'APPLICATION_COMMAND_INVALID_NAME');
  } else if (name !== name.toLowerCase()) report.at(key, 'APPLICATION_COMMAND_INVALID_NAME');
}
