import type { TokenEndpointResponse } from 'openid-client';
import { limits } from '../../model/limits/limits.ts';

/** What the game holds after signing a player in. Frozen. @see docs/spec/client.md#snapshots */
export interface TokenSet {
  readonly accessToken: string;
  /** Works once: keep the newest. Absent where the server gives none: provisional and child tokens. */
  readonly refreshToken?: string;
  readonly tokenType: 'Bearer';
  /** Seconds from the answer on. */
  readonly expiresInSeconds: number;
  /** The same as an instant, in milliseconds since the Unix epoch. Counted from the request, so never too late. */
  readonly expiresAtMs: number;
  /** Space-separated, as granted. */
  readonly scopes: string;
  /** Issuer, audience, times and nonce have been checked. Present when `openid` was granted. */
  readonly idToken?: string;
}

/** The part of a token answer that is read: the same at the token endpoint and for provisional and child tokens. */
export type TokenAnswer = Pick<
  TokenEndpointResponse,
  'access_token' | 'expires_in' | 'scope' | 'refresh_token' | 'id_token'
>;

/** @param askedAtMs when the request left */
export function readTokens(answer: TokenAnswer, askedAtMs: number): TokenSet {
  const expiresInSeconds = answer.expires_in ?? limits.accessTokenLifeMs / 1000;
  return Object.freeze({
    accessToken: answer.access_token,
    tokenType: 'Bearer' as const,
    expiresInSeconds,
    expiresAtMs: askedAtMs + expiresInSeconds * 1000,
    scopes: answer.scope ?? '',
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
    ...(answer.id_token === undefined ? {} : { idToken: answer.id_token }),
  });
}

/** Whom an ID token names; undefined when it cannot be read. It says so, no more: its signature is not looked at. */
export function subjectOf(idToken: string | undefined): string | undefined {
  const [, claims = ''] = idToken?.split('.') ?? [];
  try {
    const { sub } = Object(JSON.parse(Buffer.from(claims, 'base64url').toString())) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}
