import type { JSONWebKeySet, JWTPayload, ProtectedHeaderParameters } from 'jose';
import type { Clock } from '../../../../wire/clock/ports.ts';
import type { IdTokenProvider } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { loadJose } from '../openid/signed-tokens.ts';
import { type ExternalIdentity, identityOf, isExternalUserId } from './identity.ts';
import type { ProviderKeys } from './provider-keys.ts';

/** The signature algorithms that external ID tokens may have. */
const algorithms = ['RS256', 'ES256'];

/** Unspecified: how far a provider's clock may be ahead of this one. */
const clockSkewSeconds = 60;

/**
 * Verifies an ID token of a provider. A token with wrong claims is rejected before the provider's keys are requested.
 *
 * @throws RequestError `invalid_identity_token`, `identity_token_without_key_id`, `identity_token_wrong_issuer`,
 *   `identity_token_wrong_audience`, `identity_token_expired`, `identity_token_too_old`, and those of {@link
 *   ProviderKeys}
 * @see docs/spec/oauth2.md#external-identities; https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
export async function verifyIdentityToken(
  clock: Clock,
  keys: ProviderKeys,
  provider: IdTokenProvider,
  token: string,
): Promise<ExternalIdentity> {
  const { header, claims } = await read(token);
  if (typeof header.kid !== 'string' || header.kid === '') throw new RequestError('identity_token_without_key_id');
  if (!algorithms.includes(String(header.alg))) throw new RequestError('invalid_identity_token');
  checkClaims(claims, provider, clock.now());
  const subject = readSubject(claims);
  await verifySignature(clock, keys, provider, token);
  return identityOf({ type: provider.type, realm: provider.issuer, subject, name: claims.preferred_username });
}

async function read(token: string): Promise<{ header: ProtectedHeaderParameters; claims: JWTPayload }> {
  const { decodeJwt, decodeProtectedHeader } = await loadJose();
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    throw new RequestError('invalid_identity_token');
  }
}

function checkClaims(claims: JWTPayload, provider: IdTokenProvider, nowMs: number): void {
  const { iss, exp, iat } = claims;
  if (iss !== provider.issuer) throw new RequestError('identity_token_wrong_issuer');
  if (!isFor(claims, provider)) throw new RequestError('identity_token_wrong_audience');
  if (typeof exp !== 'number' || typeof iat !== 'number') throw new RequestError('invalid_identity_token');
  // Whole seconds, like the times in the token.
  const nowSeconds = Math.floor(nowMs / 1000);
  if (exp <= nowSeconds) throw new RequestError('identity_token_expired');
  if (nowSeconds - iat > serviceLimits.identityTokenAgeMaxMs / 1000) throw new RequestError('identity_token_too_old');
  if (iat - nowSeconds > clockSkewSeconds) throw new RequestError('invalid_identity_token');
}

/**
 * Whether the token is for the configured audience and was issued at its request: a token for several audiences may
 * have been requested by any of them.
 *
 * Deviation: Unity's tokens list several audiences and never name the requester, so `azp` may be missing there.
 */
function isFor({ aud, azp }: JWTPayload, { type, audience }: IdTokenProvider): boolean {
  const audiences = [aud].flat();
  if (!audiences.includes(audience)) return false;
  const mayBeSilent = audiences.length === 1 || type === 'UNITY_SERVICES_ID_TOKEN';
  return azp === undefined ? mayBeSilent : azp === audience;
}

function readSubject({ sub }: JWTPayload): string {
  if (!isExternalUserId(sub)) throw new RequestError('invalid_identity_token');
  return sub;
}

async function verifySignature(
  clock: Clock,
  keys: ProviderKeys,
  provider: IdTokenProvider,
  token: string,
): Promise<void> {
  const kept = await keys.of(provider);
  if (await isSignedBy(clock, kept, token)) return;
  const renewed = await keys.renewed(provider);
  if (!renewed || !(await isSignedBy(clock, renewed, token))) throw new RequestError('invalid_identity_token');
}

/** False when none of these keys is the one that the token names. */
async function isSignedBy(clock: Clock, keys: JSONWebKeySet, token: string): Promise<boolean> {
  const { createLocalJWKSet, errors, jwtVerify } = await loadJose();
  try {
    await jwtVerify(token, createLocalJWKSet(keys), { algorithms, currentDate: new Date(clock.now()) });
    return true;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return false;
    const isKeysFault = error instanceof errors.JWKSInvalid || !(error instanceof errors.JOSEError);
    throw new RequestError(isKeysFault ? 'invalid_identity_keys' : 'invalid_identity_token');
  }
}
