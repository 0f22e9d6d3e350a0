import type { DeviceResult } from '../../../model/oauth.ts';
import type { RoleConnection } from '../../../model/role-connection.ts';
import type { ApplicationId, GuildId, Snowflake, UserId } from '../../../model/snowflake.ts';
import type { serviceLimits } from '../../support/service-limits.ts';
import type { UserRecord } from './accounts.ts';

/** One user's grant to one application. Its tokens are valid only while it exists; they are deleted after it. */
export interface AuthorizationRecord {
  id: Snowflake;
  application_id: ApplicationId;
  user_id: UserId;
  scopes: readonly string[];
  /** {@link UserRecord.credentials_epoch} when it was granted: with another one, the authorization and all its tokens are rejected. */
  credentials_epoch?: number;
  /** Hashes of its authorization codes, the oldest first; some may have expired. */
  codes?: readonly string[];
}

/** A grant that was withdrawn: the user has played the game once. */
export interface FormerAuthorizationRecord {
  user_id: UserId;
  application_id: ApplicationId;
}

/** An application's description of a user's account elsewhere. It is deleted with the authorization by which it was written. */
export interface RoleConnectionRecord extends RoleConnection {
  application_id: ApplicationId;
  user_id: UserId;
  /** Null: written with a client-credentials token, for the application's owner. */
  authorization_id: Snowflake | null;
}

/** An authorization code, until it is used or {@link serviceLimits.authorizationCodeLifeMs} have passed. */
export interface CodeRecord {
  hash: string;
  authorization_id: Snowflake;
  application_id: ApplicationId;
  user_id: UserId;
  scopes: readonly string[];
  redirect_uri: string;
  code_challenge: string | null;
  /** The guild that the bot was added to with it. */
  guild_id: GuildId | null;
  nonce: string | null;
  /** When the user signed in; absent in codes of earlier versions. */
  signed_in_at_ms?: number;
  expires_at_ms: number;
  used: boolean;
}

/** A device that asked to be signed in, from then on for {@link serviceLimits.deviceCodeLifeMs}. */
export interface DeviceCodeRecord {
  /** Of the code that the device polls with. */
  hash: string;
  /** Of the code that its user types in. */
  user_code_hash: string;
  application_id: ApplicationId;
  scopes: readonly string[];
  /** What the user answered. */
  state: 'pending' | DeviceResult;
  /** Who answered, and the authorization given; null until then, or when none was. */
  user_id: UserId | null;
  authorization_id: Snowflake | null;
  /** The tokens were handed out. */
  redeemed: boolean;
  /** How long the device has to wait between two polls, and when it polled last. */
  interval_ms: number;
  polled_at_ms: number | null;
  expires_at_ms: number;
}

export interface TokenRecord {
  hash: string;
  /** `session` is a user's own client; `application` is client credentials. */
  kind: 'access' | 'refresh' | 'application' | 'session';
  authorization_id: Snowflake | null;
  /**
   * Hash of the code (a device's, too) that an access or refresh token began with: it outlives refreshes, and one of each is live in it.
   * Of an application's own tokens: the application's id; null in those of earlier versions.
   */
  grant_id: string | null;
  /** Of a child application's token: the child, while the authorization is its parent's. */
  application_id: ApplicationId | null;
  user_id: UserId | null;
  scopes: readonly string[];
  /** Null: does not expire by itself. */
  expires_at_ms: number | null;
  /**
   * Only of refresh tokens. Those of one grant share a record, whose `hash` is that of their common prefix; this is the hash of
   * the whole current token. Absent: the token was issued before families existed, and `hash` is that of the whole token.
   */
  current_hash?: string;
  /** The refresh token that the current one replaced. */
  previous?: UsedRefreshToken;
  /** Of refresh tokens: when the user signed in, as far as that is known. */
  signed_in_at_ms?: number;
  /** Rises from token to token. Absent in tokens of earlier versions, which count as older. */
  serial?: Snowflake;
  /** Of a user's own client: as {@link AuthorizationRecord.credentials_epoch}. */
  credentials_epoch?: number;
}

/** A refresh token that was used. */
export interface UsedRefreshToken {
  hash: string;
  at_ms: number;
  /** If the client named the request: what was answered, base64url. Only that request can open it. */
  sealed?: string;
}

/** A browser signed in to the authorization pages. */
export interface SignInRecord {
  hash: string;
  user_id: UserId;
  expires_at_ms: number;
  /** As {@link AuthorizationRecord.credentials_epoch}. */
  credentials_epoch?: number;
}
