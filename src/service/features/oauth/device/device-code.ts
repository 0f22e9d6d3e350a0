import { limits } from '../../../../model/limits/limits.ts';
import { devicePagePath } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { DeviceCodeRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { hashSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { mayRequestOnDevice, requireScopes } from '../authorize/scope-rules.ts';
import { type AuthenticatedClient, type Form, scopesIn } from '../token/client-request.ts';
import { createSecret } from '../token/tokens.ts';
import { createUserCode } from './user-code.ts';

/** Answer to a device that requests sign-in. @see docs/spec/oauth2.md#devices */
export interface DeviceAuthorization {
  /** The device polls the token endpoint with it. */
  device_code: string;
  /** The code that the user types. */
  user_code: string;
  verification_uri: string;
  /** The same address with the code in it, to be shown as a QR code. */
  verification_uri_complete: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds between two polls. */
  interval: number;
}

/** Everything that concerns a device's code changes within this store scope. */
export function deviceScope(hash: string): string {
  return `device/${hash}`;
}

/**
 * Issues the two codes of a device, valid for {@link serviceLimits.deviceCodeLifeMs}.
 *
 * @throws OAuthRequestError `invalid_scope`; RequestError `rate_limited`
 * @see docs/spec/oauth2.md#devices; RFC 8628, section 3.1; RFC 8628, section 3.2
 */
export async function startDevice(
  core: Core,
  { application, address }: AuthenticatedClient,
  form: Form,
): Promise<DeviceAuthorization> {
  const scopes = requireScopes(scopesIn(form), scope => mayRequestOnDevice(scope, application));
  await countRequest(core, `${application.id}/${address}`);
  const deviceCode = createSecret(core);
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

/** Anybody can request codes for a public client, so they are bounded by address. @throws RequestError `rate_limited` */
async function countRequest({ bus, clock, limits: { buckets } }: Core, who: string): Promise<void> {
  const limit = buckets['oauth-device'];
  const state = limit && (await bus.count(`oauth-device/${who}`, limit));
  if (!state || state.allowed) return;
  const retry_after = Math.max(0, state.resetAtMs - clock.now()) / 1000;
  throw new RequestError('rate_limited', { retry_after, global: false });
}

/** Stores the record under a user code that no other device has. @returns that code */
async function putCode(core: Core, record: Omit<DeviceCodeRecord, 'user_code_hash'>): Promise<string> {
  for (;;) {
    const userCode = createUserCode(core.entropy);
    const user_code_hash = hashSecret(userCode);
    const kept = await core.store.transact(`user-code/${user_code_hash}`, async transaction => {
      if (await findDeviceCode(transaction, userCode, core.clock.now())) return false;
      transaction.put('device_codes', { ...record, user_code_hash });
      return true;
    });
    if (kept) return userCode;
  }
}

/** The record of a user code; undefined when there is none, or it has expired. */
export async function findDeviceCode(
  view: StoreView,
  userCode: string,
  nowMs: number,
): Promise<DeviceCodeRecord | undefined> {
  const found = await view.list('device_codes', { index: 'byUserCode', equals: [hashSecret(userCode)] });
  return found.find(({ expires_at_ms }) => expires_at_ms > nowMs);
}
