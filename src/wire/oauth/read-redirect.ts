import { OAuthError } from '../../model/errors/errors.ts';
import { isSameService } from '../addresses.ts';
import { oauthError, printable } from './oauth-error.ts';

/** What identifies the redirect of one authorization. */
export interface ExpectedRedirect {
  /** The redirect address that was sent to the authorization server. */
  readonly redirectUri: string;
  readonly state: string;
  readonly issuer: string;
}

/** The result of {@link readRedirect}. */
export type RedirectResult =
  /** Foreign, repeated, forged or malformed: the authorization keeps waiting. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'granted'; readonly code: string }
  | { readonly kind: 'rejected'; readonly error: OAuthError };

const foreign: RedirectResult = { kind: 'foreign' };

/**
 * Checks an address that came from outside. Any program can have made it, so a wrong one must not end the authorization.
 *
 * Deviation: RFC 9207 requires `iss` where the server supports it. Here it may be absent, because the interface describes
 * redirects without it. A redirect with the right state and a wrong `iss` ends the authorization, and its code is not used: the program
 * asked another service than the one that answered.
 *
 * @param equals compares two texts; where an attacker can measure the time, in constant time
 * @see RFC 6749, section 4.1.2; RFC 9207
 */
export function readRedirect(
  address: string,
  expected: ExpectedRedirect,
  equals: (a: string, b: string) => boolean,
): RedirectResult {
  if (!URL.canParse(address)) return foreign;
  const url = new URL(address);
  const query = url.searchParams;
  if (withoutQuery(url) !== new URL(expected.redirectUri).href || hasRepeats(query)) return foreign;
  if (!equals(query.get('state') ?? '', expected.state)) return foreign;
  const issuer = query.get('iss');
  if (issuer !== null && !isSameService(issuer, expected.issuer))
    return { kind: 'rejected', error: wrongIssuer(issuer, expected) };

  const error = query.get('error');
  const code = query.get('code');
  if (error) return { kind: 'rejected', error: oauthError(error, query.get('error_description')) };
  return code ? { kind: 'granted', code } : foreign;
}

function wrongIssuer(issuer: string, expected: ExpectedRedirect): OAuthError {
  return new OAuthError(
    'wrong_issuer',
    `The answer came from ${printable(issuer, issuerLengthMax) || 'a service without a name'}, but baseUrl is ${expected.issuer}. ` +
      'It was not used. If that is your service, set baseUrl to the address that it shows at its start.',
  );
}

const issuerLengthMax = 200;

function withoutQuery(url: URL): string {
  const bare = new URL(url);
  bare.search = '';
  bare.hash = '';
  return bare.href;
}

// With a repeated parameter the two sides could read different values.
function hasRepeats(query: URLSearchParams): boolean {
  return new Set(query.keys()).size !== query.size;
}
