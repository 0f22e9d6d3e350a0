import type {
  ApplicationProfileEdit,
  IdentityProviderType,
  ProfileData,
  ProfileField,
  StoredApplicationProfile,
} from '../../../../model/application-profile.ts';
import type { ExternalAuthType } from '../../../../model/external-auth.ts';
import { limits } from '../../../../model/limits/limits.ts';
import { expandScopes } from '../../../../model/oauth.ts';
import { isLonger } from '../../../../model/rules/field.ts';
import { checkApplicationProfile } from '../../../../model/rules/social/profile.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type {
  ApplicationProfileRecord,
  ApplicationRecord,
  AuthorizationRecord,
  ExternalIdentityRecord,
  UserRecord,
} from '../../../store/records.ts';
import { serviceFieldErrors } from '../../../support/api-messages.ts';
import { invalidBody, RequestError, rejectIssues } from '../../../support/request-error.ts';
import { hashSecret } from '../../../support/secret.ts';
import { putProfile, storedProfileView } from '../../social/users/profiles.ts';
import { authorizationScope, findAuthorization } from '../authorize/authorization-records.ts';
import { identitiesOf, identityOf, identityScope } from './identity.ts';

/** Whom a profile is of: a user, by the id that the application's own accounts have. */
export interface ProfileOwner {
  readonly userId: UserId;
  readonly externalId: string;
}

/**
 * What an application's server reports about its users. A user has one profile in an application, for one identity.
 *
 * @see docs/spec/social.md#application-profiles
 */
export interface ApplicationProfiles {
  /** @throws RequestError `unknown_user` also when the user does not have this identity; `missing_scope` */
  get(application: ApplicationRecord, owner: ProfileOwner): Promise<StoredApplicationProfile>;
  /** Changes what the body names. @throws RequestError `invalid_form_body`, `unknown_user`, `missing_scope` */
  edit(application: ApplicationRecord, owner: ProfileOwner, body: unknown): Promise<StoredApplicationProfile>;
}

const profileScope = 'application_identities.write';

export function createApplicationProfiles({ store }: Pick<Core, 'store'>): ApplicationProfiles {
  return {
    async get(application, owner) {
      const { profile, empty, standing } = await readOwner(store, application, owner);
      if (profile?.identity_hash === empty.identity_hash) return storedProfileView(profile);
      if (standing !== 'verified') throw new RequestError('unknown_user');
      return storedProfileView(empty);
    },

    async edit(application, owner, body) {
      rejectIssues(checkApplicationProfile(body));
      const { username, metadata, data } = body as ApplicationProfileEdit;
      const parties = { application_id: application.id, user_id: owner.userId };
      // The authorization may be that of the application's parent.
      const parent = application.parent_id;
      const guards = parent === null ? [] : [authorizationScope({ ...parties, application_id: parent })];
      const claimed = identityScope(application.id, { hash: claimedHash(owner.externalId) });
      return store.transact(
        authorizationScope(parties),
        async transaction => {
          const { profile, empty, standing } = await readOwner(transaction, application, owner);
          if (standing === 'foreign') throw wrongIdentity();
          await requireFree(transaction, application, owner, empty.identity_hash);
          const before = profile?.identity_hash === empty.identity_hash ? profile : empty;
          const record: ApplicationProfileRecord = {
            ...empty,
            username: username === undefined ? before.username : username,
            metadata: metadata === undefined ? before.metadata : metadata,
            data: data === undefined ? before.data : storedData(data),
          };
          await putProfile(transaction, record);
          return storedProfileView(record);
        },
        [...guards, claimed],
      );
    },
  };
}

interface OwnerReading {
  /** The user's present profile, whichever identity it is for. */
  readonly profile: ApplicationProfileRecord | undefined;
  /** What the profile of the identity is before anything is written. */
  readonly empty: ApplicationProfileRecord;
  /** `verified`: the user has signed in by the identity; `foreign`: only by others; `claimed`: by none at all. */
  readonly standing: 'verified' | 'foreign' | 'claimed';
}

async function readOwner(
  view: StoreView,
  application: ApplicationRecord,
  { userId, externalId }: ProfileOwner,
): Promise<OwnerReading> {
  const user = await view.get('users', userId);
  if (!user || externalId === '' || isLonger(externalId, limits.externalUserIdLengthMax)) {
    throw new RequestError('unknown_user');
  }
  const authorization = await authorizationOf(view, application, user.id);
  if (!authorization || !expandScopes(authorization.scopes).has(profileScope)) throw new RequestError('missing_scope');
  const { identities, known } = await identityWith(view, application, user.id, externalId);
  return {
    profile: await view.get('application_profiles', user.id, application.id),
    empty: emptyProfile({ application, user, authorization, externalId, known }),
    standing: known ? 'verified' : identities.length > 0 ? 'foreign' : 'claimed',
  };
}

