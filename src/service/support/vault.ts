import { createCipheriv, createDecipheriv, hash, scryptSync } from 'node:crypto';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { Entropy } from '../../wire/clock/ports.ts';

/** Encrypts what a store keeps, by secrets that only the nodes know. */
export interface Vault {
  /** Encrypts by the first secret. */
  seal(text: string): string;
  /** The text that was sealed; a text that was never sealed as it is. @throws ArgumentError `wrong_secret` */
  open(text: string): string;
  /** Whether the text is sealed by the first secret. */
  isCurrent(text: string): boolean;
  /** Whether it has more secrets than the first: they are being changed. */
  readonly hasOthers: boolean;
}

const mark = 'sealed';
const form = /^sealed:([0-9a-f]{16}):([\w-]+)$/;
const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdLength = 16;
/** The salt is public and fixed, so that all nodes derive the same key; the work makes guesses of a short secret expensive. */
const salt = 'rallypoint vault 1';
const work = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;

export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(`${mark}:`);
}

/** What {@link Vault.open} throws, for a node that has no secret at all. */
export function wrongSecret(): ArgumentError {
  return new ArgumentError(
    'wrong_secret',
    'The keys in the database are protected by a secret that this node was not given. Set RALLYPOINT_SECRET as on the other nodes.',
  );
}

/** @param secrets the first encrypts, all decrypt */
export function createVault(secrets: readonly [string, ...string[]], entropy: Entropy): Vault {
  const keys = secrets.map(secret => {
    const key = scryptSync(secret.normalize('NFKC'), salt, keyBytes, work);
    return { id: hash('sha256', key).slice(0, keyIdLength), key };
  });
  const [current] = keys as [(typeof keys)[number]];

  return {
    seal(text) {
      const nonce = entropy.bytes(nonceBytes);
      const sealing = createCipheriv(cipher, current.key, nonce);
      const body = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
      return `${mark}:${current.id}:${body.toString('base64url')}`;
    },
    open(text) {
      if (!isSealed(text)) return text;
      const [, id, body = ''] = form.exec(text) ?? [];
      const known = keys.find(key => key.id === id);
      if (!known) throw wrongSecret();
      const bytes = Buffer.from(body, 'base64url');
      const opening = createDecipheriv(cipher, known.key, bytes.subarray(0, nonceBytes));
      opening.setAuthTag(bytes.subarray(-tagBytes));
      return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
    },
    isCurrent: text => form.exec(text)?.[1] === current.id,
    hasOthers: keys.length > 1,
  };
}
