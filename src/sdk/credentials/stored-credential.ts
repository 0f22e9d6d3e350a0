import { isCredential } from '../../wire/arguments.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { subjectOf, type TokenSet } from '../auth/token-set.ts';

/** The part of a token set that is stored. */
export type KeptTokens = Pick<TokenSet, 'accessToken' | 'refreshToken' | 'scopes' | 'expiresAtMs' | 'idToken'>;

/** A player's sign-in, as the keychain stores it for all processes of the game. */
export interface StoredCredential {
  /** The number of sign-ins and refreshes so far. It only distinguishes log lines. */
  readonly generation: number;
  readonly applicationId: string;
  readonly accessToken: string;
  /** Absent where the service issued none: the credential then expires with its access token. */
  readonly refreshToken?: string | undefined;
  readonly scopes: string;
  /** The player. Absent without an ID token. */
  readonly userId?: string | undefined;
  /** In milliseconds since the Unix epoch, like the other times. */
  readonly receivedAtMs: number;
  readonly expiresAtMs: number;
  /**
   * A refresh that was begun; written before the request is sent. If it is still there later, the answer was lost (the process
   * died, the connection broke), and the same request is repeated with the same key.
   */
  readonly attempt?: RefreshAttempt | undefined;
}

export interface RefreshAttempt {
  /** @see RefreshOptions.idempotencyKey */
  readonly key: string;
  readonly sinceMs: number;
}

/** The credential that an answer of the token endpoint results in. */
export function credentialOf(
  tokens: KeptTokens,
  before: { readonly generation: number; readonly applicationId: string } & Partial<StoredCredential>,
  receivedAtMs: number,
): StoredCredential {
  // A service may omit what has not changed. @see RFC 6749, section 5.1; RFC 6749, section 6
  const refreshToken = tokens.refreshToken ?? before.refreshToken;
  const userId = subjectOf(tokens.idToken) ?? before.userId;
  return Object.freeze({
    generation: before.generation + 1,
    applicationId: before.applicationId,
    accessToken: tokens.accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    scopes: tokens.scopes || (before.scopes ?? ''),
    ...(userId === undefined ? {} : { userId }),
    receivedAtMs,
    expiresAtMs: tokens.expiresAtMs,
  });
}

// Raised when an older version of this package could not read what a newer one writes.
const format = 1;

export function encodeCredential(credential: StoredCredential): string {
  return JSON.stringify({ format, ...credential });
}

/** @returns undefined for damaged text, another application and an unknown format */
export function decodeCredential(text: string, applicationId: string): StoredCredential | undefined {
  const fields = asRecord(parseJson(text));
  if (fields?.format !== format || fields.applicationId !== applicationId) return undefined;
  const { generation, accessToken, refreshToken, scopes, userId, receivedAtMs, expiresAtMs, attempt } = fields;
  const isSound =
    isTime(generation) &&
    isCredential(accessToken) &&
    typeof scopes === 'string' &&
    isTime(receivedAtMs) &&
    isTime(expiresAtMs);
  if (!isSound || !(refreshToken === undefined || isText(refreshToken))) return undefined;
  const begun = readAttempt(attempt);
  return Object.freeze({
    generation,
    applicationId,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    scopes,
    ...(isText(userId) && { userId }),
    receivedAtMs,
    expiresAtMs,
    ...(begun && { attempt: begun }),
  });
}

function readAttempt(value: unknown): RefreshAttempt | undefined {
  const { key, sinceMs } = asRecord(value) ?? {};
  return isText(key) && isTime(sinceMs) ? { key, sinceMs } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
