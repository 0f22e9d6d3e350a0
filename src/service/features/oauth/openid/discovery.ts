import { deviceCodeGrantType, scopes } from '../../../../model/oauth.ts';
import { codeChallengeMethod } from '../../../../wire/oauth/pkce-form.ts';
import { routes } from '../../../../wire/routes.ts';
import type { Addresses } from '../../../core.ts';
import { notOffered } from '../../accounts/offered-scopes.ts';
import { signingAlgorithm } from './signed-tokens.ts';

const codeGrants = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
const authenticationMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;

/** What both documents contain. */
function sharedMetadata({ web, api }: Addresses) {
  return {
    issuer: web,
    authorization_endpoint: `${api}/oauth2/authorize`,
    token_endpoint: api + routes.createToken.path,
    revocation_endpoint: api + routes.revokeToken.path,
    device_authorization_endpoint: api + routes.startDevice.path,
    jwks_uri: api + routes.getSigningKeys.path,
    scopes_supported: scopes.filter(scope => !notOffered.has(scope)),
    token_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    code_challenge_methods_supported: [codeChallengeMethod],
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * Metadata of the authorization server, with the values that the hosted service publishes: its document does not name
 * the implicit grant and the device grant, although it supports both.
 *
 * @see RFC 8414; docs/spec/oauth2.md#discovery
 */
export function authorizationServerMetadata(addresses: Addresses) {
  return {
    ...sharedMetadata(addresses),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: codeGrants,
  };
}

/** Metadata of the OpenID provider. @see docs/spec/oauth2.md#discovery */
export function openidConfiguration(addresses: Addresses) {
  return {
    ...sharedMetadata(addresses),
    response_types_supported: ['code', 'token'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: [...codeGrants, 'implicit', deviceCodeGrantType],
    // Left out, it would mean true (OpenID Connect Discovery, section 3).
    request_uri_parameter_supported: false,
    userinfo_endpoint: addresses.api + routes.getUserInfo.path,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [signingAlgorithm],
    claims_supported: [
      'aud',
      'auth_time',
      'email',
      'email_verified',
      'exp',
      'iat',
      'iss',
      'locale',
      'nickname',
      'nonce',
      'picture',
      'preferred_username',
      'sub',
    ],
  };
}
