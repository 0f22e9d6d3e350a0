import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { subjectOf, type TokenSet } from '../auth/token-set.ts';

/** The part of a token set that is kept. */
export type KeptTokens = Pick<TokenSet, 'accessToken' | 'refreshToken' | 'scopes' | 'expiresAtMs' | 'idToken'>;

/** A player's sign-in, as the keychain keeps it for all processes of the game. */
export interface StoredCredential {
  /** Counts sign-ins and refreshes: tells log lines apart, and no more. */
  readonly generation: number;
  readonly applicationId: string;
  readonly accessToken: string;
  /** Absent where the service gave none: then the credential ends with its access token. */
  readonly refreshToken?: string;
  readonly scopes: string;
  /** Whose it is. Absent where no ID token said so. */
  readonly userId?: string;
  /** In milliseconds since the Unix epoch, as are the others. */
  readonly receivedAtMs: number;
  readonly expiresAtMs: number;
  /**
   * A refresh that was begun: written before it is sent. Found later, it tells that the answer was lost (the process
   * died, the line broke), and the same refresh is repeated with the same key.
   */
  readonly attempt?: RefreshAttempt;
}

export interface RefreshAttempt {
  /** @see RefreshOptions.idempotencyKey */
  readonly key: string;
  readonly sinceMs: number;
}

/** What a new answer of the service makes of what was kept before. */
export function credentialOf(
  tokens: KeptTokens,
  before: { readonly generation: number; readonly applicationId: string } & Partial<StoredCredential>,
  receivedAtMs: number,
): StoredCredential {
  // A service may leave out what has not changed. @see RFC 6749, section 5.1; RFC 6749, section 6
  const refreshToken = tokens.refreshToken ?? before.refreshToken;
  const userId = subjectOf(tokens.idToken) ?? before.userId;
  return Object.freeze({
    generation: before.generation + 1,
    applicationId: before.applicationId,
    accessToken: tokens.accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    scopes: tokens.scopes === '' ? (before.scopes ?? '') : tokens.scopes,
    ...(userId === undefined ? {} : { userId }),
    receivedAtMs,
    expiresAtMs: tokens.expiresAtMs,
  });
}

// Raised when an older version of this package could not read what a newer one keeps.
const format = 1;

export function encodeCredential(credential: StoredCredential): string {
  return JSON.stringify({ format, ...credential });
}

/** @returns undefined when the text is none, or of another application or format */
export function decodeCredential(text: string, applicationId: string): StoredCredential | undefined {
  const fields = asRecord(parseJson(text));
  if (fields?.format !== format || fields.applicationId !== applicationId) return undefined;
  const { generation, accessToken, refreshToken, scopes, userId, receivedAtMs, expiresAtMs, attempt } = fields;
  const isSound =
    isTime(generation) &&
    isText(accessToken) &&
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
