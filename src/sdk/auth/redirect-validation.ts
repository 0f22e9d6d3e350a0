import { createHash, timingSafeEqual } from 'node:crypto';
import { type ExpectedRedirect, type RedirectResult, readRedirect } from '../../wire/oauth/read-redirect.ts';

/** Checks an address that came from outside, in constant time. @see {@link readRedirect} */
export function validateRedirect(address: string, expected: ExpectedRedirect): RedirectResult {
  return readRedirect(address, expected, equals);
}

/** Compares in constant time, for any lengths. */
function equals(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
