import type { Metadata } from './lobby.ts';
import type { ApplicationId, UserId } from './snowflake.ts';

/** Who vouches for a user's identity elsewhere; `NONE`: only the application's own server. */
export type IdentityProviderType =
  | 'OIDC'
  | 'EPIC_ONLINE_SERVICES'
  | 'STEAM'
  | 'UNITY'
  | 'DISCORD_BOT'
  | 'APPLE'
  | 'PLAYSTATION_NETWORK'
  | 'NONE';

/** Who a user is in an application's own accounts. @see docs/spec/social.md#application-profiles */
export interface ProfileIdentity {
  provider_type: IdentityProviderType;
  /** The user's id there. */
  provider_issued_user_id: string;
  /** Which of several providers of the type; null of `DISCORD_BOT` and `NONE`. */
  provider_id: string | null;
  preferred_global_name: string | null;
}

/** What an application's server reports about one of its users, as sessions receive it. @see docs/spec/social.md#application-profiles */
export interface ApplicationProfile {
  user_id: UserId;
  application_id: ApplicationId;
  /** The user's name in the game. */
  username: string | null;
  /** The metadata as JSON. */
  metadata: string | null;
  /** No call sets it. */
  avatar_hash: string | null;
  external_id: ProfileIdentity;
}

/** The same as the application's server reads it. */
export interface StoredApplicationProfile extends Omit<ApplicationProfile, 'metadata'> {
  metadata: Metadata | null;
  data: ProfileData | null;
}

/** What an application's server changes of a profile; what is left out stays. @see docs/spec/social.md#application-profiles */
export interface ApplicationProfileEdit {
  /** Up to 1,024 characters. */
  username?: string | null;
  /** Up to 25 entries with keys and values of up to 1,024 characters. */
  metadata?: Metadata | null;
  /** Replaced as a whole: up to 10 KiB as JSON. */
  data?: ProfileData | null;
}

/** Figures about a user's game, for widgets. */
export interface ProfileData {
  primary?: Readonly<Record<string, string | number | ProfileMedia>>;
  /** Up to 30 fields. */
  dynamic?: readonly ProfileField[];
}

/** Type 1 has a text, 2 a number, 3 a picture. */
export type ProfileField =
  | { type: 1; name: string; value: string }
  | { type: 2; name: string; value: number }
  | { type: 3; name: string; value: ProfileMedia };

export interface ProfileMedia {
  url: string;
}
