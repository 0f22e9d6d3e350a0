import { anyObject } from './json-schema.ts';
import { commandSchemas } from './schemas/command.ts';
import { commonSchemas } from './schemas/common.ts';
import { errorSchemas } from './schemas/error.ts';
import { gatewaySchemas } from './schemas/gateway.ts';
import { guildSchemas } from './schemas/guild.ts';
import { interactionSchemas } from './schemas/interaction.ts';
import { lobbySchemas } from './schemas/lobby.ts';
import { oauthSchemas } from './schemas/oauth.ts';
import { partnerSchemas } from './schemas/partner.ts';
import { roleConnectionSchemas } from './schemas/role-connection.ts';
import { webhookSchemas } from './schemas/webhook.ts';

/** Every schema of the document, by the name it has there. */
export const schemas = {
  ...commonSchemas,
  ...commandSchemas,
  ...lobbySchemas,
  ...guildSchemas,
  ...interactionSchemas,
  ...oauthSchemas,
  ...partnerSchemas,
  ...roleConnectionSchemas,
  ...webhookSchemas,
  ...gatewaySchemas,
  ...errorSchemas,
  OpenApi: { ...anyObject, description: 'A document of OpenAPI 3.1' },
};

export type SchemaName = keyof typeof schemas;
