/**
 * The identity providers whose proof a game can present for a player without an account of the service.
 *
 * @see docs/spec/oauth2.md#external-identities
 */
export const externalAuthTypes = [
  'OIDC',
  'EPIC_ONLINE_SERVICES_ACCESS_TOKEN',
  'EPIC_ONLINE_SERVICES_ID_TOKEN',
  'STEAM_SESSION_TICKET',
  'UNITY_SERVICES_ID_TOKEN',
  'DISCORD_BOT_ISSUED_ACCESS_TOKEN',
  'APPLE_ID_TOKEN',
  'PLAYSTATION_NETWORK_ID_TOKEN',
] as const;

export type ExternalAuthType = (typeof externalAuthTypes)[number];

export function isExternalAuthType(value: unknown): value is ExternalAuthType {
  return (externalAuthTypes as readonly unknown[]).includes(value);
}

/** Proof of an identity that the player has elsewhere. @see docs/spec/oauth2.md#external-identities */
export interface ExternalAuth {
  readonly type: ExternalAuthType;
  /** What the identity provider issued for the player: 1 to `externalAuthTokenLengthMax` characters. Secret. */
  readonly token: string;
}

/** Length of {@link ExternalAuth.token}, in characters. @see docs/spec/oauth2.md#provisional-accounts */
export const externalAuthTokenLengthMax = 10_240;
