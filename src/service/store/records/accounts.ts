import type { InstallParams } from '../../../model/application.ts';
import type { IntegrationType } from '../../../model/command.ts';
import type { ExternalAuthType } from '../../../model/external-auth.ts';
import type { IdTokenAuthType, TicketAuthType } from '../../../model/provisional.ts';
import type { RoleConnectionMetadata } from '../../../model/role-connection.ts';
import type { ApplicationId, Snowflake, UserId } from '../../../model/snowflake.ts';

export interface ApplicationRecord {
  id: ApplicationId;
  name: string;
  description: string;
  owner_id: UserId;
  /** What its bot calls itself; null: as the application is called. */
  bot_username: string | null;
  /** The user that the bot appears as; same id as the application. */
  bot_token_hash: string | null;
  client_secret_hash: string | null;
  public_client: boolean;
  redirect_uris: readonly string[];
  /** Its bot is added by exchanging a code alone. */
  bot_require_code_grant: boolean;
  install_params: InstallParams | null;
  embedded: boolean;
  discoverable: boolean;
  integration_types: readonly IntegrationType[];
  interactions_endpoint_url: string | null;
  /** Receives webhook events about its lobbies, and about users who authorize it or withdraw that. */
  event_webhooks_url: string | null;
  /** What guilds can ask of its users' role connections. */
  role_connection_metadata: readonly RoleConnectionMetadata[];
  /** The publisher's application that this one belongs to: its tokens can be exchanged for this one's. */
  parent_id: ApplicationId | null;
  /** Whether players can have provisional accounts with it. */
  provisional_accounts: boolean;
  /** Who vouches for them, one of each type at most. */
  identity_providers: readonly IdentityProvider[];
  /** Ed25519 key pair of its outgoing requests: public key in hex, private key as PKCS #8 in base64. */
  verify_key: string;
  signing_key: string;
}

/** Verifies ID tokens by the keys of their issuer. */
export interface IdTokenProvider {
  type: IdTokenAuthType;
  issuer: string;
  audience: string;
  /** Where the keys are; null: where the issuer's own description says. */
  jwks_uri: string | null;
}

/** Is asked who a player is, where the service cannot read the proof itself. */
export interface TicketProvider {
  type: TicketAuthType;
  verification_url: string;
}

export type IdentityProvider = IdTokenProvider | TicketProvider;

export interface UserRecord {
  id: UserId;
  username: string;
  global_name: string | null;
  locale: string;
  adult: boolean;
  /** Nothing new is issued to it. */
  banned: boolean;
  /** Rises when everything that lets somebody act as the user ends: what was issued before is rejected from then on. Absent: 0. */
  credentials_epoch?: number;
  /** The application whose provisional account it is; null: a full account. */
  provisional_of: ApplicationId | null;
}

/** Whose account a player comes to that an application knows from elsewhere. */
export interface ExternalIdentityRecord {
  application_id: ApplicationId;
  /** @see ExternalIdentity.hash */
  hash: string;
  type: ExternalAuthType;
  /** A provisional account, or the full one that it was merged into. */
  user_id: UserId;
  /** The {@link AccountMoveRecord} under way, until whose end the identity is locked. */
  operation_id: Snowflake | null;
}

/** What one account had with an application is becoming another's. */
export interface AccountMoveRecord {
  id: Snowflake;
  application_id: ApplicationId;
  source_id: UserId;
  destination_id: UserId;
}

/** What a user signs in with; one who has none cannot sign in by password. */
export interface PasswordRecord {
  user_id: UserId;
  /** {@link signInNameOf} the user's name; no two users have the same. */
  name: string;
  /** By {@link hashPassword}: slow to guess, unlike the other hashes here. */
  hash: string;
}
