import type { ExternalAuthType } from './external-auth.ts';
import type { TokenResponse } from './oauth.ts';
import type { ApplicationId, Snowflake, UserId } from './snowflake.ts';

/** Kinds whose proof is an ID token: the provider's issuer and keys verify it. */
export const idTokenAuthTypes = [
  'OIDC',
  'EPIC_ONLINE_SERVICES_ID_TOKEN',
  'UNITY_SERVICES_ID_TOKEN',
  'APPLE_ID_TOKEN',
  'PLAYSTATION_NETWORK_ID_TOKEN',
] as const satisfies readonly ExternalAuthType[];

export type IdTokenAuthType = (typeof idTokenAuthTypes)[number];

/** Kinds whose proof only the provider can verify, by a request. */
export const ticketAuthTypes = [
  'STEAM_SESSION_TICKET',
  'EPIC_ONLINE_SERVICES_ACCESS_TOKEN',
] as const satisfies readonly ExternalAuthType[];

export type TicketAuthType = (typeof ticketAuthTypes)[number];

/** Who a player is elsewhere, and the proof. */
export interface ExternalAuthFields {
  external_auth_type: ExternalAuthType;
  /** 1 to `externalAuthTokenLengthMax` characters. */
  external_auth_token: string;
}

/** Body of `POST /partner-sdk/token` and `POST /partner-sdk/provisional-accounts/unmerge`. @see docs/spec/oauth2.md#provisional-accounts */
export interface ProvisionalTokenInput extends ExternalAuthFields {
  client_id: ApplicationId;
  /** Public clients leave it out. */
  client_secret?: string | null | undefined;
}

/** Body of `POST /partner-sdk/token/bot`. @see docs/spec/oauth2.md#provisional-accounts */
export interface BotProvisionalTokenInput {
  /** Who the player is in the application's own accounts: 1 to `limits.externalUserIdLengthMax` characters. */
  external_user_id: string;
  /** What others see the player as: 1 to `limits.globalNameLengthMax` characters. */
  preferred_global_name?: string | null | undefined;
  /** A provisional account that this external user is to have, in place of one of its own. */
  provisional_user_id?: UserId | null | undefined;
}

/** Body of `POST /partner-sdk/child-token`. @see docs/spec/oauth2.md#provisional-accounts */
export interface ChildTokenInput {
  parent_access_token: string;
  child_application_id: ApplicationId;
  /** Of the parent application; a public client leaves it out. */
  parent_client_secret?: string | null | undefined;
}

/** Body of `POST /partner-sdk/provisional-accounts/unmerge/bot`. @see docs/spec/oauth2.md#provisional-accounts */
export interface BotUnmergeInput {
  external_user_id: string;
}

/** Body of `PATCH /users/@me/account`. @see docs/spec/oauth2.md#provisional-accounts */
export interface AccountEdit {
  global_name?: string | null | undefined;
}

/** A token without one to refresh it: who wants another, proves the identity again. @see docs/spec/oauth2.md#provisional-accounts */
export interface ProvisionalTokenResponse extends Omit<TokenResponse, 'refresh_token' | 'id_token'> {
  id_token: string;
  scopes?: readonly string[] | undefined;
  /** Seconds since the Unix epoch. */
  expires_at_s?: number | undefined;
}

/** To the sessions of the account that another was merged into. @see docs/spec/gateway.md#events */
export interface MergeCompleted {
  merge_operation_id: Snowflake;
  /** The provisional account, which is gone. */
  source_user_id: UserId;
}
