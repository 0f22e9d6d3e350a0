import { ArgumentError } from '../../model/errors/errors.ts';
import { customSchemePrefix, customSchemeRedirectPath } from '../../model/oauth.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { checkScheme } from '../auth/authorization-fields.ts';

/** Which scheme is meant. */
export interface SchemeChoice {
  /** Without the colon, in any case. Default: `discord-<applicationId>`. */
  readonly scheme?: string | undefined;
  readonly applicationId?: string | bigint | undefined;
}

/**
 * The scheme in lower case, which is how systems keep and hand on schemes.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 */
export function parseScheme({ scheme, applicationId }: SchemeChoice): string {
  if (scheme === undefined && applicationId === undefined) {
    throw new ArgumentError('missing_scheme', 'Pass scheme, or applicationId for its default scheme.');
  }
  if (scheme === undefined) return customSchemePrefix + parseId(applicationId);
  if (checkScheme(scheme).length === 0) return scheme.toLowerCase();
  throw new ArgumentError(
    'invalid_scheme',
    'A scheme is a letter, then letters, digits and "+-.", and none that browsers or the system open by themselves.',
  );
}

/**
 * `<scheme>:/authorize/callback`, one slash; the scheme in lower case, because that is how systems and browsers hand
 * addresses on, and servers compare redirects letter by letter.
 *
 * @see docs/spec/client.md#authorization-arguments
 */
export function customSchemeRedirect(scheme: string): string {
  return `${scheme.toLowerCase()}:${customSchemeRedirectPath}`;
}

function parseId(applicationId: unknown): string {
  const id = String(applicationId);
  if (isSnowflake(id)) return id;
  throw new ArgumentError('invalid_snowflake', 'applicationId must be an unsigned 64-bit number.');
}
