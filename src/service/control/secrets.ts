import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { ApplicationId } from '../../model/snowflake.ts';
import { type Entropy, randomToken } from '../../wire/ports.ts';

const timestampBytes = 4;
const botTokenBytes = 28;
const clientSecretBytes = 24;
const sessionTokenBytes = 32;

/** A bot token in the form clients know: `<base64url of the application's id>.<6 characters>.<38 characters>`. */
export function makeBotToken(entropy: Entropy, applicationId: ApplicationId): string {
  const owner = Buffer.from(applicationId).toString('base64url');
  return `${owner}.${randomToken(entropy, timestampBytes)}.${randomToken(entropy, botTokenBytes)}`;
}

/** 32 characters of base64url. */
export function makeClientSecret(entropy: Entropy): string {
  return randomToken(entropy, clientSecretBytes);
}

/** What a user's own client proves itself by: 43 characters of base64url. */
export function makeSessionToken(entropy: Entropy): string {
  return randomToken(entropy, sessionTokenBytes);
}

// RFC 8410, 7: the DER of an Ed25519 private key is this, followed by the 32 bytes of its seed.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyBytes = 32;

/** A new Ed25519 key pair: the public key in hex, the private key as PKCS #8 in base64. */
export function makeKeyPair(entropy: Entropy): { verify_key: string; signing_key: string } {
  const der = Buffer.concat([pkcs8Prefix, entropy.bytes(keyBytes)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicDer = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { verify_key: publicDer.subarray(-keyBytes).toString('hex'), signing_key: der.toString('base64') };
}
