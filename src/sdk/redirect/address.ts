import { forwarderAgreement } from '../native/forwarder.ts';

const { addressBytesMax } = forwarderAgreement;
// Our choice: a system puts one address into the arguments; whoever puts more there is not the system.
const addressesMax = 4;
const controlCharacter = /\p{Cc}/u;

/** Whether a text could be a redirect of the scheme: the form only, not whom it is for. */
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

/** The addresses of the scheme among a program's arguments (or whatever stands in their place), up to 4, in order. */
export function addressesIn(argv: unknown, scheme: string): string[] {
  const found: string[] = [];
  for (const text of Array.isArray(argv) ? argv : []) {
    if (isAddressOf(scheme, text)) found.push(text);
    if (found.length === addressesMax) break;
  }
  return found;
}
