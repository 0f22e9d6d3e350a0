import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { apiVersion, routes } from '../../wire/routes.ts';
import { RequestError } from '../support/request-error.ts';
import type { Reply } from './call.ts';
import { requestErrorReply } from './errors.ts';

/** The route of a request target, with its parameters. */
export interface Found<Value> {
  readonly value: Value;
  /** Name in the braces → decoded value. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

interface Branch<Value> {
  readonly literals: Map<string, Branch<Value>>;
  parameter?: Branch<Value>;
  end?: { readonly value: Value; readonly names: readonly string[] };
}

/** Bound on the length of a parameter; the longest are interaction tokens. */
const parameterLengthMax = 2048;

const noQuery: Found<unknown>['query'] = {};

/**
 * Finds the route of a request: one tree for each method, with one level for each segment of the path. If a segment matches a literal
 * and a parameter, the literal is preferred.
 */
export class Router<Value> {
  readonly #trees = new Map<string, Branch<Value>>();

  /** @param path `{name}` stands for one segment that is not empty */
  add(method: string, path: string, value: Value): void {
    const names: string[] = [];
    let branch = this.#trees.get(method) ?? grow<Value>();
    this.#trees.set(method, branch);
    for (const segment of path.split('/').slice(1)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) names.push(name);
      branch = name === undefined ? literalBelow(branch, segment) : parameterBelow(branch);
    }
    branch.end = { value, names };
  }

  /**
   * @param target a path with or without query
   * @returns undefined when no route of the method has the path
   * @throws URIError for an invalid percent escape
   */
  find(method: string, target: string): Found<Value> | undefined {
    const tree = this.#trees.get(method);
    if (!tree) return undefined;
    const mark = target.indexOf('?');
    // The part before the first slash is empty.
    const segments = (mark < 0 ? target : target.slice(0, mark)).split('/');
    for (let at = 1; at < segments.length; at++) {
      const segment = segments[at] ?? '';
      if (segment.includes('%')) segments[at] = decodeURIComponent(segment);
    }
    const values: string[] = [];
    const end = walk(tree, segments, 1, values);
    if (!end) return undefined;
    const params: Record<string, string> = {};
    for (let at = 0; at < end.names.length; at++) params[end.names[at] ?? ''] = values[at] ?? '';
    return { value: end.value, params, query: mark < 0 ? noQuery : parse(target.slice(mark + 1)) };
  }
}

function walk<Value>(
  branch: Branch<Value>,
  segments: readonly string[],
  at: number,
  values: string[],
): Branch<Value>['end'] {
  const segment = segments[at];
  if (segment === undefined) return branch.end;
  // Where only parameters are possible, the literal look-up is skipped.
  const literal = branch.literals.size > 0 ? branch.literals.get(segment) : undefined;
  const found = literal && walk(literal, segments, at + 1, values);
  if (found) return found;
  if (!branch.parameter || segment === '' || segment.length > parameterLengthMax) return undefined;
  values.push(segment);
  const end = walk(branch.parameter, segments, at + 1, values);
  if (!end) values.pop();
  return end;
}

function grow<Value>(): Branch<Value> {
  return { literals: new Map() };
}

function literalBelow<Value>(branch: Branch<Value>, segment: string): Branch<Value> {
  const known = branch.literals.get(segment) ?? grow<Value>();
  branch.literals.set(segment, known);
  return known;
}

function parameterBelow<Value>(branch: Branch<Value>): Branch<Value> {
  branch.parameter ??= grow<Value>();
  return branch.parameter;
}

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
  const url = target.replace(/#.*$/s, '');
  const path = url.replace(absoluteStart, '');
  return path === url || path.startsWith('/') ? path : `/${path}`;
}

const absoluteStart = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** The host that a request is for: of a whole URL the one in it, whatever the header says (RFC 9112, section 3.2.2). */
export function requestedHost({
  url = '/',
  headers: { host },
}: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
  return url.startsWith('/') ? host : (absoluteStart.exec(url)?.[1] ?? host);
}

// Clients that escape every path segment send `%40me` and `%40original`.
function unescapeAt(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replaceAll('%40', '@') + url.slice(path.length);
}

/** A method, and the paths at which it is served. */
export interface MountedPath {
  readonly method: string;
  readonly pattern: RegExp;
}

const mountedPaths: readonly MountedPath[] = Object.values(routes).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${apiPrefix}${path.replace(/[.@]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/**
 * The answer to a request that no route serves: 404, 405 with the methods of the path, or an invalid version.
 *
 * Unspecified: no route has the method OPTIONS; a path with a trailing slash is another path.
 *
 * @param pages what is served besides the routes
 */
export function notFound(method: string, url: string, pages: readonly MountedPath[] = []): Reply {
  const path = url.split('?', 1)[0] ?? '';
  const version = /^\/api\/v(\d+)(?:\/|$)/.exec(path)?.[1];
  if (version !== undefined && Number(version) !== apiVersion)
    return requestErrorReply(new RequestError('invalid_api_version'));
  const atPath = [...mountedPaths, ...pages].filter(({ pattern }) => pattern.test(path));
  const methods = atPath.map(mounted => mounted.method);
  const allowed = new Set(methods.flatMap(mounted => (mounted === 'GET' ? ['GET', 'HEAD'] : mounted)));
  if (allowed.size === 0 || allowed.has(method)) return requestErrorReply(new RequestError('not_found'));
  return { ...requestErrorReply(new RequestError('method_not_allowed')), headers: { allow: [...allowed].join(', ') } };
}
