import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fieldErrors, type Issue } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { apiVersion, type Route, type RouteName, routes } from '../../wire/routes.ts';
import type { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import type { Credentials } from '../domain/credentials.ts';
import { Fault } from '../fault.ts';
import { admit, identify } from './admission.ts';
import { readBody } from './body.ts';
import type { Call, Handler, Handlers, Principal, Reply } from './call.ts';
import { errorReply, faultReply, isUnforeseen, limitReply } from './errors.ts';
import { createLimiter, type Limiter, type LimitHeaders } from './limiter.ts';
import { writeReply } from './reply.ts';

/** Where the API begins; other accepted spellings are rewritten to this one. */
export const apiPrefix = `/api/v${apiVersion}`;

export interface HttpDeps {
  readonly credentials: Credentials;
  /** A handler for every route of the table. */
  readonly handlers: Handlers;
  /** Counts the requests under way. */
  readonly activity: Activity;
}

/** The HTTP door: mounts the route table and answers in the interface's forms. Pages and control are added by others. */
export function createHttpServer(core: Core, deps: HttpDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: limits.requestBodyBytesMax,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // An interaction's token stands in the path.
    routerOptions: { maxParamLength: 2048 },
    rewriteUrl: request => canonicalUrl(request.url ?? '/'),
    frameworkErrors: (_error, _request, reply) => writeReply(reply.hijack(), faultReply(new Fault('not_found'))),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => answerError(core, request, reply, error));
  app.setNotFoundHandler((request, reply) => writeReply(reply.hijack(), notFound(request.method, request.url)));

  const limiter = createLimiter(core);
  for (const name of Object.keys(routes) as RouteName[]) {
    const handler = deps.handlers[name];
    if (!handler) throw new Error(`No handler serves the route ${name}.`);
    mount(app, core, { ...deps, name, handler, limiter });
  }
  return app;
}

interface Mounted extends HttpDeps {
  readonly name: RouteName;
  readonly handler: Handler;
  readonly limiter: Limiter;
}

function mount(app: FastifyInstance, core: Core, { name, handler, credentials, limiter, activity }: Mounted): void {
  const route: Route = routes[name];
  const idNames = pathParameters(route.path).filter(parameter => !route.text?.includes(parameter));

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    let principal: Principal | undefined;
    let limitHeaders: LimitHeaders | undefined;
    let answer: Reply;
    activity.begin();
    try {
      principal = admit(route, await identify(credentials, route, request.headers.authorization));
      const { headers, refusal } = await limiter.take(route, principal, request);
      limitHeaders = headers;
      answer = refusal
        ? limitReply(refusal)
        : await handler(toCall(request, principal, route.body && (await readBody(route, request.raw))));
    } catch (error) {
      if (isUnforeseen(error)) core.log.error({ route: name, error }, 'A request failed.');
      answer = errorReply(error);
    }
    activity.end();
    core.journal.write('request', { route: name, status: answer.status, caller: describe(principal) });
    writeReply(reply, answer, limitHeaders);
  }

  function toCall(request: FastifyRequest, principal: Principal, body: unknown): Call {
    const params = request.params as Readonly<Record<string, string>>;
    checkIds(idNames, params);
    return {
      route: name,
      principal,
      params,
      query: request.query as Record<string, string>,
      body,
      headers: request.headers,
    };
  }

  app.route({
    method: route.method,
    url: apiPrefix + route.path.replace(/\{(\w+)\}/g, ':$1'),
    // The request is taken over before the framework reads its body: reading it here costs half as much.
    onRequest(request, reply) {
      reply.hijack();
      void serve(request, reply);
    },
    handler: () => {},
  });
}

function answerError(core: Core, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (isUnforeseen(error)) core.log.error({ url: request.routeOptions.url, error }, 'A request failed.');
  writeReply(reply.hijack(), errorReply(error));
}

function checkIds(names: readonly string[], params: Readonly<Record<string, string>>): void {
  const issues: Issue[] = [];
  for (const name of names) {
    if (isSnowflake(params[name])) continue;
    const message = fieldErrors.NUMBER_TYPE_COERCE(params[name], 'snowflake');
    issues.push({ path: [name], code: 'NUMBER_TYPE_COERCE', message });
  }
  if (issues.length > 0) throw new Fault('invalid_form_body', {}, issues);
}

function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');
}

// The version before this one and no version at all are served as this one (our choice: only one is spoken).
const otherSpelling = /^\/api\/(?:v9\/|(?!v\d+(?:\/|$)))/;

function canonicalUrl(url: string): string {
  const spelled = url.startsWith(apiPrefix) ? url : url.replace(otherSpelling, `${apiPrefix}/`);
  return spelled.includes('%40') ? unescapeAt(spelled) : spelled;
}

// Clients that escape every path segment write `@me` and `@original` so, and the router would not know them.
function unescapeAt(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replaceAll('%40', '@') + url.slice(path.length);
}

const mountedPaths = Object.values(routes).map(({ method, path }) => ({
  method: method as string,
  pattern: new RegExp(`^${apiPrefix}${path.replace(/[.@]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`),
}));

function notFound(method: string, url: string): Reply {
  const path = url.split('?', 1)[0] ?? '';
  const version = /^\/api\/v(\d+)(?:\/|$)/.exec(path)?.[1];
  if (version !== undefined && Number(version) !== apiVersion) return faultReply(new Fault('invalid_api_version'));
  const allowed = mountedPaths.filter(mounted => mounted.pattern.test(path)).map(mounted => mounted.method);
  if (allowed.length === 0 || allowed.includes(method)) return faultReply(new Fault('not_found'));
  return { ...faultReply(new Fault('method_not_allowed')), headers: { allow: allowed.join(', ') } };
}

function describe(principal: Principal | undefined): string | undefined {
  if (!principal) return undefined;
  switch (principal.kind) {
    case 'none':
      return undefined;
    case 'session':
      return `user ${principal.user.id}`;
    case 'user':
      return `user ${principal.user.id} of application ${principal.application.id}`;
    default:
      return `${principal.kind} ${principal.application.id}`;
  }
}
