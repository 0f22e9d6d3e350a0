import type { ApplicationRecord, AuthorizationRecord, TokenRecord, UserRecord } from '../store/records.ts';
import type { TrafficCaller } from '../support/traffic.ts';

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

/** The owner as those who observe the traffic see it. */
export function callerOf(principal: Principal | undefined): TrafficCaller | undefined {
  if (!principal || principal.kind === 'none') return undefined;
  return {
    kind: principal.kind,
    ...('application' in principal && { applicationId: principal.application.id }),
    ...('user' in principal && { userId: principal.user.id, username: principal.user.username }),
  };
}

/** Whose credential was accepted on a connection; `address`: only the token of an interaction was. */
export interface ConnectionOwner {
  readonly kind: 'user' | 'application' | 'address';
  readonly id: string;
}

/** Whom a connection counts for on which the credential was accepted. */
export function ownerOf(principal: Principal | undefined): ConnectionOwner | undefined {
  if (!principal || principal.kind === 'none') return undefined;
  if (principal.kind === 'user' || principal.kind === 'session') return { kind: 'user', id: principal.user.id };
  return { kind: 'application', id: principal.application.id };
}
