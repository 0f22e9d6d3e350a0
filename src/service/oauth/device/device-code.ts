import { limits } from '../../../model/limits/limits.ts';
import { devicePagePath } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import type { DeviceCodeRecord } from '../../store/records.ts';
import { hashSecret } from '../../support/secret.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { mayRequestOnDevice, requireScopes } from '../authorize/scope-rules.ts';
import type { AuthenticatedClient } from '../token/client-authentication.ts';
import { type Form, scopesIn } from '../token/form.ts';
import { makeSecret } from '../token/tokens.ts';
import { makeUserCode } from './user-code.ts';

/** Answer to a device that wants to be signed in. @see docs/spec/oauth2.md#devices */
export interface DeviceAuthorization {
  /** To poll with. */
  device_code: string;
  /** For the person to type in. */
  user_code: string;
  verification_uri: string;
  /** The same with the code in it, to be shown as a picture. */
  verification_uri_complete: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds between two polls. */
  interval: number;
}

/** All that happens to a device's code happens within this scope. */
export function deviceScope(hash: string): string {
  return `device/${hash}`;
}

/**
 * Gives a device its two codes, good for {@link serviceLimits.deviceCodeLifeMs}.
 *
 * @throws OAuthRequestError `invalid_scope`
 * @see docs/spec/oauth2.md#devices; RFC 8628, section 3.1; RFC 8628, section 3.2
 */
export async function startDevice(
  core: Core,
  { application }: AuthenticatedClient,
  form: Form,
): Promise<DeviceAuthorization> {
  const scopes = requireScopes(scopesIn(form), scope => mayRequestOnDevice(scope, application));
  const deviceCode = makeSecret(core);
  const userCode = await putCode(core, {
    hash: hashSecret(deviceCode),
    application_id: application.id,
    scopes,
    state: 'pending',
    user_id: null,
    authorization_id: null,
    redeemed: false,
    interval_ms: limits.devicePollIntervalMs,
    polled_at_ms: null,
    expires_at_ms: core.clock.now() + serviceLimits.deviceCodeLifeMs,
  });
  const page = core.addresses.web + devicePagePath;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: serviceLimits.deviceCodeLifeMs / 1000,
    interval: limits.devicePollIntervalMs / 1000,
  };
}

/** Keeps the record under a user code that no other device has now. @returns that code */
async function putCode(core: Core, record: Omit<DeviceCodeRecord, 'user_code_hash'>): Promise<string> {
  for (;;) {
    const userCode = makeUserCode(core.entropy);
    const user_code_hash = hashSecret(userCode);
    const kept = await core.store.transact(`user-code/${user_code_hash}`, async transaction => {
      if (await findDeviceCode(transaction, userCode, core.clock.now())) return false;
      transaction.put('device_codes', { ...record, user_code_hash });
      return true;
    });
    if (kept) return userCode;
  }
}

/** The record that a user code leads to; undefined when there is none, or it is over. */
export async function findDeviceCode(
  view: StoreView,
  userCode: string,
  nowMs: number,
): Promise<DeviceCodeRecord | undefined> {
  const found = await view.list('device_codes', { index: 'byUserCode', equals: [hashSecret(userCode)] });
  return found.find(({ expires_at_ms }) => expires_at_ms > nowMs);
}
