import type { ApplicationProfile, StoredApplicationProfile } from '../../../../model/application-profile.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import { type Announcement, lazyEvent, topics } from '../../../events/announcement.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { ApplicationProfileRecord } from '../../../store/records.ts';
import { countWithin } from '../../../support/count-within.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { familyOfId } from '../family.ts';

/** Stores what an application's server reports about a user, and announces it to all who see the user there. */
export async function putProfile(transaction: Transaction, record: ApplicationProfileRecord): Promise<void> {
  transaction.put('application_profiles', record);
  await announceProfile(transaction, record, updateOf(record));
}

/** Deletes a profile, and announces that to the same. */
export async function removeProfile(transaction: Transaction, record: ApplicationProfileRecord): Promise<void> {
  const { user_id, application_id } = record;
  transaction.delete('application_profiles', user_id, application_id);
  const event = lazyEvent('USER_APPLICATION_IDENTITY_REMOVE', () => ({ user_id, application_id }));
  await announceProfile(transaction, record, event);
}

/**
 * To the user's own sessions in the application's family, and to those there that see the user's presence; to users' own clients, too.
 */
async function announceProfile(
  transaction: Transaction,
  { user_id, application_id }: ApplicationProfileRecord,
  event: NonNullable<Announcement['event']>,
): Promise<void> {
  const family = await familyOfId(transaction, application_id);
  const families = [family, null];
  transaction.announce({ to: topics.sessions(user_id), event, families });
  transaction.announce({ to: topics.presence(user_id), event, families });
  transaction.announce({ to: topics.gamePresence(user_id, family), event });
}

/** The events by which sessions that begin to see a user learn the profiles, with the families whose sessions see them. */
export async function profileEventsOf(
  view: StoreView,
  userId: UserId,
): Promise<readonly { readonly family: ApplicationId; readonly event: NonNullable<Announcement['event']> }[]> {
  const records = await view.list('application_profiles', { equals: [userId] });
  return Promise.all(
    records.map(async record => ({
      family: await familyOfId(view, record.application_id),
      event: updateOf(record),
    })),
  );
}

/**
 * The profiles of users that a session sees, by the user's id, as many of the first as READY can have; users without one are left out.
 *
 * @param applications of the session's family; undefined: a user's own client, which sees those of all games
 */
export async function readProfiles(
  view: StoreView,
  userIds: readonly UserId[],
  applications: readonly ApplicationId[] | undefined,
): Promise<Readonly<Record<UserId, readonly ApplicationProfile[]>>> {
  const found = await Promise.all(userIds.map(userId => view.list('application_profiles', { equals: [userId] })));
  const profiles = found.flatMap(records => {
    const seen = applications ? records.filter(one => applications.includes(one.application_id)) : records;
    return seen[0] ? [[seen[0].user_id, seen.map(profileView)] as const] : [];
  });
  return Object.fromEntries(profiles.slice(0, countWithin(profiles, serviceLimits.readyProfilesBytesMax)));
}

/** A profile as its application's server reads it. */
export function storedProfileView(record: ApplicationProfileRecord): StoredApplicationProfile {
  const { user_id, application_id, identity, username, metadata, data } = record;
  return { user_id, application_id, username, metadata, avatar_hash: null, data, external_id: identity };
}

function profileView(record: ApplicationProfileRecord): ApplicationProfile {
  const { data: _, metadata, ...shown } = storedProfileView(record);
  return { ...shown, metadata: metadata === null ? null : JSON.stringify(metadata) };
}

function updateOf(record: ApplicationProfileRecord) {
  return lazyEvent('USER_APPLICATION_IDENTITY_UPDATE', () => profileView(record));
}
