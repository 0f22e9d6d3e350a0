import { limits } from '../../../model/limits/limits.ts';
import type { TokenResponse } from '../../../model/oauth.ts';
import type { ApplicationId } from '../../../model/snowflake.ts';
import { randomToken } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { AuthorizationRecord, TokenRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';
import { hashSecret } from '../../support/secret.ts';

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
}

/** Stores a new access token and returns the token response. */
export function issueAccess(core: Core, transaction: Transaction, grant: TokenGrant): TokenResponse {
  const access = createSecret(core);
  const expires_at_ms = core.clock.now() + limits.accessTokenLifeMs;
  put(transaction, access, { ...ownersOf(grant), kind: 'access', scopes: grant.scopes, expires_at_ms });
  return tokenAnswer(access, grant.scopes);
}

/** The record of a valid access token. @throws RequestError `invalid_access_token` */
export async function requireAccessToken({ store, clock }: Core, secret: string): Promise<TokenRecord> {
  const token = await store.get('tokens', hashSecret(secret));
  const isLive = token?.kind === 'access' && (token.expires_at_ms ?? 0) > clock.now();
  const user = isLive && (await store.get('users', token.user_id ?? ''));
  if (!user || user.banned) throw new RequestError('invalid_access_token');
  return token;
}

/** The fields of a token that name its owner. */
export function ownersOf({ authorization: { id, application_id, user_id }, grantId }: TokenGrant) {
  return { authorization_id: id, grant_id: grantId, application_id, user_id };
}

/** Stores a new token of the application itself and returns the token response. */
export function issueApplicationToken(
  core: Core,
  transaction: Transaction,
  applicationId: ApplicationId,
  scopes: readonly string[],
): TokenResponse {
  const secret = createSecret(core);
  put(transaction, secret, {
    kind: 'application',
    authorization_id: null,
    grant_id: null,
    application_id: applicationId,
    user_id: null,
    scopes,
    expires_at_ms: core.clock.now() + limits.accessTokenLifeMs,
  });
  return tokenAnswer(secret, scopes);
}

function put(transaction: Transaction, secret: string, token: Omit<TokenRecord, 'hash'>): void {
  transaction.put('tokens', { hash: hashSecret(secret), ...token });
}

/** The token response. */
export function tokenAnswer(
  secret: string,
  scopes: readonly string[],
  expires_in: number = limits.accessTokenLifeMs / 1000,
): TokenResponse {
  return { token_type: 'Bearer', access_token: secret, expires_in, scope: scopes.join(' ') };
}
