import { limits } from '../../../../model/limits/limits.ts';
import type { TokenResponse } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { DeviceCodeRecord } from '../../../store/records.ts';
import { hashSecret } from '../../../support/secret.ts';
import { findHolding, type Parties } from '../authorize/authorization-records.ts';
import { deviceScope } from '../device/device-code.ts';
import { type AuthenticatedClient, type Form, requiredField } from './client-request.ts';
import { type OAuthRequestError, oauthFaults } from './oauth-request-error.ts';
import { type SignInGrantDeps, signInBy } from './sign-in-grant.ts';
import { issuePair } from './tokens.ts';

/**
 * Grant `urn:ietf:params:oauth:grant-type:device_code`: once the user has approved, the device exchanges its code for
 * an access and a refresh token, once.
 *
 * Unspecified: the first poll may come immediately; only a device that still waits gets `slow_down`, and an answer is
 * never held back; a code that is used again is rejected, and its tokens stay valid.
 *
 * @throws OAuthRequestError `authorization_pending`, `slow_down`, `expired_token`, `access_denied`, `invalid_grant`;
 *   RequestError those of {@link ProvisionalMerges}
 * @see docs/spec/oauth2.md#devices; RFC 8628, section 3.5
 */
export async function redeemDevice(
  core: Core,
  deps: SignInGrantDeps,
  client: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  const { application } = client;
  const record = await core.store.get('device_codes', hashSecret(requiredField(form, 'device_code')));
  if (!record || record.application_id !== application.id || record.redeemed) throw oauthFaults.deviceCode();
  if (record.expires_at_ms <= core.clock.now()) throw oauthFaults.expiredToken();
  if (record.state === 'denied') throw oauthFaults.denied();
  if (!isGranted(record)) throw await poll(core, record);
  const response = await signInBy(core, deps, {
    client,
    form,
    subject: { ...record, nonce: null },
    guards: [deviceScope(record.hash)],
    redeem: transaction => redeem(core, transaction, record),
  });
  if (!response) throw oauthFaults.deviceCode();
  return response;
}

type GrantedRecord = DeviceCodeRecord & Parties & { readonly authorization_id: string };

function isGranted(record: DeviceCodeRecord): record is GrantedRecord {
  return record.state === 'granted' && record.user_id !== null && record.authorization_id !== null;
}

/** Records a poll that came before the user's answer. @returns the error for the device */
async function poll(core: Core, { hash }: DeviceCodeRecord): Promise<OAuthRequestError> {
  return core.store.transact(deviceScope(hash), async transaction => {
    const record = await transaction.get('device_codes', hash);
    if (!record) return oauthFaults.expiredToken();
    const nowMs = core.clock.now();
    const { polled_at_ms, interval_ms } = record;
    const sinceMs = polled_at_ms === null ? interval_ms : nowMs - polled_at_ms;
    // A negative time means that the clock was set back since; the poll then does not count as too early.
    const isEarly = sinceMs >= 0 && sinceMs < interval_ms;
    const slowedMs = isEarly ? interval_ms + limits.devicePollIntervalMs : interval_ms;
    transaction.put('device_codes', { ...record, polled_at_ms: nowMs, interval_ms: slowedMs });
    return isEarly ? oauthFaults.slowDown() : oauthFaults.pending();
  });
}

/** @returns undefined when the code was used, or the user has ended the authorization */
async function redeem(
  core: Core,
  transaction: Transaction,
  { hash, authorization_id }: GrantedRecord,
): Promise<TokenResponse | undefined> {
  const record = await transaction.get('device_codes', hash);
  const authorization = await findHolding(transaction, authorization_id);
  if (!record || record.redeemed || !authorization) return undefined;
  transaction.put('device_codes', { ...record, redeemed: true });
  return issuePair(core, transaction, { authorization, grantId: hash, scopes: record.scopes });
}
