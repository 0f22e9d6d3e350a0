import { apiVersion, routes } from '../../wire/routes.ts';
import { RequestError } from '../support/request-error.ts';
import type { Reply } from './call.ts';
import { requestErrorReply } from './errors.ts';

/**
 * Versions that clients may name, in paths and to the gateway alike. Our choice: the newest alone is spoken, and those
 * before it that still work are served as it.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export const servedVersions: readonly number[] = [6, 7, 8, 9, apiVersion];

/** Whether that is how a version is written which this service serves. */
export function isServedVersion(text: string): boolean {
  return servedVersions.some(version => String(version) === text);
}

/** Where the API begins; other accepted spellings are rewritten to this one. */
export const apiPrefix = `/api/v${apiVersion}`;

// Every version that is served, and no version at all.
const otherSpelling = new RegExp(`^/api/(?:v(?:${servedVersions.join('|')})/|(?!v\\d+(?:/|$)))`);

/** The spelling of a request's target that the routes are mounted by. */
export function canonicalUrl(target: string): string {
  const url = target.startsWith('/') && !target.includes('#') ? target : pathAndQuery(target);
  const spelled = url.startsWith(apiPrefix) ? url : url.replace(otherSpelling, `${apiPrefix}/`);
  return spelled.includes('%40') ? unescapeAt(spelled) : spelled;
}

// What a proxy is asked for is whole; what stands behind # was never meant to be sent.
function pathAndQuery(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
}

// Clients that escape every path segment write `@me` and `@original` so, and the router would not know them.
function unescapeAt(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replaceAll('%40', '@') + url.slice(path.length);
}

const mountedPaths = Object.values(routes).map(({ method, path }) => ({
  method: method as string,
  pattern: new RegExp(`^${apiPrefix}${path.replace(/[.@]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/**
 * The answer to what no route serves: 404, 405 with the methods that the path has, or the refusal of a version.
 *
 * Our choice: HEAD and OPTIONS are methods like any other, and no route has them; a path with a slash at its end is
 * another path.
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
