import { limits } from '../../../../model/limits/limits.ts';
import type { TokenResponse } from '../../../../model/oauth.ts';
import { type ApplicationId, compareSnowflakes } from '../../../../model/snowflake.ts';
import { randomToken } from '../../../../wire/clock/ports.ts';
import type { Core } from '../../../core.ts';
import type { ListQuery, StoreView, Transaction } from '../../../store/contract.ts';
import type { AuthorizationRecord, TokenRecord, UsedRefreshToken } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { hashSecret, isSameSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { endToken, findHolding } from '../authorize/authorization-records.ts';

const secretBytes = 32;

/** Creates a code, token or cookie: opaque, unguessable, 43 characters of base64url. */
export function createSecret(core: Core): string {
  return randomToken(core.entropy, secretBytes);
}

/** What new tokens of a user are issued for. */
export interface TokenGrant {
  readonly authorization: AuthorizationRecord;
  /** @see TokenRecord.grant_id */
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** When the user signed in, for the ID tokens of refreshes. */
  readonly signedInAtMs?: number | undefined;
}

/**
 * Ends the oldest tokens of an owner until there is room for another one.
 *
 * @param isCounted which of the owner's tokens count together
 */
export async function makeRoom(
  transaction: Transaction,
  owner: Pick<ListQuery<'tokens'>, 'index' | 'equals'>,
  max: number,
  isCounted: (token: TokenRecord) => boolean,
): Promise<void> {
  // Earlier versions knew no bound, so more may be stored than a transaction should read: then some end with each new one.
  const held = (await transaction.list('tokens', { ...owner, limit: tokensReadMax })).filter(isCounted);
  const oldestFirst = held.toSorted((a, b) => compareSnowflakes(a.serial ?? '0', b.serial ?? '0'));
  for (const token of oldestFirst.slice(0, Math.max(0, held.length - max + 1))) endToken(transaction, token);
}

const tokensReadMax = 500;

/** Stores a new access token and returns the token response. @param endsAtMs when it ends, instead of after its usual life */
export async function issueAccess(
  core: Core,
  transaction: Transaction,
  grant: TokenGrant,
  endsAtMs?: number,
): Promise<TokenResponse> {
  const access = createSecret(core);
  const { id, application_id } = grant.authorization;
  await makeRoom(
    transaction,
    { index: 'byAuthorization', equals: [id] },
    serviceLimits.accessTokensPerAuthorizationMax,
    token => token.kind === 'access' && token.application_id === application_id,
  );
  // Read once: a millisecond later the answer would name a second less.
  const nowMs = core.clock.now();
  const expires_at_ms = endsAtMs ?? nowMs + limits.accessTokenLifeMs;
  put(core, transaction, access, { ...ownersOf(grant), kind: 'access', scopes: grant.scopes, expires_at_ms });
  return tokenAnswer(access, grant.scopes, secondsBetween(nowMs, expires_at_ms));
}

/** Whole seconds; 0 when the end is not later. */
export function secondsBetween(nowMs: number, endMs: number): number {
  return Math.max(0, Math.floor((endMs - nowMs) / 1000));
}

/** The record of a valid access token. @throws RequestError `invalid_access_token` */
export async function requireAccessToken({ store, clock }: Core, secret: string): Promise<TokenRecord> {
  const token = await store.get('tokens', hashSecret(secret));
  const isLive = token?.kind === 'access' && (token.expires_at_ms ?? 0) > clock.now();
  if (!isLive || !(await findHolding(store, token.authorization_id))) throw new RequestError('invalid_access_token');
  return token;
}

/** The fields of a token that name its owner. */
function ownersOf({ authorization: { id, application_id, user_id }, grantId }: TokenGrant) {
  return { authorization_id: id, grant_id: grantId, application_id, user_id };
}

/** Stores a new token of the application itself and returns the token response. */
export async function issueApplicationToken(
  core: Core,
  transaction: Transaction,
  applicationId: ApplicationId,
  scopes: readonly string[],
): Promise<TokenResponse> {
  const secret = createSecret(core);
  const grant = { index: 'byGrant', equals: [applicationId] } as const;
  await makeRoom(transaction, grant, serviceLimits.tokensPerApplicationMax, () => true);
  put(core, transaction, secret, {
    kind: 'application',
    authorization_id: null,
    grant_id: applicationId,
    application_id: applicationId,
    user_id: null,
    scopes,
    expires_at_ms: core.clock.now() + limits.accessTokenLifeMs,
  });
  return tokenAnswer(secret, scopes);
}

function put(
  { ids }: Core,
  transaction: Transaction,
  secret: string,
  token: Omit<TokenRecord, 'hash' | 'serial'>,
): void {
  transaction.put('tokens', { hash: hashSecret(secret), ...token, serial: ids.next() });
}

/** The token response. */
export function tokenAnswer(
  secret: string,
  scopes: readonly string[],
  expires_in: number = limits.accessTokenLifeMs / 1000,
): TokenResponse {
  return { token_type: 'Bearer', access_token: secret, expires_in, scope: scopes.join(' ') };
}

/**
 * The refresh tokens of one grant, each of which replaces the one before it, are a family. They all begin with the
 * same 132 random bits, so that one record is enough to recognize any token of the family and to tell whether it is
 * the current one. Only the holder of a token of the family knows these bits.
 *
 * @see RFC 9700, section 4.14.2
 */
const familyLength = 22;

/** Stores the first tokens of a grant and returns the token response. */
export async function issuePair(core: Core, transaction: Transaction, grant: TokenGrant): Promise<TokenResponse> {
  const secret = createRefreshToken(core);
  await makeRoom(
    transaction,
    { index: 'byAuthorization', equals: [grant.authorization.id] },
    serviceLimits.refreshTokensPerAuthorizationMax,
    ({ kind }) => kind === 'refresh',
  );
  putRefreshToken(core, transaction, { secret, grant });
  return { ...(await issueAccess(core, transaction, grant)), refresh_token: secret };
}

/** Creates a refresh token: the first of a grant, or the successor of another. */
export function createRefreshToken(core: Core, predecessor?: string): string {
  const secret = createSecret(core);
  return predecessor === undefined ? secret : predecessor.slice(0, familyLength) + secret.slice(familyLength);
}

/** Makes the token the current one of its family, until it is unused for {@link serviceLimits.refreshTokenIdleMs}. */
export function putRefreshToken(
  core: Core,
  transaction: Transaction,
  { secret, grant, previous }: { secret: string; grant: TokenGrant; previous?: UsedRefreshToken },
): void {
  transaction.put('tokens', {
    ...ownersOf(grant),
    hash: familyHash(secret),
    current_hash: hashSecret(secret),
    kind: 'refresh',
    scopes: grant.scopes,
    expires_at_ms: core.clock.now() + serviceLimits.refreshTokenIdleMs,
    serial: core.ids.next(),
    ...(grant.signedInAtMs !== undefined && { signed_in_at_ms: grant.signedInAtMs }),
    ...(previous && { previous }),
  });
}

/** The record of the token's family, or of a token from before there were families. */
export async function findRefreshToken(view: StoreView, secret: string): Promise<TokenRecord | undefined> {
  const family = await view.get('tokens', familyHash(secret));
  if (family?.current_hash !== undefined) return family;
  const token = await view.get('tokens', hashSecret(secret));
  return token?.kind === 'refresh' && token.current_hash === undefined ? token : undefined;
}

/** Whether this is the current token of the family. */
export function isCurrent({ current_hash, hash }: TokenRecord, secret: string): boolean {
  return isSameSecret(current_hash ?? hash, hashSecret(secret));
}

/** Whether this is the token that the current one replaced. */
export function isPrevious({ previous }: TokenRecord, secret: string): boolean {
  return previous !== undefined && isSameSecret(previous.hash, hashSecret(secret));
}

function familyHash(secret: string): string {
  return hashSecret(secret.slice(0, familyLength));
}
