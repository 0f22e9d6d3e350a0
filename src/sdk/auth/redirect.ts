import { createHash, timingSafeEqual } from 'node:crypto';
import type { OAuthError } from '../../model/errors/errors.ts';
import { oauthError } from './oauth-error.ts';

/** What only the redirect that ends our own authorization can carry. */
export interface ExpectedRedirect {
  /** The redirect address as the authorization server was told it. */
  readonly redirectUri: string;
  readonly state: string;
  readonly issuer: string;
}

/** What an address handed to a waiting authorization turned out to be. */
export type RedirectVerdict =
  /** Not ours, repeated, forged or garbled: whoever waits goes on waiting. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'granted'; readonly code: string }
  | { readonly kind: 'refused'; readonly error: OAuthError };

const foreign: RedirectVerdict = { kind: 'foreign' };

/**
 * Judges an address that came from outside; anybody can have made it, so a wrong one must not end what waits.
 *
 * Our choice: `iss` may be absent, as the interface's redirects are described without it; a wrong one is foreign.
 *
 * @see RFC 6749, section 4.1.2; RFC 9207
 */
export function validateRedirect(address: string, expected: ExpectedRedirect): RedirectVerdict {
  if (!URL.canParse(address)) return foreign;
  const url = new URL(address);
  const query = url.searchParams;
  if (withoutQuery(url) !== new URL(expected.redirectUri).href || hasRepeats(query)) return foreign;
  if (!equals(query.get('state') ?? '', expected.state)) return foreign;
  const issuer = query.get('iss');
  if (issuer !== null && !equals(issuer, expected.issuer)) return foreign;

  const error = query.get('error');
  const code = query.get('code');
  if (error) return { kind: 'refused', error: oauthError(error, query.get('error_description')) };
  return code ? { kind: 'granted', code } : foreign;
}

function withoutQuery(url: URL): string {
  const bare = new URL(url);
  bare.search = '';
  bare.hash = '';
  return bare.href;
}

// A second value of a parameter could be what one side reads and the other does not.
function hasRepeats(query: URLSearchParams): boolean {
  return new Set(query.keys()).size !== query.size;
}

/** In constant time, whatever the lengths. */
function equals(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
