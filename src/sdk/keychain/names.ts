import { createHash } from 'node:crypto';
import { ArgumentError } from '../../model/errors/errors.ts';

/** Bounds of what a keychain takes, beside the rule that texts are well-formed Unicode. */
export const keychainLimits = {
  /** Characters (UTF-16 units) of a service or an account, from 1. Windows ends at 513. */
  nameMax: 128,
  /** Bytes of a secret in UTF-8, from 0. Our choice: far above any token, and small enough to keep in memory. */
  secretBytesMax: 1_048_576,
} as const;

const control = /\p{Cc}/u;

/** @throws ArgumentError `missing_service`, `invalid_service` */
export function checkService(service: string): void {
  if (service === '') throw new ArgumentError('missing_service', 'service is missing.');
  if (!isName(service)) throw new ArgumentError('invalid_service', `service must be ${nameRule}.`);
}

/** @throws ArgumentError `invalid_account` */
export function checkAccount(account: string): void {
  if (!isName(account)) throw new ArgumentError('invalid_account', `An account must be ${nameRule}.`);
}

/** @throws ArgumentError `invalid_secret` */
export function checkSecret(secret: string): void {
  const { secretBytesMax } = keychainLimits;
  if (typeof secret !== 'string' || !secret.isWellFormed() || Buffer.byteLength(secret) > secretBytesMax) {
    throw new ArgumentError('invalid_secret', `A secret must be well-formed text of up to ${secretBytesMax} bytes.`);
  }
}

const nameRule = `1–${keychainLimits.nameMax} characters of well-formed text without control characters`;

function isName(name: unknown): boolean {
  const { nameMax } = keychainLimits;
  // A NUL would end the name inside the system's own libraries; half a surrogate pair would be another name there.
  return (
    typeof name === 'string' && name !== '' && name.length <= nameMax && name.isWellFormed() && !control.test(name)
  );
}

const plain = /^[a-z0-9_-]{1,64}$/;

/**
 * The account as the system's keychain gets it: as it is when plain, else as a digest. Windows ignores case and joins
 * service and account by a separator, so that others could meet.
 */
export function filedAccount(account: string): string {
  return plain.test(account) ? account : `~${digest(account)}`;
}

/** A name for files: no text can lead out of the folder, and none is too long or reserved. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
