import { defaultCommunicationScopes, defaultPresenceScopes } from '../../model/oauth.ts';

/** `openid sdk.social_layer_presence`: enough for presence. @see docs/spec/client.md#authorization-arguments */
export function getDefaultPresenceScopes(): string {
  return defaultPresenceScopes;
}

/** `openid sdk.social_layer`: enough for lobbies and chat too. @see docs/spec/client.md#authorization-arguments */
export function getDefaultCommunicationScopes(): string {
  return defaultCommunicationScopes;
}
