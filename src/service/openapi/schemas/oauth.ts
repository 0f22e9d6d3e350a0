import { limits } from '../../../model/limits.ts';
import { deviceCodeGrantType, deviceResults, scopes } from '../../../model/oauth.ts';
import { signingAlgorithm } from '../../oauth/signing-keys.ts';
import { boolean, integer, list, nullable, object, ref, text } from '../json-schema.ts';

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceCodeGrantType];
const scopeList = { type: 'string', description: 'Scopes, separated by blanks' };
const clientFields = { client_id: ref('Snowflake'), client_secret: text(1) };

/** @see oauth2.md 3 and 8 */
export const oauthSchemas = {
  TokenRequest: object(
    'Asks for tokens: for a code, for a refresh token, for a device’s code, or for the application itself',
    { grant_type: { type: 'string', enum: grantTypes } },
    {
      ...clientFields,
      code: text(1),
      device_code: text(1),
      redirect_uri: text(1),
      code_verifier: text(1),
      refresh_token: text(1),
      scope: scopeList,
    },
  ),
  RevocationRequest: object('Ends a token', { token: text(1) }, { token_type_hint: text(), ...clientFields }),
  DeviceStart: object('Asks to sign in a device', { scope: scopeList }, clientFields),
  DeviceAuthorization: object('The codes of a device', {
    device_code: text(1),
    user_code: text(limits.userCodeLength, limits.userCodeLength),
    verification_uri: { ...text(1), format: 'uri' },
    verification_uri_complete: { ...text(1), format: 'uri' },
    expires_in: { ...integer(0), description: 'Seconds' },
    interval: { ...integer(0), description: 'Seconds between two polls' },
  }),
  DeviceVerification: object('Asks what a device wants', { user_code: text(1) }),
  DeviceRequest: object('What a device wants', {
    scopes: list({ type: 'string', enum: scopes }),
    client_id: ref('Snowflake'),
    two_way_link_code: nullable(text()),
    type: { type: 'string', enum: ['pending', ...deviceResults] },
  }),
  DeviceDecision: object('Answers a device', {
    user_code: text(1),
    result: { type: 'string', enum: deviceResults },
  }),
  Nothing: { type: 'object', description: 'Says nothing', maxProperties: 0 },
  TokenResponse: object(
    'Tokens',
    { access_token: text(1), token_type: { const: 'Bearer' }, expires_in: integer(0), scope: scopeList },
    { refresh_token: text(1), id_token: text(1) },
  ),
  SigningKeys: object('The keys that ID tokens are signed with', {
    keys: list(
      object('A public key (RFC 7517)', {
        kty: text(1),
        use: { const: 'sig' },
        kid: text(1),
        n: text(1),
        e: text(1),
        alg: { const: signingAlgorithm },
      }),
    ),
  }),
  CurrentUser: {
    ...object(
      'The user that the credential stands for; of a bot token its bot',
      {
        id: ref('Snowflake'),
        username: text(),
        global_name: nullable(text()),
        discriminator: text(),
        avatar: nullable(text()),
      },
      { bot: boolean, locale: text(), email: nullable(text()), verified: boolean },
    ),
  },
  UserInfo: object(
    'OpenID’s claims about the user',
    { sub: ref('Snowflake') },
    {
      email: nullable(text()),
      email_verified: boolean,
      preferred_username: text(),
      nickname: nullable(text()),
      locale: text(),
    },
  ),
  CurrentAuthorization: object(
    'What the access token stands for',
    {
      application: ref('PartialApplication'),
      scopes: list({ type: 'string', enum: scopes }),
      expires: ref('Timestamp'),
    },
    { user: ref('User') },
  ),
  PartialApplication: object('An application as its users see it', {
    id: ref('Snowflake'),
    name: text(),
    icon: nullable(text()),
    description: text(),
    bot_public: boolean,
    bot_require_code_grant: boolean,
    verify_key: text(),
  }),
};
