import { createHash, timingSafeEqual } from 'node:crypto';

/** How secrets are kept: SHA-256 in hex. They are long and random, so a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares a secret with a kept hash in constant time. */
export function matchesSecret(secret: string, hash: string | null): boolean {
  if (hash === null) return false;
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
