import type { ExternalAuthType } from '../../../model/external-auth.ts';
import { limits } from '../../../model/limits/limits.ts';
import { isLonger } from '../../../model/rules/text-length.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ExternalIdentityRecord } from '../../store/records.ts';
import { hashSecret } from '../../support/secret.ts';

/** Who a player is elsewhere, proven. */
export interface ExternalIdentity {
  readonly type: ExternalAuthType;
  /** What the identity is kept by: the same for the same player of the same provider, always. */
  readonly hash: string;
  /** What the player is called there; undefined when that is unknown, or no name here. */
  readonly name: string | undefined;
}

/** What a provider says of a player. */
interface Told {
  readonly type: ExternalAuthType;
  /** Within what the subject is unique: the issuer, or nothing where the type says it all. */
  readonly realm?: string;
  readonly subject: string;
  /** Anything. */
  readonly name?: unknown;
}

/** Our choice: a name that would not do here is passed over, for the player cannot mend it. */
export function identityOf({ type, realm = '', subject, name }: Told): ExternalIdentity {
  const isName = typeof name === 'string' && name !== '' && !isLonger(name, limits.globalNameLengthMax);
  return { type, hash: hashSecret(JSON.stringify([type, realm, subject])), name: isName ? name : undefined };
}

/** The identities of an application that lead to a user. */
export async function identitiesOf(
  view: StoreView,
  applicationId: ApplicationId,
  userId: UserId,
): Promise<readonly ExternalIdentityRecord[]> {
  const identities = await view.list('external_identities', { index: 'byUser', equals: [userId] });
  return identities.filter(({ application_id }) => application_id === applicationId);
}

/** Works about one identity come one after another. */
export function identityScope(applicationId: ApplicationId, { hash }: Pick<ExternalIdentity, 'hash'>): string {
  return `identity/${applicationId}/${hash}`;
}
