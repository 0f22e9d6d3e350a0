/**
 * Who vouches for a player that has no account of the service: the kinds of proof a game can hand in.
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

/** Length of the proof itself, in characters. @see docs/spec/oauth2.md#provisional-accounts */
export const externalAuthTokenLengthMax = 10_240;
