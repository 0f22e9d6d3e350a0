import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { expandScopes, type TokenResponse } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { TokenRecord, UsedRefreshToken } from '../../../store/records.ts';
import { hashSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { authorizationScope, endGrant, findHolding, type Parties } from '../authorize/authorization-records.ts';
import { requireScopes } from '../authorize/scope-rules.ts';
import type { IdTokens } from '../openid/signed-tokens.ts';
import { type AuthenticatedClient, type Form, field, requiredField, scopesIn } from './client-request.ts';
import { oauthFaults } from './oauth-request-error.ts';
import {
  createRefreshToken,
  findRefreshToken,
  isCurrent,
  isPrevious,
  issueAccess,
  putRefreshToken,
  type TokenGrant,
} from './tokens.ts';

/** A refresh token, with the user and the application that every token of an authorization names. */
type RefreshToken = TokenRecord & Parties & { readonly grant_id: string };

/**
 * Grant `refresh_token`: a new pair of tokens replaces the old one, which ends. Of several refreshes with one token,
 * one succeeds.
 *
 * A used token that comes again shows that two parties have it, one of whom may be a thief: all tokens of the grant
 * end (RFC 9700, section 4.14.2).
 *
 * Unspecified: windows and processes of one game refresh at the same moment, so a request that is late by less than
 * {@link serviceLimits.refreshGraceMs}, before the new pair was refreshed in turn, is only rejected. A client may
 * also name its request by an `idempotency_key`. It then gets the same answer again until the new pair is refreshed,
 * so that a process that dies before it has stored the answer does not sign its player out.
 *
 * @throws OAuthRequestError `invalid_grant`; `invalid_scope` when more is requested than was granted;
 *   `invalid_request`
 * @see docs/spec/oauth2.md#tokens; RFC 6749, section 3.2
 */
export async function refresh(
  core: Core,
  idTokens: IdTokens,
  { application }: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  const request: RefreshRequest = { secret: requiredField(form, 'refresh_token'), key: readKey(form) };
  const token = await findRefreshToken(core.store, request.secret);
  if (!isRefreshToken(token) || token.application_id !== application.id) throw oauthFaults.refreshToken();
  const accessScopes = validateScopes(form, token.scopes);
  const rotation = await core.store.transact(authorizationScope(token), transaction =>
    rotate(core, transaction, request, accessScopes),
  );
  if (rotation === 'reused') {
    const { application_id, user_id } = token;
    core.log.warn(
      { application_id, user_id },
      'A refresh token was used a second time: all tokens of its grant were revoked.',
    );
  }
  if (typeof rotation === 'string') throw oauthFaults.refreshToken();
  return idTokens.add(rotation, { ...token, nonce: null });
}

function isRefreshToken(token: TokenRecord | undefined): token is RefreshToken {
  return (
    token?.kind === 'refresh' && token.application_id !== null && token.user_id !== null && token.grant_id !== null
  );
}

/** A refresh may narrow the scopes, an umbrella scope to some of its parts. @see RFC 6749, section 6 */
function validateScopes(form: Form, granted: readonly string[]): readonly string[] {
  if (field(form, 'scope') === undefined) return granted;
  const open = expandScopes(granted);
  return requireScopes(scopesIn(form), scope => open.has(scope));
}

// Too long to be guessed, and too short to fill the store.
const { idempotencyKeyLengthMin, idempotencyKeyLengthMax } = serviceLimits;
const keyForm = new RegExp(`^[\\x21-\\x7E]{${idempotencyKeyLengthMin},${idempotencyKeyLengthMax}}$`);

function readKey(form: Form): string | undefined {
  const key = field(form, 'idempotency_key');
  if (key !== undefined && !keyForm.test(key)) throw oauthFaults.invalid('idempotency_key');
  return key;
}

/** The result of a refresh. `reused`: another party has a token of the family, and the whole family has ended. */
type Rotation = TokenResponse | 'reused' | 'refused';

async function rotate(
  core: Core,
  transaction: Transaction,
  request: RefreshRequest,
  accessScopes: readonly string[],
): Promise<Rotation> {
  const token = await findRefreshToken(transaction, request.secret);
  if (!isRefreshToken(token) || isOver(core, token)) return 'refused';
  const authorization = await findHolding(transaction, token.authorization_id);
  if (!authorization) return 'refused';
  if (isCurrent(token, request.secret)) {
    const { grant_id: grantId, scopes, signed_in_at_ms: signedInAtMs } = token;
    await endGrant(transaction, grantId);
    return replace(core, transaction, { authorization, grantId, scopes, signedInAtMs }, request, accessScopes);
  }
  const { previous } = token;
  if (previous && isPrevious(token, request.secret)) {
    const answer = openAnswer(core, request, previous);
    if (answer) return answer;
    if (core.clock.now() - previous.at_ms < serviceLimits.refreshGraceMs) return 'refused';
  }
  await endGrant(transaction, token.grant_id);
  return 'reused';
}

async function replace(
  core: Core,
  transaction: Transaction,
  grant: TokenGrant,
  request: RefreshRequest,
  accessScopes: readonly string[],
): Promise<TokenResponse> {
  const secret = createRefreshToken(core, request.secret);
  const access = await issueAccess(core, transaction, { ...grant, scopes: accessScopes });
  const response = { ...access, refresh_token: secret };
  putRefreshToken(core, transaction, { secret, grant, previous: useOf(core, request, response) });
  return response;
}

function isOver({ clock }: Core, { expires_at_ms }: TokenRecord): boolean {
  return expires_at_ms !== null && expires_at_ms <= clock.now();
}

/** What identifies a refresh request. */
interface RefreshRequest {
  /** The refresh token. */
  readonly secret: string;
  /** The client's idempotency key, which nobody can guess. */
  readonly key: string | undefined;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * What is stored of a used refresh token. If the request had an idempotency key, that includes the answer for a
 * client that repeats the request, encrypted with a key from the request, because the store keeps no readable tokens.
 */
function useOf(core: Core, { secret, key }: RefreshRequest, answer: TokenResponse): UsedRefreshToken {
  const used = { hash: hashSecret(secret), at_ms: core.clock.now() };
  if (key === undefined) return used;
  const nonce = core.entropy.bytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(secret, key), nonce);
  const content = Buffer.concat([sealing.update(JSON.stringify(answer)), sealing.final()]);
  return { ...used, sealed: Buffer.concat([nonce, sealing.getAuthTag(), content]).toString('base64url') };
}

/** @returns undefined unless this repeats the answered request */
function openAnswer(
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
