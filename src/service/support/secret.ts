import { hash, timingSafeEqual } from 'node:crypto';

/** How secrets are kept: SHA-256 in hex. They are long and random, so a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Compares texts in a time that tells nothing of where they differ; their lengths are no secret. */
export function isSameSecret(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}

/** Compares a secret with a kept hash in constant time. */
export function matchesSecret(secret: string, kept: string | null): boolean {
  return kept !== null && isSameSecret(hashSecret(secret), kept);
}
