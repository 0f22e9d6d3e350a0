import { ArgumentError } from '../../model/errors/errors.ts';
import { customSchemePrefix } from '../../model/oauth.ts';
import { parseSnowflake } from '../../model/snowflake.ts';
import { checkScheme } from '../../wire/oauth/authorization-fields.ts';
import { forwarderAgreement } from '../native/forwarder.ts';

/** The scheme, or the application whose default scheme is meant. */
export interface SchemeChoice {
  /** Without the colon, in upper or lower case. Default: `discord-<applicationId>`. */
  readonly scheme?: string | undefined;
  readonly applicationId?: string | bigint | undefined;
}

/**
 * The scheme in lower case, as systems store and pass it.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 */
export function parseScheme({ scheme, applicationId }: SchemeChoice): string {
  if (scheme === undefined) {
    if (applicationId !== undefined) return customSchemePrefix + parseSnowflake(applicationId, 'applicationId');
    throw new ArgumentError('missing_scheme', 'Pass scheme, or applicationId for its default scheme.');
  }
  if (checkScheme(scheme).length === 0) return scheme.toLowerCase();
  throw new ArgumentError(
    'invalid_scheme',
    `scheme must be a letter followed by letters, digits and "+-.", and not one that browsers or the system open themselves (got ${JSON.stringify(scheme)}).`,
  );
}

const { addressBytesMax } = forwarderAgreement;
// Unspecified: how many addresses are read. A system passes one; more come from another program.
const addressesMax = 4;
const controlCharacter = /\p{Cc}/u;

/** Whether a text has the form of a redirect to the scheme. Whether it belongs to an authorization is checked later. */
export function isAddressOf(scheme: string, text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length <= addressBytesMax &&
    text.slice(0, scheme.length + 1).toLowerCase() === `${scheme}:` &&
    text.isWellFormed() &&
    !controlCharacter.test(text) &&
    Buffer.byteLength(text) <= addressBytesMax
  );
}

/** The addresses of the scheme among a program's arguments, at most 4, in order. */
export function addressesIn(argv: unknown, scheme: string): string[] {
  const found: string[] = [];
  for (const text of Array.isArray(argv) ? argv : []) {
    if (isAddressOf(scheme, text)) found.push(text);
    if (found.length === addressesMax) break;
  }
  return found;
}
