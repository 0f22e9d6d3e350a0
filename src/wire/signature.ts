import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * How the service proves to an application's server that a request is its own: Ed25519 over the timestamp and the body,
 * by the application's key.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */

/** Headers of a signed request, in lower case: the signature in hex, and the timestamp, whose text is signed as it is. */
export const signatureHeaders = { signature: 'x-signature-ed25519', timestamp: 'x-signature-timestamp' } as const;

/** @returns the signature, 128 hexadecimal digits */
export function signMessage(key: KeyObject, timestamp: string, body: string | Uint8Array): string {
  return sign(null, signedBytes(timestamp, body), key).toString('hex');
}

/**
 * Whether the signature is that of `timestamp` and `body` by the holder of the key. Never throws.
 *
 * @param verifyKey the application's public key, 64 hexadecimal digits
 * @param body as it came, before any decoding
 */
export function verifyMessage(
  verifyKey: string,
  signature: string,
  timestamp: string,
  body: string | Uint8Array,
): boolean {
  if (!isVerifyKey(verifyKey) || !hexOf(signatureBytes).test(signature)) return false;
  const der = Buffer.concat([spkiPrefix, Buffer.from(verifyKey, 'hex')]);
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, signedBytes(timestamp, body), key, Buffer.from(signature, 'hex'));
  } catch {
    return false; // not a point of the curve
  }
}

/** Whether the text has the form of a public key. */
export function isVerifyKey(text: string): boolean {
  return hexOf(keyBytes).test(text);
}

/** @param pkcs8 an Ed25519 private key as PKCS #8, in base64 */
export function readSigningKey(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' });
}

// RFC 8410, section 4: the DER of an Ed25519 public key is this, followed by the key itself.
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyBytes = 32;
const signatureBytes = 64;

function hexOf(bytes: number): RegExp {
  return new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`);
}

function signedBytes(timestamp: string, body: string | Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(timestamp), typeof body === 'string' ? Buffer.from(body) : body]);
}
