import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import type { TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import type { UsedRefreshToken } from '../../store/records.ts';
import { hashSecret } from '../../support/secret.ts';

/** What identifies a refresh request. */
export interface RefreshRequest {
  /** The refresh token. */
  readonly secret: string;
  /** The client's idempotency key, which cannot be guessed. */
  readonly key: string | undefined;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * What is stored of a used refresh token. If the request had an idempotency key, that includes the answer for a
 * client that repeats the request, encrypted with a key from the request, because the store keeps no readable tokens.
 */
export function useOf(core: Core, { secret, key }: RefreshRequest, answer: TokenResponse): UsedRefreshToken {
  const used = { hash: hashSecret(secret), at_ms: core.clock.now() };
  if (key === undefined) return used;
  const nonce = core.entropy.bytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(secret, key), nonce);
  const content = Buffer.concat([sealing.update(JSON.stringify(answer)), sealing.final()]);
  return { ...used, sealed: Buffer.concat([nonce, sealing.getAuthTag(), content]).toString('base64url') };
}

/** @returns undefined unless this repeats the answered request */
export function openAnswer(
  core: Core,
  { secret, key }: RefreshRequest,
  { sealed, at_ms }: UsedRefreshToken,
): TokenResponse | undefined {
  if (key === undefined || sealed === undefined) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  const opening = createDecipheriv(cipher, keyOf(secret, key), bytes.subarray(0, nonceBytes));
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const content = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]);
    const answer = JSON.parse(content.toString()) as TokenResponse;
    // Negative when the clock was set back since.
    const passedSeconds = Math.max(0, Math.ceil((core.clock.now() - at_ms) / 1000));
    return { ...answer, expires_in: Math.max(0, answer.expires_in - passedSeconds) };
  } catch {
    return undefined;
  }
}

/** Both are long and random, so a plain hash is enough to derive the key. */
function keyOf(secret: string, key: string): Buffer {
  return hash('sha256', `${secret} ${key}`, 'buffer');
}
