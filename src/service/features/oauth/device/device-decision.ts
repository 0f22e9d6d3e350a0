import { integrationTypes } from '../../../../model/command.ts';
import type { DeviceResult } from '../../../../model/oauth.ts';
import type { Snowflake, UserId } from '../../../../model/snowflake.ts';
import type { AttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, DeviceCodeRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { requireAuthorizer } from '../../accounts/full-account.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import { authorizationScope, type Parties, recordGrant } from '../authorize/authorization-records.ts';
import type { Decision } from '../authorize/decision.ts';
import { deviceScope, findDeviceCode } from './device-code.ts';
import { readUserCode } from './user-code.ts';

/** A code that a user typed. */
export interface TypedCode {
  /** As typed: case, spaces and hyphens do not matter. */
  readonly userCode: string;
  /** The user who typed it; wrong codes are counted for each user. */
  readonly userId: UserId;
}

/** What a device requests. */
export interface DeviceRequest {
  readonly application: ApplicationRecord;
  /** Umbrella scopes not expanded. */
  readonly scopes: readonly string[];
  readonly state: DeviceCodeRecord['state'];
}

/** A user's answer to a device. */
export interface DeviceDecision extends TypedCode {
  readonly decision: Decision['decision'];
}

/**
 * Finds what a device requests.
 *
 * @returns undefined when no device shows this code, or the code has expired
 * @throws RequestError `rate_limited` after too many wrong codes
 */
export async function findDevice(
  core: Core,
  attempts: AttemptLimiter,
  typed: TypedCode,
): Promise<DeviceRequest | undefined> {
  const record = await guess(core, attempts, typed);
  const application = await core.store.get('applications', record?.application_id ?? '');
  return record && application && { application, scopes: record.scopes, state: record.state };
}

/**
 * Carries out the user's answer. The first answer counts; the same user may repeat it.
 *
 * @throws RequestError those of {@link requireAuthorizer}; `not_found` when no device shows this code; `bad_request`
 *   when another answer was given before; `rate_limited`
 */
export async function decideDevice(
  core: Core,
  events: AuthorizationEvents,
  attempts: AttemptLimiter,
  decision: DeviceDecision,
): Promise<void> {
  const { userId } = decision;
  await requireAuthorizer(core.store, userId, decision.decision);
  const found = await guess(core, attempts, decision);
  if (!found) throw unknownUserCode();
  const { hash, application_id } = found;
  const parties = { application_id, user_id: userId };
  const state = decision.decision === 'approve' ? 'granted' : 'denied';
  const newId = core.ids.next();
  const isNew = await core.store.transact(
    authorizationScope(parties),
    transaction => answer(transaction, { hash, parties, state, newId }),
    [deviceScope(hash)],
  );
  const application = await core.store.get('applications', application_id);
  if (!isNew || state === 'denied' || !application) return;
  // A device installs nothing, so the integration type does not matter.
  await events.authorized({
    application,
    userId,
    scopes: found.scopes,
    integrationType: integrationTypes.USER_INSTALL,
  });
}

interface Answer {
  /** The hash of the device code. */
  readonly hash: string;
  readonly parties: Parties;
  readonly state: DeviceResult;
  readonly newId: Snowflake;
}

/** @returns false when the user had given this answer already */
async function answer(transaction: Transaction, { hash, parties, state, newId }: Answer): Promise<boolean> {
  const record = await transaction.get('device_codes', hash);
  if (!record) throw unknownUserCode();
  if (record.state === state && record.user_id === parties.user_id) return false;
  if (record.state !== 'pending') throw answeredBefore();
  const granted = state === 'granted' ? await recordGrant(transaction, parties, record.scopes, newId) : undefined;
  const authorization_id = granted?.id ?? null;
  transaction.put('device_codes', { ...record, state, user_id: parties.user_id, authorization_id });
  return true;
}

function answeredBefore(): RequestError {
  return new RequestError('bad_request', {
    message: 'This code has already been answered differently. Start again on the device.',
  });
}

/** The error for a code that no device shows. */
export function unknownUserCode(): RequestError {
  return new RequestError('not_found', { message: 'This user code is unknown or has expired.' });
}

function guess(
  core: Core,
  attempts: AttemptLimiter,
  { userCode, userId }: TypedCode,
): Promise<DeviceCodeRecord | undefined> {
  return attempts.attempt(userId, async wrong => {
    const code = readUserCode(userCode);
    const record = code === undefined ? undefined : await findDeviceCode(core.store, code, core.clock.now());
    if (!record) wrong();
    return record;
  });
}

/** @see docs/spec/oauth2.md#the-page-of-a-device */
export function deviceView({ application, scopes, state }: DeviceRequest) {
  // Deviation: this service does not link accounts in both directions, so there is never a code for it.
  return { scopes, client_id: application.id, two_way_link_code: null, type: state };
}
