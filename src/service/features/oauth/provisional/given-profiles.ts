import type { ProfileData } from '../../../../model/application-profile.ts';
import type { Issue } from '../../../../model/errors/issue.ts';
import type { Metadata } from '../../../../model/lobby.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationProfileRecord } from '../../../store/records.ts';
import { issue } from '../../../support/document-check.ts';
import { putProfile } from '../../social/users/profiles.ts';
import { authorizationScope } from '../authorize/authorization-records.ts';
import { identityScope } from './identity.ts';
import { authorizationOf, claimedHash, emptyProfile, holdersOf, identityWith, storedData } from './profiles.ts';

/** A user's profile in an application, as fixtures say. What is left out stays. */
export interface GivenProfile {
  readonly application_id: ApplicationId;
  readonly user_id: UserId;
  /** The user's id in the application's own accounts. */
  readonly external_user_id: string;
  readonly username?: string | null;
  readonly metadata?: Metadata | null;
  readonly data?: ProfileData | null;
}

/** The scopes of what {@link settleProfiles} changes. */
export function scopesOfProfiles(profiles: readonly GivenProfile[]): readonly string[] {
  return profiles.flatMap(({ application_id, user_id, external_user_id }) => [
    authorizationScope({ application_id, user_id }),
    identityScope(application_id, { hash: claimedHash(external_user_id) }),
  ]);
}

/**
 * Stores profiles within one transaction, whether the users have authorized the applications or not; one that is so already is not
 * announced again. The users and applications exist.
 *
 * @returns profiles whose identity is that of another user: the transaction must be abandoned then
 */
export async function settleProfiles(transaction: Transaction, profiles: readonly GivenProfile[]): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [index, profile] of profiles.entries()) {
    if (await settleOne(transaction, profile)) continue;
    issues.push(issue('taken', ['application_profiles', String(index), 'external_user_id'], 'the external id'));
  }
  return issues;
}

async function settleOne(transaction: Transaction, given: GivenProfile): Promise<boolean> {
  const { external_user_id: externalId } = given;
  const application = await transaction.get('applications', given.application_id);
  const user = await transaction.get('users', given.user_id);
  if (!application || !user) return true;
  const { known } = await identityWith(transaction, application, user.id, externalId);
  const authorization = await authorizationOf(transaction, application, user.id);
  const empty = emptyProfile({ application, user, authorization, externalId, known });
  const holders = await holdersOf(transaction, application.id, empty.identity_hash);
  if (holders.some(({ user_id }) => user_id !== user.id)) return false;
  const stored = await transaction.get('application_profiles', user.id, application.id);
  const before = stored?.identity_hash === empty.identity_hash ? stored : empty;
  const record: ApplicationProfileRecord = {
    ...empty,
    username: given.username === undefined ? before.username : given.username,
    metadata: given.metadata === undefined ? before.metadata : given.metadata,
    data: given.data === undefined ? before.data : storedData(given.data),
  };
  if (!stored || JSON.stringify(sorted(record)) !== JSON.stringify(sorted(stored)))
    await putProfile(transaction, record);
  return true;
}

/** The fields in one order: those of a stored record may have another. */
function sorted(record: ApplicationProfileRecord): unknown {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
