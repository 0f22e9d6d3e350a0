import { limits } from '../../model/limits.ts';
import type { TokenResponse } from '../../model/oauth.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import { randomToken } from '../../wire/ports.ts';
import type { Core } from '../core.ts';
import { hashSecret } from '../secret.ts';
import type { Transaction } from '../store/contract.ts';
import type { AuthorizationRecord, TokenRecord } from '../store/records.ts';

const secretBytes = 32;

/** Makes a code, token or cookie: opaque, unguessable, 43 characters of base64url. */
export function makeSecret(core: Core): string {
  return randomToken(core.entropy, secretBytes);
}

/** What a new pair of tokens is for. */
export interface PairGrant {
  readonly authorization: AuthorizationRecord;
  /** @see TokenRecord.grant_id */
  readonly grantId: string;
  /** Of the refresh token, and of the access token unless it asked for fewer. */
  readonly scopes: readonly string[];
  readonly accessScopes?: readonly string[];
}

/** Puts a new access and refresh token into the store and gives the answer that tells them. */
export function issuePair(core: Core, transaction: Transaction, grant: PairGrant): TokenResponse {
  const { authorization, scopes, accessScopes = scopes } = grant;
  const access = makeSecret(core);
  const refresh = makeSecret(core);
  const shared = {
    authorization_id: authorization.id,
    grant_id: grant.grantId,
    application_id: authorization.application_id,
    user_id: authorization.user_id,
  };
  const expires_at_ms = core.clock.now() + limits.accessTokenLifeMs;
  put(transaction, access, { ...shared, kind: 'access', scopes: accessScopes, expires_at_ms });
  put(transaction, refresh, { ...shared, kind: 'refresh', scopes, expires_at_ms: null });
  return { ...describe(access, accessScopes), refresh_token: refresh };
}

/** Puts a new token of the application itself into the store and gives the answer that tells it. */
export function issueApplicationToken(
  core: Core,
  transaction: Transaction,
  applicationId: ApplicationId,
  scopes: readonly string[],
): TokenResponse {
  const secret = makeSecret(core);
  put(transaction, secret, {
    kind: 'application',
    authorization_id: null,
    grant_id: null,
    application_id: applicationId,
    user_id: null,
    scopes,
    expires_at_ms: core.clock.now() + limits.accessTokenLifeMs,
  });
  return describe(secret, scopes);
}

function put(transaction: Transaction, secret: string, token: Omit<TokenRecord, 'hash'>): void {
  transaction.put('tokens', { hash: hashSecret(secret), ...token });
}

function describe(secret: string, scopes: readonly string[]): TokenResponse {
  return {
    token_type: 'Bearer',
    access_token: secret,
    expires_in: limits.accessTokenLifeMs / 1000,
    scope: scopes.join(' '),
  };
}
