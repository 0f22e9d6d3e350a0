import type { LimitProfile, RateLimit } from '../../model/limits/limit-profiles.ts';
import { clientCredentialsScopes, scopes } from '../../model/oauth.ts';
import { version } from '../../model/version.ts';
import { apiVersion, type Credential, type Route, type RouteName, routes } from '../../wire/routes.ts';
import type { Addresses, Core } from '../core.ts';
import { formTypes } from '../http/body/read-body.ts';
import { type Fields, type JsonSchema, ref, text } from '../http/json-schema.ts';
import { type Operation, operations } from './operations.ts';
import { rateLimitHeaders, responsesOf } from './responses.ts';
import { schemas } from './schemas.ts';

/**
 * The OpenAPI 3.1 document of what the service mounts: the route table, its schemas and the figures of the running
 * limits profile. Paths are relative to the server, which names the version.
 *
 * `x-ratelimit` of every operation is what it counts against: `bucket` with `requests` per `window_ms` where the
 * profile has figures (`per_application`: all its users count together), and the limit over all routes as `global`
 * (null: not counted there).
 */
export function openApiDocument({ addresses, limits }: Pick<Core, 'addresses' | 'limits'>): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rallypoint',
      version,
      summary: 'Application commands, lobbies, OAuth2 and the gateway of one service',
    },
    servers: [{ url: `${addresses.api}/v${apiVersion}` }],
    paths: pathsOf(limits),
    components: { schemas, headers: rateLimitHeaders, securitySchemes: securitySchemes(addresses) },
  };
}

function pathsOf(profile: LimitProfile): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const operation = operationOf(route, operations[name], profile);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return paths;
}

function operationOf(route: Route, operation: Operation, profile: LimitProfile): JsonSchema {
  return {
    operationId: operation.id,
    summary: operation.summary,
    parameters: [...pathParameters(route), ...queryParameters(operation.query ?? {})],
    ...(operation.request && {
      requestBody: {
        required: !route.bodyOptional,
        content: contentOf(route, ref(operation.request)),
      },
    }),
    responses: responsesOf(route, operation),
    security: securityOf(route),
    'x-ratelimit': rateLimitOf(route, profile),
  };
}

function contentOf({ body = 'json', forms }: Route, schema: JsonSchema): JsonSchema {
  const types = forms ? [mediaTypes[body], ...formTypes] : [mediaTypes[body]];
  return Object.fromEntries(types.map(type => [type, { schema }]));
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

function pathParameters({ path, text: free = [] }: Route): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: free.includes(name) ? text(1) : ref('Snowflake'),
  }));
}

function queryParameters(query: Fields): JsonSchema[] {
  return Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function rateLimitOf({ bucket, exempt }: Route, { buckets }: LimitProfile): JsonSchema {
  return {
    ...(bucket && { bucket, ...figures(buckets[bucket]) }),
    global: exempt || !buckets.global ? null : figures(buckets.global),
  };
}

function figures(limit: RateLimit | undefined): JsonSchema {
  if (!limit) return {};
  return {
    requests: limit.requests,
    window_ms: limit.windowMs,
    ...(limit.perApplication && { per_application: true }),
  };
}

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

/** Any one of them is accepted. */
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
