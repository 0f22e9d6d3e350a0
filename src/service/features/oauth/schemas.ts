import { externalAuthTokenLengthMax, externalAuthTypes } from '../../../model/external-auth.ts';
import { limits } from '../../../model/limits/limits.ts';
import { deviceCodeGrantType, deviceResults, installScopes, scopes } from '../../../model/oauth.ts';
import { accountFields } from '../../http/common-schemas.ts';
import {
  anyObject,
  boolean,
  dictionary,
  type Fields,
  integer,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../../http/json-schema.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { signingAlgorithm } from './openid/signed-tokens.ts';

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceCodeGrantType];
const scopeList = { type: 'string', description: 'Scopes, separated by blanks' };
const clientFields = { client_id: ref('Snowflake'), client_secret: text(1) };

const partialApplication: Fields = {
  id: ref('Snowflake'),
  name: text(),
  icon: nullable(text()),
  description: text(),
  bot_public: boolean,
  bot_require_code_grant: boolean,
  verify_key: text(),
  type: { type: 'null' },
  flags: integer(0),
  flags_new: { ...text(1), pattern: '^[0-9]+$', description: 'The flags as decimal text' },
};

const picture = { ...text(1), description: 'A picture as a data URI in base64: checked, and ignored' };

/** @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#token-information */
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
      idempotency_key: text(serviceLimits.idempotencyKeyLengthMin, serviceLimits.idempotencyKeyLengthMax),
      external_auth_type: ref('ExternalAuthType'),
      external_auth_token: text(1, externalAuthTokenLengthMax),
      scope: scopeList,
    },
  ),
  RevocationRequest: object('Revokes a token', { token: text(1) }, { token_type_hint: text(), ...clientFields }),
  DeviceStart: object('Asks to sign in a device', { scope: scopeList }, clientFields),
  DeviceAuthorization: object('The codes of a device', {
    device_code: text(1),
    user_code: text(serviceLimits.userCodeLength, serviceLimits.userCodeLength),
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
  Nothing: { type: 'object', description: 'Empty', maxProperties: 0 },
  TokenResponse: object(
    'Tokens',
    { access_token: text(1), token_type: { const: 'Bearer' }, expires_in: integer(0), scope: scopeList },
    {
      refresh_token: text(1),
      id_token: text(1),
      guild: object('The guild that the bot was added to', { id: ref('Snowflake'), name: text() }),
    },
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
  Connections: list(anyObject, 0),
  Entitlements: list(anyObject, 0),
  UserEdit: object(
    'What is to be changed of the bot; other fields are ignored',
    {},
    nullableFields({
      username: {
        ...text(limits.usernameLengthMin),
        description: `${limits.usernameLengthMin} to ${limits.usernameLengthMax} characters; blanks around it do not count`,
      },
      avatar: picture,
      banner: picture,
    }),
  ),
  CurrentUser: {
    ...object(
      'The user that the credential stands for; of a bot token its bot',
      {
        id: ref('Snowflake'),
        username: text(),
        global_name: nullable(text()),
        discriminator: text(),
        ...accountFields,
        mfa_enabled: boolean,
        locale: text(),
      },
      { bot: boolean, email: nullable(text()), verified: boolean },
    ),
  },
  UserInfo: object(
    'OpenID’s claims about the user',
    { sub: ref('Snowflake') },
    {
      email: nullable(text()),
      email_verified: boolean,
      preferred_username: text(),
      picture: text(),
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
  PartialApplication: object('An application as its users see it', partialApplication),
  OwnApplication: object(
    'An application as its own bot sees it',
    {
      ...partialApplication,
      bot: ref('User'),
      team: { type: 'null' },
      redirect_uris: list(text(1), serviceLimits.redirectUrisMax),
      interactions_endpoint_url: nullable(text(1)),
      role_connections_verification_url: { type: 'null' },
      event_webhooks_url: nullable(text(1)),
      event_webhooks_status: { type: 'integer', enum: [1, 2] },
      event_webhooks_types: list(text(1)),
      approximate_guild_count: integer(0),
      approximate_user_install_count: integer(0),
      approximate_user_authorization_count: integer(0),
      explicit_content_filter: { type: 'integer', enum: [0, 1] },
      eligible_oauth2_scopes: list({ type: 'string', enum: scopes }),
      tags: list(text(1)),
      integration_types_config: {
        description: 'Integration type → what a link that names the application alone installs there',
        ...dictionary(object('Where it can be installed', {}, { oauth2_install_params: ref('InstallParams') })),
      },
    },
    { owner: ref('User'), install_params: ref('InstallParams') },
  ),
  ApplicationEdit: object(
    'What is to be changed of the application; other fields are ignored',
    {},
    nullableFields({
      description: text(0, limits.applicationDescriptionLengthMax),
      interactions_endpoint_url: text(0, limits.interactionsEndpointUrlLengthMax),
    }),
  ),
  InstallParams: object('What a link installs that names the application alone', {
    scopes: list({ type: 'string', enum: [...installScopes] }),
    permissions: { ...text(1), pattern: '^[0-9]+$', description: 'Permission bits as decimal text' },
  }),
};

const proof = text(1, externalAuthTokenLengthMax);
const secret = nullable(text(0, limits.clientSecretLengthMax));
const externalUserId = text(1, limits.externalUserIdLengthMax);
const globalName = nullable(text(1, limits.globalNameLengthMax));

/** @see docs/spec/oauth2.md#provisional-accounts */
export const partnerSchemas = {
  ExternalAuthType: {
    type: 'string',
    enum: externalAuthTypes,
    description: 'How a player proves who it is elsewhere',
  },
  ProvisionalTokenInput: object(
    'Who the player is elsewhere, by proof',
    { client_id: ref('SnowflakeInput'), external_auth_type: ref('ExternalAuthType'), external_auth_token: proof },
    { client_secret: secret },
  ),
  BotProvisionalTokenInput: object(
    'Who the player is in the application’s own accounts',
    { external_user_id: externalUserId },
    { preferred_global_name: globalName, provisional_user_id: nullable(ref('SnowflakeInput')) },
  ),
  BotUnmergeInput: object('Who the player is in the application’s own accounts', { external_user_id: externalUserId }),
  ChildTokenInput: object(
    'A token of the publisher’s application, and the application that another is for',
    { parent_access_token: proof, child_application_id: ref('SnowflakeInput') },
    { parent_client_secret: secret },
  ),
  ProvisionalTokenResponse: object(
    'A token without one to refresh it',
    {
      access_token: text(1),
      token_type: { const: 'Bearer' },
      expires_in: integer(0),
      scope: text(1),
      id_token: text(1),
    },
    { scopes: list(text(1)), expires_at_s: integer(0) },
  ),
  AccountEdit: object('What others see the account as', {}, { global_name: globalName }),
};
