import { apiVersion, routes } from '../../wire/routes.ts';
import { RequestError } from '../support/request-error.ts';
import type { Reply } from './call.ts';
import { requestErrorReply } from './errors.ts';

/**
 * API versions that clients may use in paths and at the gateway. Unspecified: only the newest is implemented; older ones are served as
 * the newest.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export const servedVersions: readonly number[] = [6, 7, 8, 9, apiVersion];

/** Whether the text is a version that this service serves. */
export function isServedVersion(text: string): boolean {
  return servedVersions.some(version => String(version) === text);
}

/** The prefix of the API's paths; other accepted spellings are rewritten to this one. */
export const apiPrefix = `/api/v${apiVersion}`;

// Every version that is served, and none.
const otherSpelling = new RegExp(`^/api/(?:v(?:${servedVersions.join('|')})/|(?!v\\d+(?:/|$)))`);

/** The request target in the spelling of the route table. */
export function canonicalUrl(target: string): string {
  const url = target.startsWith('/') && !target.includes('#') ? target : pathAndQuery(target);
  const spelled = url.startsWith(apiPrefix) ? url : url.replace(otherSpelling, `${apiPrefix}/`);
  return spelled.includes('%40') ? unescapeAt(spelled) : spelled;
}

// Requests to a proxy carry a whole URL; a fragment is not meant to be sent.
function pathAndQuery(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
}

// Clients that escape every path segment send `%40me` and `%40original`.
function unescapeAt(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replaceAll('%40', '@') + url.slice(path.length);
}

const mountedPaths = Object.values(routes).map(({ method, path }) => ({
  method: method as string,
  pattern: new RegExp(`^${apiPrefix}${path.replace(/[.@]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/**
 * The answer to a request that no route serves: 404, 405 with the methods of the path, or an invalid version.
 *
 * Unspecified: no route has the methods HEAD and OPTIONS; a path with a trailing slash is another path.
 */
export function notFound(method: string, url: string): Reply {
  const path = url.split('?', 1)[0] ?? '';
  const version = /^\/api\/v(\d+)(?:\/|$)/.exec(path)?.[1];
  if (version !== undefined && Number(version) !== apiVersion)
    return requestErrorReply(new RequestError('invalid_api_version'));
  const allowed = new Set(mountedPaths.filter(({ pattern }) => pattern.test(path)).map(mounted => mounted.method));
  if (allowed.size === 0 || allowed.has(method)) return requestErrorReply(new RequestError('not_found'));
  return { ...requestErrorReply(new RequestError('method_not_allowed')), headers: { allow: [...allowed].join(', ') } };
}
