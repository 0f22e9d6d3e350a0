import { isLocale, type Locale } from '../../model/locale.ts';
import { requesterLocale } from '../../model/rules/locales/requester-locale.ts';
import type { Call } from '../http/call.ts';

/** The hosted service's name of the header, and the base description's. */
const localeHeaders = ['x-discord-locale', 'x-service-locale'] as const;

/**
 * The locale a call's answer is read in.
 *
 * @param setting of the user who asks
 * @see docs/spec/commands.md#locale-of-the-caller
 */
export function localeOf(call: Call, setting?: string): Locale | undefined {
  const header = localeHeaders.map(name => headerText(call, name)).find(isLocale);
  return requesterLocale({ header, acceptLanguage: headerText(call, 'accept-language'), setting });
}

function headerText({ headers }: Call, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
