import type { PartialApplication } from '../../../../model/application.ts';
import type { Locale } from '../../../../model/locale.ts';
import { formatTimestamp } from '../../../../model/timestamp.ts';
import type { User } from '../../../../model/user.ts';
import type { Principal } from '../../../auth/principal.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { ApplicationRecord, TokenRecord, UserRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { partialApplication } from '../../accounts/application-view.ts';
import { userView } from '../../accounts/user-view.ts';
import { pictureAddress } from '../pages/picture.ts';

/**
 * The user that an access token acts for; for an application's own token, its owner. @see docs/spec/oauth2.md#tokens
 */
export interface Holder {
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  /** Umbrella scopes expanded. */
  readonly scopes: ReadonlySet<string>;
  readonly token: TokenRecord;
}

/** @throws RequestError `unauthorized` when the application's owner is gone */
export async function holderOf(
  store: StoreView,
  principal: Extract<Principal, { kind: 'user' | 'application' }>,
): Promise<Holder> {
  if (principal.kind === 'user') return principal;
  const user = await store.get('users', principal.application.owner_id);
  if (!user) throw new RequestError('unauthorized');
  return { ...principal, user };
}

/** The claims of a user without an e-mail address: stated, not omitted. */
const email = { email: null, email_verified: false } as const;

/** Deviation: this service has no second factor. */
const withoutMfa = { mfa_enabled: false } as const;

const botLocale: Locale = 'en-US';

/** An application's bot as it sees itself. Unspecified: bots have no locale of their own. */
export function currentBotView(user: User) {
  return { ...user, ...withoutMfa, locale: botLocale };
}

/** The user as it sees itself; the e-mail address needs the scope `email`. */
export function currentUserView(user: UserRecord, scopes: ReadonlySet<string>) {
  return {
    ...userView(user),
    ...withoutMfa,
    locale: user.locale,
    ...(scopes.has('email') ? { email: email.email, verified: email.email_verified } : {}),
  };
}

/** OpenID's claims about the user. @param web address of the pages @see docs/spec/oauth2.md#user-info */
export function userClaims({ user, scopes }: Holder, web: string): Readonly<Record<string, string | boolean | null>> {
  return {
    sub: user.id,
    ...(scopes.has('email') ? email : {}),
    ...(scopes.has('identify') ? profileClaims(user, web) : {}),
  };
}

function profileClaims({ id, username, global_name, locale }: UserRecord, web: string) {
  return { preferred_username: username, nickname: global_name, picture: pictureAddress(web, id), locale };
}

/** @see docs/spec/oauth2.md#current-authorization */
export interface CurrentAuthorization {
  application: PartialApplication;
  /** As granted, umbrella scopes not expanded. */
  scopes: readonly string[];
  /** When the access token expires, ISO 8601. */
  expires: string;
  /** With `identify` only. */
  user?: User;
}

export async function currentAuthorizationView(
  view: StoreView,
  { application, token, user, scopes }: Holder,
): Promise<CurrentAuthorization> {
  return {
    application: await partialApplication(view, application),
    scopes: token.scopes,
    expires: formatTimestamp(token.expires_at_ms ?? 0),
    ...(scopes.has('identify') ? { user: userView(user) } : {}),
  };
}
