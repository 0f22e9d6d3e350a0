import type { Entropy } from '../../../../wire/clock/ports.ts';
import { serviceLimits } from '../../../support/service-limits.ts';

/**
 * Consonants that are not mistaken for one another or for digits, and that spell no words. @see RFC 8628, section 6.1
 */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

// Bytes from this value on would make the first letters more likely than the others.
const fairBytes = 256 - (256 % userCodeLetters.length);

/** Creates a code that a person reads from a device and types: {@link serviceLimits.userCodeLength} letters. */
export function createUserCode(entropy: Entropy): string {
  let code = '';
  while (code.length < serviceLimits.userCodeLength) {
    for (const byte of entropy.bytes(serviceLimits.userCodeLength - code.length)) {
      if (byte < fairBytes) code += userCodeLetters[byte % userCodeLetters.length];
    }
  }
  return code;
}

const userCodeForm = new RegExp(`^[${userCodeLetters}]{${serviceLimits.userCodeLength}}$`);

/**
 * Normalizes a typed code, which may be in lower case, in groups or with spaces; undefined when it cannot be a code.
 */
export function readUserCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return userCodeForm.test(code) ? code : undefined;
}
