import type { PartialApplication } from '../../model/application.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import type { User } from '../../model/user.ts';
import { userView } from '../domain/user-view.ts';
import type { Principal } from '../http/call.ts';
import type { ApplicationRecord, UserRecord } from '../store/records.ts';

type Player = Extract<Principal, { kind: 'user' }>;

/** Users here have no mail address: a claim that says so, not one that is left out. */
const email = { email: null, email_verified: false } as const;

/** The user as it sees itself; a mail address shows with `email`. */
export function currentUserView(user: UserRecord, scopes: ReadonlySet<string>) {
  return {
    ...userView(user),
    locale: user.locale,
    ...(scopes.has('email') ? { email: email.email, verified: email.email_verified } : {}),
  };
}

/** OpenID's claims about the user. @see oauth2.md 8, `GET /oauth2/userinfo` */
export function userClaims({ user, scopes }: Player): Readonly<Record<string, string | boolean | null>> {
  return {
    sub: user.id,
    ...(scopes.has('email') ? email : {}),
    ...(scopes.has('identify')
      ? { preferred_username: user.username, nickname: user.global_name, locale: user.locale }
      : {}),
  };
}

/** @see oauth2.md 8, `GET /oauth2/@me` */
export interface CurrentAuthorization {
  application: PartialApplication;
  /** As granted, umbrellas not expanded. */
  scopes: readonly string[];
  /** When the access token ends, ISO 8601. */
  expires: string;
  /** With `identify` only. */
  user?: User;
}

export function currentAuthorizationView({ application, token, user, scopes }: Player): CurrentAuthorization {
  return {
    application: partialApplication(application),
    scopes: token.scopes,
    expires: formatTimestamp(token.expires_at_ms ?? 0),
    ...(scopes.has('identify') ? { user: userView(user) } : {}),
  };
}

function partialApplication({ id, name, description, verify_key }: ApplicationRecord): PartialApplication {
  return { id, name, icon: null, description, bot_public: true, bot_require_code_grant: false, verify_key };
}
