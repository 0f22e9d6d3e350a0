import type { Entropy } from '../../../wire/clock/ports.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** Consonants that are not taken for one another or for digits, and spell no words. @see RFC 8628, section 6.1 */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

// Bytes from here on would make the first letters more likely than the others.
const fairBytes = 256 - (256 % userCodeLetters.length);

/** A code that a person reads from a device and types in: {@link serviceLimits.userCodeLength} letters. */
export function makeUserCode(entropy: Entropy): string {
  let code = '';
  while (code.length < serviceLimits.userCodeLength) {
    for (const byte of entropy.bytes(serviceLimits.userCodeLength - code.length)) {
      if (byte < fairBytes) code += userCodeLetters[byte % userCodeLetters.length];
    }
  }
  return code;
}

const userCodeForm = new RegExp(`^[${userCodeLetters}]{${serviceLimits.userCodeLength}}$`);

/** The code that a person meant, who may type it small, in groups, or with blanks; undefined when it is none. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return userCodeForm.test(code) ? code : undefined;
}
