import { hash, timingSafeEqual } from 'node:crypto';

/** How secrets are kept: SHA-256 in hex. They are long and random, so a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Compares a secret with a kept hash in constant time. */
export function matchesSecret(secret: string, kept: string | null): boolean {
  if (kept === null) return false;
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(kept));
}
