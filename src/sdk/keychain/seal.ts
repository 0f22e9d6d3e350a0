import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KeychainError } from '../../model/errors/errors.ts';

/** A sealed text: nonce, authentication tag, then AES-256-GCM cipher text. */
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface Sealed {
  /** base64url. Each sealing has its own, so that an older content put back does not open. */
  readonly key: string;
  readonly content: Buffer;
}

/** @param belongsTo what the text is; the content opens with the same only */
export function seal(text: string, belongsTo: string): Sealed {
  const key = randomBytes(keyBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(belongsTo));
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { key: key.toString('base64url'), content: Buffer.concat([nonce, cipher.getAuthTag(), hidden]) };
}

/** @throws KeychainError `keychain_unreadable`: any bit of key, content or `belongsTo` differs from what was sealed */
export function unseal({ key, content }: Sealed, belongsTo: string): string {
  const secret = Buffer.from(key, 'base64url');
  if (secret.length !== keyBytes || content.length < nonceBytes + tagBytes) throw unreadable('is cut short');
  const tagEnd = nonceBytes + tagBytes;
  const nonce = content.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(belongsTo))
    .setAuthTag(content.subarray(nonceBytes, tagEnd));
  try {
    return decipher.update(content.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw unreadable('was changed');
  }
}

/** @param what completes "What is kept for this account …" */
export function unreadable(what: string): KeychainError {
  return new KeychainError(
    'keychain_unreadable',
    `What is kept for this account ${what}: it is not what was stored. Set it again (sign in anew) or delete it.`,
  );
}
