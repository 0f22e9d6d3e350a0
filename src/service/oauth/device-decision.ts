import { integrationTypes } from '../../model/command.ts';
import type { UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { requireAuthorizer } from '../domain/full-account.ts';
import { Fault } from '../fault.ts';
import type { ApplicationRecord, DeviceCodeRecord } from '../store/records.ts';
import type { AuthorizationEvents } from './authorization-events.ts';
import { authorizationScope, recordGrant } from './authorization-records.ts';
import type { Decision } from './decision.ts';
import { deviceScope, findDeviceCode } from './device-code.ts';
import type { Guesses } from './guesses.ts';
import { readUserCode } from './user-code.ts';

/** A code that a user typed in. */
export interface TypedCode {
  /** As typed: case, blanks and hyphens do not matter. */
  readonly userCode: string;
  /** Who typed it in: wrong codes are counted for each user. */
  readonly userId: UserId;
}

/** What a device asks its user for. */
export interface DeviceRequest {
  readonly application: ApplicationRecord;
  /** Umbrellas not expanded. */
  readonly scopes: readonly string[];
  readonly state: DeviceCodeRecord['state'];
}

/** What a user answers to a device. */
export interface DeviceDecision extends TypedCode {
  readonly decision: Decision['decision'];
}

/**
 * Finds what a device asks for.
 *
 * @returns undefined when no device shows this code, or it is over
 * @throws Fault `rate_limited` after too many wrong codes
 */
export async function findDevice(core: Core, guesses: Guesses, typed: TypedCode): Promise<DeviceRequest | undefined> {
  const record = await guess(core, guesses, typed);
  const application = await core.store.get('applications', record?.application_id ?? '');
  return record && application && { application, scopes: record.scopes, state: record.state };
}

/**
 * Carries out the user's answer. The first answer stands; the same user may give it again.
 *
 * @throws Fault those of {@link requireAuthorizer}; `not_found` when no device shows this code; `bad_request` when it was answered otherwise; `rate_limited`
 */
export async function decideDevice(
  core: Core,
  events: AuthorizationEvents,
  guesses: Guesses,
  decision: DeviceDecision,
): Promise<void> {
  await requireAuthorizer(core.store, decision.userId);
  const found = await guess(core, guesses, decision);
  if (!found) throw unknownUserCode();
  const parties = { application_id: found.application_id, user_id: decision.userId };
  const newId = core.ids.next();
  const answer = { user_id: decision.userId, state: decision.decision === 'approve' ? 'granted' : 'denied' } as const;
  const isNew = await core.store.transact(
    authorizationScope(parties),
    async transaction => {
      const record = await transaction.get('device_codes', found.hash);
      if (!record) throw unknownUserCode();
      if (record.state === answer.state && record.user_id === answer.user_id) return false;
      if (record.state !== 'pending')
        throw new Fault('bad_request', { message: 'Somebody has answered this device already.' });
      const granted =
        answer.state === 'granted' ? await recordGrant(transaction, parties, record.scopes, newId) : undefined;
      transaction.put('device_codes', { ...record, ...answer, authorization_id: granted?.id ?? null });
      return granted !== undefined;
    },
    [deviceScope(found.hash)],
  );
  const application = isNew ? await core.store.get('applications', found.application_id) : undefined;
  if (application) await events.authorized({ application, userId: decision.userId, ...deviceGrant(found) });
}

/** To one who types a code that leads nowhere. */
export function unknownUserCode(): Fault {
  return new Fault('not_found', { message: 'No device shows this code, or it is too old.' });
}

/** Nothing is installed by way of a device, so where is neither here nor there. */
function deviceGrant({ scopes }: DeviceCodeRecord) {
  return { scopes, integrationType: integrationTypes.USER_INSTALL };
}

function guess(core: Core, guesses: Guesses, { userCode, userId }: TypedCode): Promise<DeviceCodeRecord | undefined> {
  return guesses.attempt(userId, async wrong => {
    const code = readUserCode(userCode);
    const record = code === undefined ? undefined : await findDeviceCode(core.store, code, core.clock.now());
    if (!record) wrong();
    return record;
  });
}

/** @see oauth2.md 6, "Confirmation page internals" */
export function deviceView({ application, scopes, state }: DeviceRequest) {
  // Accounts are not linked the other way round here, so there is never a code for it.
  return { scopes, client_id: application.id, two_way_link_code: null, type: state };
}
