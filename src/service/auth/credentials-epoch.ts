import type { UserRecord } from '../store/records.ts';

/** A record that lets somebody act as a user: an authorization, the token of a user's own client, or a sign-in at the pages. */
interface IssuedCredential {
  readonly credentials_epoch?: number;
}

/** The field of a record that is issued now. */
export function presentEpoch({ credentials_epoch }: UserRecord): IssuedCredential {
  return credentials_epoch === undefined ? {} : { credentials_epoch };
}

/**
 * Whether the record was issued since the user's credentials last ended. Every use of a credential compares this, so that one write
 * to the user ends any number of them.
 */
export function isOfPresentEpoch(user: UserRecord, issued: IssuedCredential): boolean {
  return (user.credentials_epoch ?? 0) === (issued.credentials_epoch ?? 0);
}

/** Whether somebody may act as the user by this record. */
export function mayActAs(user: UserRecord | undefined, issued: IssuedCredential): user is UserRecord {
  return user !== undefined && !user.banned && isOfPresentEpoch(user, issued);
}
