import { anyObject } from './json-schema.ts';
import { commandSchemas } from './schemas/command.ts';
import { commonSchemas, errorSchemas, gatewaySchemas, webhookSchemas } from './schemas/common.ts';
import { guildSchemas } from './schemas/guild.ts';
import { interactionSchemas } from './schemas/interaction.ts';
import { lobbySchemas } from './schemas/lobby.ts';
import { messageSchemas } from './schemas/message.ts';
import { oauthSchemas, partnerSchemas } from './schemas/oauth.ts';
import { presenceSchemas } from './schemas/presence.ts';
import { roleConnectionSchemas } from './schemas/role-connection.ts';
import { profileSchemas, relationshipSchemas } from './schemas/social.ts';

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
