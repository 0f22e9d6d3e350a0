import { roleConnectionSchemas } from '../features/accounts/role-connection-schemas.ts';
import { commandSchemas } from '../features/commands/schemas.ts';
import { guildSchemas } from '../features/guilds/schemas.ts';
import { messageSchemas } from '../features/interactions/message-schemas.ts';
import { interactionSchemas } from '../features/interactions/schemas.ts';
import { lobbySchemas } from '../features/lobbies/schemas.ts';
import { oauthSchemas, partnerSchemas } from '../features/oauth/schemas.ts';
import { presenceSchemas } from '../features/social/presence/schemas.ts';
import { profileSchemas, relationshipSchemas } from '../features/social/schemas.ts';
import { commonSchemas, errorSchemas, gatewaySchemas, webhookSchemas } from '../http/common-schemas.ts';
import { anyObject } from '../http/json-schema.ts';

/** Every schema of the document, by the name it has there. */
export const schemas = {
  ...commonSchemas,
  ...commandSchemas,
  ...lobbySchemas,
  ...guildSchemas,
  ...messageSchemas,
  ...interactionSchemas,
  ...oauthSchemas,
  ...partnerSchemas,
  ...roleConnectionSchemas,
  ...relationshipSchemas,
  ...profileSchemas,
  ...presenceSchemas,
  ...webhookSchemas,
  ...gatewaySchemas,
  ...errorSchemas,
  OpenApi: { ...anyObject, description: 'A document of OpenAPI 3.1' },
};

export type SchemaName = keyof typeof schemas;
