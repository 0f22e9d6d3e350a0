import { clientCredentialsScopes, scopes } from '../../model/oauth.ts';
import type { Credential, Route } from '../../wire/routes.ts';
import { routes } from '../../wire/routes.ts';
import type { Addresses } from '../core.ts';
import type { JsonSchema } from './json-schema.ts';

/** How callers prove who they are. @see docs/spec/http.md#credentials */
export function securitySchemes({ api }: Addresses): JsonSchema {
  const tokenUrl = api + routes.createToken.path;
  const userScopes = scopes.filter(scope => !clientCredentialsScopes.has(scope));
  return {
    BotToken: header('`Bot ` and the token of the application’s bot'),
    SessionToken: header('The token of a user’s own client, as it is'),
    OAuth2: {
      type: 'oauth2',
      description: '`Bearer ` and an access token',
      flows: {
        authorizationCode: {
          authorizationUrl: `${api}/oauth2/authorize`,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: scopeMap(userScopes),
        },
        clientCredentials: { tokenUrl, scopes: scopeMap([...clientCredentialsScopes]) },
      },
    },
  };
}

function header(description: string): JsonSchema {
  return { type: 'apiKey', in: 'header', name: 'Authorization', description };
}

function scopeMap(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map(name => [name, name]));
}

/** Any one of them opens the route. */
export function securityOf({ credentials }: Route): readonly JsonSchema[] {
  return credentials.map(requirement);
}

function requirement(credential: Credential): JsonSchema {
  if (credential === 'none') return {};
  if (credential === 'bot') return { BotToken: [] };
  if (credential === 'session') return { SessionToken: [] };
  const scope = credential.slice(credential.indexOf(':') + 1);
  return { OAuth2: scope === 'any' ? [] : [scope] };
}