/** The identities that the user has signed in by, and that with the external id. */
export async function identityWith(
  view: StoreView,
  application: ApplicationRecord,
  userId: UserId,
  externalId: string,
): Promise<{
  readonly identities: readonly ExternalIdentityRecord[];
  readonly known: ExternalIdentityRecord | undefined;
}> {
  const identities = await identitiesOf(view, application.id, userId);
  return { identities, known: identities.find(one => one.hash === hashOf(application, one, externalId)) };
}

/** Of a child application's user it may be the parent's. */
export async function authorizationOf(
  view: StoreView,
  { id, parent_id }: ApplicationRecord,
  user_id: UserId,
): Promise<AuthorizationRecord | undefined> {
  const own = await findAuthorization(view, { application_id: id, user_id });
  return own ?? (parent_id === null ? undefined : findAuthorization(view, { application_id: parent_id, user_id }));
}

interface ProfileParts {
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly authorization: AuthorizationRecord | undefined;
  readonly externalId: string;
  readonly known: ExternalIdentityRecord | undefined;
}

export function emptyProfile({
  application,
  user,
  authorization,
  externalId,
  known,
}: ProfileParts): ApplicationProfileRecord {
  return {
    user_id: user.id,
    application_id: application.id,
    authorization_id: authorization?.id ?? null,
    identity_hash: known?.hash ?? claimedHash(externalId),
    identity: {
      provider_type: known ? providerTypes[known.type] : 'NONE',
      provider_issued_user_id: externalId,
      provider_id: (known && issuerOf(application, known.type)) ?? null,
      // Unspecified: the name of the provisional account, which the game has chosen in most cases.
      preferred_global_name: user.provisional_of === null ? null : user.global_name,
    },
    ...{ username: null, metadata: null, data: null },
  };
}

const providerTypes: Readonly<Record<ExternalAuthType, IdentityProviderType>> = {
  OIDC: 'OIDC',
  EPIC_ONLINE_SERVICES_ACCESS_TOKEN: 'EPIC_ONLINE_SERVICES',
  EPIC_ONLINE_SERVICES_ID_TOKEN: 'EPIC_ONLINE_SERVICES',
  STEAM_SESSION_TICKET: 'STEAM',
  UNITY_SERVICES_ID_TOKEN: 'UNITY',
  DISCORD_BOT_ISSUED_ACCESS_TOKEN: 'DISCORD_BOT',
  APPLE_ID_TOKEN: 'APPLE',
  PLAYSTATION_NETWORK_ID_TOKEN: 'PLAYSTATION_NETWORK',
};

/** The hash that an identity of this type has if it is that of the external id: the ids themselves are not stored. */
function hashOf(application: ApplicationRecord, { type }: ExternalIdentityRecord, externalId: string): string {
  return identityOf({ type, realm: issuerOf(application, type) ?? '', subject: externalId }).hash;
}

function issuerOf({ identity_providers }: ApplicationRecord, type: ExternalAuthType): string | undefined {
  const provider = identity_providers.find(one => one.type === type);
  return provider && 'issuer' in provider ? provider.issuer : undefined;
}

/** Without anything that the interface does not name. */
export function storedData(data: ProfileData | null): ProfileData | null {
  if (data === null) return null;
  const { primary, dynamic } = data;
  const value = <Value>(given: Value): Value =>
    typeof given === 'object' && given !== null && 'url' in given ? ({ url: given.url } as Value) : given;
  const given = Object.entries(primary ?? {}).filter(([, one]) => one !== null);
  return {
    ...(primary && { primary: Object.fromEntries(given.map(([name, one]) => [name, value(one)])) }),
    ...(dynamic && {
      dynamic: dynamic.map(one => ({ type: one.type, name: one.name, value: value(one.value) }) as ProfileField),
    }),
  };
}

/** Of an identity that only the application's server knows. */
export function claimedHash(externalId: string): string {
  return hashSecret(JSON.stringify(['NONE', '', externalId]));
}

/** The profiles for an identity. */
export function holdersOf(view: StoreView, id: ApplicationId, hash: string) {
  return view.list('application_profiles', { index: 'byIdentity', equals: [id, hash] });
}

/** @throws RequestError `invalid_form_body` when another user has the identity */
async function requireFree(
  transaction: Transaction,
  { id }: ApplicationRecord,
  { userId }: ProfileOwner,
  hash: string,
): Promise<void> {
  const holders = await holdersOf(transaction, id, hash);
  if (holders.some(({ user_id }) => user_id !== userId)) throw wrongIdentity();
}

function wrongIdentity(): RequestError {
  const message = serviceFieldErrors.ID_UNKNOWN('identity of this user');
  return invalidBody([{ path: ['external_user_id'], code: 'ID_UNKNOWN', message }]);
}
