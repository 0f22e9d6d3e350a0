import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Entropy } from '../../../wire/clock/ports.ts';

/**
 * How much work one guess is. A hash names the figures it was made with, so that they can rise without shutting
 * anybody out.
 *
 * Our choice: of the sets that OWASP's password storage cheat sheet holds equal (August 2026), the one that needs
 * least memory, 16 MiB a guess: as many as the machine has threads for are made at once.
 */
const work = { N: 2 ** 14, r: 8, p: 5 } as const;
const saltBytes = 16;
const keyBytes = 32;

/** `scrypt$N$r$p$salt$key`: whole numbers, then base64url. */
const keptForm = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/** Makes of a password what is kept in its place; twice the same password gives two hashes. */
export async function hashPassword(password: string, entropy: Entropy): Promise<string> {
  const salt = Buffer.from(entropy.bytes(saltBytes));
  const key = await derive(password, salt, keyBytes, work);
  return ['scrypt', work.N, work.r, work.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether a password is the one that was hashed.
 *
 * @param kept what {@link hashPassword} gave; undefined (there is no such user) is false after the same work
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

/** On a thread beside. However it was typed, the same text is the same password (NIST SP 800-63B, 3.1.1.2). */
function derive(password: string, salt: Buffer, bytes: number, { N, r, p }: Work): Promise<Buffer> {
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, bytes, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** Two names that a reader takes for the same sign in the same user. */
export function signInNameOf(username: string): string {
  return username.trim().normalize('NFKC').toLowerCase();
}
