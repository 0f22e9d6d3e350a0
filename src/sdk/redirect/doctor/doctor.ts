import { requireType } from '../../../wire/arguments.ts';
import { type Clock, systemClock } from '../../../wire/clock/ports.ts';
import { checkFolder } from '../../folder-option.ts';
import { parseScheme, type SchemeChoice } from '../scheme.ts';
import type { Finding } from './finding.ts';

/** Without a scheme or an application id, only what concerns every scheme is checked. */
export interface DoctorOptions extends SchemeChoice {
  /** As in {@link listenForRedirects}. */
  readonly folder?: string | undefined;
  /** The id of the game's own registration if {@link registerScheme} did not create it, for example `game.desktop`. */
  readonly handler?: string | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Checks everything that a redirect needs to reach the game, and what stores the tokens afterwards. Reports each problem with
 * a remedy. Changes nothing, except that it writes an entry to the keychain to test it. Usually takes one second, and five
 * at most.
 *
 * @returns one finding per check, in the order of {@link findingCodes}
 * @throws ArgumentError `invalid_scheme`, `invalid_snowflake`, `invalid_folder`, `invalid_argument`
 */
export async function doctor(options: DoctorOptions = {}): Promise<readonly Finding[]> {
  requireType('options', options, 'object');
  checkFolder(options.folder);
  const isOfScheme = options.scheme !== undefined || options.applicationId !== undefined;
  const scheme = isOfScheme ? parseScheme(options) : undefined;
  const [{ thisMachine }, { examine }] = await Promise.all([import('../machine.ts'), import('./checks.ts')]);
  const { folder, handler, clock = systemClock } = options;
  return examine({ scheme, folder, handler, clock, machine: thisMachine() });
}
