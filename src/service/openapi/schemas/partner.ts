import { externalAuthTokenLengthMax, externalAuthTypes } from '../../../model/external-auth.ts';
import { limits } from '../../../model/limits/limits.ts';
import { integer, list, nullable, object, ref, text } from '../json-schema.ts';

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
