import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Entropy } from '../../../../wire/clock/ports.ts';

/**
 * The cost of one guess. A hash names the parameters it was made with, so that they can be raised without locking
 * anybody out.
 *
 * Unspecified: of the parameter sets that OWASP's password storage cheat sheet considers equal (August 2026), this is
 * the one with the least memory, 16 MiB for a guess, because as many run concurrently as the machine has threads.
 */
const work = { N: 2 ** 14, r: 8, p: 5 } as const;
const saltBytes = 16;
const keyBytes = 32;

/** `scrypt$N$r$p$salt$key`: whole numbers, then base64url. */
const keptForm = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/** Hashes a password with a new salt: the same password gives two different hashes. */
export async function hashPassword(password: string, entropy: Entropy): Promise<string> {
  const salt = Buffer.from(entropy.bytes(saltBytes));
  const key = await derive(password, salt, keyBytes, work);
  return ['scrypt', work.N, work.r, work.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether a password matches a hash.
 *
 * @param kept what {@link hashPassword} returned; undefined (no such user) gives false after the same work
 */
export async function matchesPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = keptForm.exec(kept ?? decoy) ?? [];
  const expected = Buffer.from(key, 'base64url');
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, options);
  return timingSafeEqual(actual, expected) && kept !== undefined;
}

const decoy = `scrypt$${work.N}$${work.r}$${work.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface Work {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/**
 * Runs on another thread. The text is normalized first, so that the same password matches however it was typed (NIST
 * SP 800-63B, 3.1.1.2).
 */
function derive(password: string, salt: Buffer, bytes: number, { N, r, p }: Work): Promise<Buffer> {
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, bytes, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** The name that sign-in compares: names that look the same give the same text. */
export function signInNameOf(username: string): string {
  return username.trim().normalize('NFKC').toLowerCase();
}
