import type { ExternalAuthType } from '../../../../model/external-auth.ts';
import { limits } from '../../../../model/limits/limits.ts';
import { isLonger } from '../../../../model/rules/field.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { ExternalIdentityRecord } from '../../../store/records.ts';
import { hashSecret } from '../../../support/secret.ts';

/** A verified external identity of a player. */
export interface ExternalIdentity {
  readonly type: ExternalAuthType;
  /** The key of the stored record: always the same for the same player of the same provider. */
  readonly hash: string;
  /** The player's name there; undefined when it is unknown or not allowed here. */
  readonly name: string | undefined;
  /** When a token that it is exchanged for must have ended; absent: whenever a token ends. */
  readonly tokenEndsAtMs?: number;
}

/** What a provider states about a player. */
interface ProviderClaims {
  readonly type: ExternalAuthType;
  /** What the subject is unique within: the issuer, or nothing where the type alone suffices. */
  readonly realm?: string;
  readonly subject: string;
  /** Not validated yet. */
  readonly name?: unknown;
}

/** Unspecified: a name that is not allowed here is ignored, because the player cannot correct it. */
export function identityOf({ type, realm = '', subject, name }: ProviderClaims): ExternalIdentity {
  const isName = isTextUpTo(name, limits.globalNameLengthMax);
  return { type, hash: hashSecret(JSON.stringify([type, realm, subject])), name: isName ? name : undefined };
}

/** Whether a provider can have named a player so. */
export function isExternalUserId(value: unknown): value is string {
  return isTextUpTo(value, limits.externalUserIdLengthMax);
}

function isTextUpTo(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed() && !isLonger(value, max);
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

/** Transactions about one identity run one after another in this store scope. */
export function identityScope(applicationId: ApplicationId, { hash }: Pick<ExternalIdentity, 'hash'>): string {
  return `identity/${applicationId}/${hash}`;
}
