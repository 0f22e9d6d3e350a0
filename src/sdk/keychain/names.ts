import { createHash } from 'node:crypto';
import { ArgumentError } from '../../model/errors/errors.ts';

/** The limits of names and secrets. Both must also be well-formed Unicode. */
export const keychainLimits = {
  /** Characters (UTF-16 units) of a service or an account, from 1. The limit of Windows is 513. */
  nameMax: 128,
  /** Bytes of a secret in UTF-8, from 1. Unspecified: this is far above any token, and small enough for memory. */
  secretBytesMax: 1_048_576,
} as const;

const control = /\p{Cc}/u;

/** @throws ArgumentError `missing_service`, `invalid_service` */
export function checkService(service: string): void {
  if (service === '') throw new ArgumentError('missing_service', "service is missing: pass the game's name.");
  if (!isName(service))
    throw new ArgumentError('invalid_service', `service must be ${nameRule} (got ${JSON.stringify(service)}).`);
}

/** @throws ArgumentError `invalid_account` */
export function checkAccount(account: string): void {
  if (!isName(account))
    throw new ArgumentError('invalid_account', `account must be ${nameRule} (got ${JSON.stringify(account)}).`);
}

/** @throws ArgumentError `invalid_secret` */
export function checkSecret(secret: string): void {
  const { secretBytesMax } = keychainLimits;
  const isText = typeof secret === 'string' && secret !== '' && secret.isWellFormed();
  if (!isText || Buffer.byteLength(secret) > secretBytesMax) {
    throw new ArgumentError('invalid_secret', `secret must be well-formed text of 1–${secretBytesMax} bytes of UTF-8.`);
  }
}

const nameRule = `1–${keychainLimits.nameMax} characters of well-formed text without control characters`;

function isName(name: unknown): boolean {
  const { nameMax } = keychainLimits;
  // A NUL would end the name inside the system's libraries. A lone surrogate would become another name there.
  return (
    typeof name === 'string' && name !== '' && name.length <= nameMax && name.isWellFormed() && !control.test(name)
  );
}

const plain = /^[a-z0-9_-]{1,64}$/;

/**
 * The account as it is passed to the system's keychain: unchanged if it is plain, else as a digest. Windows ignores case and
 * joins service and account with a separator, so other names could collide.
 */
export function filedAccount(account: string): string {
  return plain.test(account) ? account : `~${digest(account)}`;
}

/** A safe file name for any text: never outside the folder, too long or reserved. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
