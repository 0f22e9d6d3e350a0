import { isLocale, type Locale, locales } from '../../locale.ts';
import { createNegotiator } from './accept-language.ts';

/** What of a request tells its reader's locale. */
export interface LocaleSources {
  /** The locale header's value. */
  readonly header?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  /** The user's own setting. */
  readonly setting?: string | undefined;
}

/**
 * The requester's locale: that of the first source which names one of ours.
 *
 * @see docs/spec/commands.md#locale-of-the-caller
 */
export function requesterLocale({ header, acceptLanguage = '', setting }: LocaleSources): Locale | undefined {
  if (isLocale(header)) return header;
  return negotiate(acceptLanguage) ?? (isLocale(setting) ? setting : undefined);
}

// Our choice where a language has several locales and its name alone is given.
const preferred = ['en-US', 'es-ES', 'zh-CN'] as const satisfies readonly Locale[];

const negotiate = createNegotiator([...preferred, ...locales]);
