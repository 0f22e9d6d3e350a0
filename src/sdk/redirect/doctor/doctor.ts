import { type Clock, systemClock } from '../../../wire/clock/ports.ts';
import { parseScheme, type SchemeChoice } from '../scheme.ts';
import type { Finding } from './finding.ts';

/** Without a scheme and an application id, only what concerns every scheme is looked at. */
export interface DoctorOptions extends SchemeChoice {
  /** As in {@link listenForRedirects}. */
  readonly folder?: string | undefined;
  /** Id of the game's own registration when {@link registerScheme} did not make it, for example `game.desktop`. */
  readonly handler?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Looks at everything that brings a redirect back to the game and keeps the tokens after it, and names what is amiss
 * and how to mend it. Changes nothing, but for a trial entry in the keychain, which is deleted at once. Takes a second
 * as a rule and some five at most.
 *
 * @returns one finding a thing, in the order of {@link findingCodes}
 * @throws ArgumentError `invalid_scheme`, `invalid_snowflake`
 */
export async function doctor(options: DoctorOptions = {}): Promise<readonly Finding[]> {
  const isOfScheme = options.scheme !== undefined || options.applicationId !== undefined;
  const scheme = isOfScheme ? parseScheme(options) : undefined;
  const [{ thisMachine }, { examine }] = await Promise.all([import('../machine.ts'), import('./examine.ts')]);
  const { folder, handler, clock = systemClock } = options;
  return examine({ scheme, folder, handler, clock, machine: thisMachine() });
}
