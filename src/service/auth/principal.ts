import type { ApplicationRecord, AuthorizationRecord, TokenRecord, UserRecord } from '../store/records.ts';

/** The owner of the credential of a request or an Identify. */
export type Principal =
  | { readonly kind: 'none' }
  | { readonly kind: 'bot'; readonly application: ApplicationRecord }
  | {
      readonly kind: 'application';
      readonly application: ApplicationRecord;
      /** Umbrella scopes expanded. */
      readonly scopes: ReadonlySet<string>;
      readonly token: TokenRecord;
    }
  | {
      readonly kind: 'user';
      readonly application: ApplicationRecord;
      readonly user: UserRecord;
      /** Umbrella scopes expanded. */
      readonly scopes: ReadonlySet<string>;
      readonly authorization: AuthorizationRecord;
      readonly token: TokenRecord;
    }
  | { readonly kind: 'session'; readonly user: UserRecord; readonly token: TokenRecord };

export type PrincipalKind = Principal['kind'];
