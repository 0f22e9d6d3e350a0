import { STATUS_CODES } from 'node:http';
import type { Route } from '../../wire/routes.ts';
import { type JsonSchema, ref } from '../http/json-schema.ts';
import type { Operation } from './operations.ts';
import type { SchemaName } from './schemas.ts';

/** Every status of a route with its body. @see docs/spec/errors.md#shapes */
export function responsesOf(route: Route, operation: Operation): JsonSchema {
  const bodies = [
    ...route.success.map(status => [status, status === 204 ? undefined : operation.answer] as const),
    ...errorsOf(route, operation),
  ];
  return Object.fromEntries(bodies.map(([status, body]) => [String(status), response(status, body)]));
}

function errorsOf(
  route: Route,
  { query, errorBody, errorStatuses = [] }: Operation,
): [status: number, body: SchemaName][] {
  const hasPathParameter = route.path.includes('{');
  const isOpen = route.credentials.includes('none');
  const isByToken = route.text !== undefined;
  const taken: [boolean, number, SchemaName][] = [
    [hasPathParameter || route.body !== undefined || query !== undefined, 400, errorBody ?? 'InvalidForm'],
    [!isOpen || isByToken || errorBody !== undefined || errorStatuses.includes(401), 401, errorBody ?? 'Error'],
    [!isOpen || errorStatuses.includes(403), 403, 'Error'],
    // A body can refer to something unknown, as a path can.
    [hasPathParameter || route.body === 'json', 404, 'Error'],
    [route.body !== undefined, 413, 'Error'],
    [errorStatuses.includes(423), 423, 'Error'],
    [!route.exempt || route.bucket !== undefined, 429, 'RateLimited'],
    // The store could not read or write, as when its disk is full.
    [true, 503, 'Error'],
  ];
  return taken.filter(([applies]) => applies).map(([, status, body]) => [status, body]);
}

function response(status: number, body: SchemaName | undefined): JsonSchema {
  return {
    description: STATUS_CODES[status],
    ...(body && { content: { 'application/json': { schema: ref(body) } } }),
    ...headersOf(status),
  };
}

const count = (description: string): JsonSchema => ({ description, schema: { type: 'integer' } });
const seconds = (description: string): JsonSchema => ({ description, schema: { type: 'number' } });

const bucketHeaders = {
  'X-RateLimit-Limit': count('Calls allowed per window'),
  'X-RateLimit-Remaining': count('Calls left in this window'),
  'X-RateLimit-Reset': seconds('When it ends, in seconds since the Unix epoch'),
  'X-RateLimit-Reset-After': seconds('When it ends, in seconds from now'),
  'X-RateLimit-Bucket': { description: 'The bucket that the call counts against', schema: { type: 'string' } },
};

const rejectionHeaders = {
  'X-RateLimit-Global': { description: 'Present if the limit over all routes was reached', schema: { const: 'true' } },
  'X-RateLimit-Scope': {
    description: 'What the limit applies to',
    schema: { type: 'string', enum: ['user', 'global', 'shared'] },
  },
  'Retry-After': count('Whole seconds to wait'),
};

/** @see docs/spec/limits.md#headers */
export const rateLimitHeaders: JsonSchema = { ...bucketHeaders, ...rejectionHeaders };

function headersOf(status: number): JsonSchema {
  if (status === 429) return { headers: refsTo(rateLimitHeaders) };
  if (status === 503) return { headers: refsTo({ 'Retry-After': rejectionHeaders['Retry-After'] }) };
  return status < 300 ? { headers: refsTo(bucketHeaders) } : {};
}

function refsTo(headers: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.keys(headers).map(name => [name, { $ref: `#/components/headers/${name}` }]));
}
