import type { TokenEndpointResponse } from 'openid-client';
import type { ArgumentErrorCode } from '../../model/errors/error-codes.ts';
import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import { isCredential } from '../../wire/arguments.ts';

/** The tokens of a player who signed in. Frozen. @see docs/spec/client.md#snapshots */
export interface TokenSet {
  readonly accessToken: string;
  /** Works once: store the newest one. Absent for provisional and child tokens. */
  readonly refreshToken?: string | undefined;
  readonly tokenType: 'Bearer';
  /** In seconds, from the answer on. */
  readonly expiresInSeconds: number;
  /** When the access token expires, in milliseconds since the Unix epoch. Counted from the request, so it is never too late. */
  readonly expiresAtMs: number;
  /** The granted scopes, separated by spaces. */
  readonly scopes: string;
  /** Its issuer, audience, times and nonce have been checked. Present when `openid` was granted. */
  readonly idToken?: string | undefined;
}

/** The part of a token answer that is read, from the token endpoint and for provisional and child tokens. */
export type TokenAnswer = Pick<
  TokenEndpointResponse,
  'access_token' | 'expires_in' | 'scope' | 'refresh_token' | 'id_token'
>;

// The last instant of a Date. Infinity could not be stored as JSON.
const timeMsMax = 8.64e15;

/**
 * @param requestedAtMs when the request was sent
 * @throws TransportError `unreadable_answer`: the access token cannot be sent
 */
export function readTokens(answer: TokenAnswer, requestedAtMs: number): TokenSet {
  if (!isCredential(answer.access_token)) {
    throw new TransportError(
      'unreadable_answer',
      "The access token in the service's answer cannot be sent in a header.",
    );
  }
  const expiresInSeconds = answer.expires_in ?? limits.accessTokenLifeMs / 1000;
  return Object.freeze({
    accessToken: answer.access_token,
    tokenType: 'Bearer' as const,
    expiresInSeconds,
    expiresAtMs: Math.min(requestedAtMs + expiresInSeconds * 1000, timeMsMax),
    scopes: answer.scope ?? '',
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
    ...(answer.id_token === undefined ? {} : { idToken: answer.id_token }),
  });
}

/** The user that an ID token names, or undefined when it cannot be read. The signature is not checked. */
export function subjectOf(idToken: string | undefined): string | undefined {
  const [, claims = ''] = idToken?.split('.') ?? [];
  try {
    const { sub } = Object(JSON.parse(Buffer.from(claims, 'base64url').toString())) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** @throws ArgumentError `code` when the value is not a non-empty text */
export function requireText(name: string, value: unknown, code: ArgumentErrorCode): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ArgumentError(code, `${name} is missing: pass a non-empty string.`);
}
