import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fieldErrors, type Issue } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { type Route, type RouteName, routes } from '../../wire/routes.ts';
import type { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import type { Credentials } from '../domain/credentials.ts';
import { Fault } from '../fault.ts';
import { admit, identify } from './admission.ts';
import { Blocklist } from './blocklist.ts';
import { collectBody, readBody } from './body.ts';
import type { Call, Handler, Handlers, Principal, Reply } from './call.ts';
import { blockedReply, errorReply, isUnforeseen, limitReply } from './errors.ts';
import { createLimiter, type Limiter, type LimitHeaders } from './limiter.ts';
import { apiPrefix, canonicalUrl, notFound } from './paths.ts';
import { writeReply } from './reply.ts';
import { answerUnreadable } from './unreadable.ts';

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
    // What still arrives while the service closes is served: the store closes last.
    return503OnClosing: false,
    requestTimeout: limits.requestMs,
    clientErrorHandler: answerUnreadable,
    // An interaction's token stands in the path.
    routerOptions: { maxParamLength: 2048 },
    rewriteUrl: request => canonicalUrl(request.url ?? '/'),
    frameworkErrors: (error, _request, reply) => writeReply(reply.hijack(), errorReply(error)),
  });
  app.removeAllContentTypeParsers();
  // Bodies are read by the routes themselves; what comes with a request to no route is never read.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.setErrorHandler((error, request, reply) => answerError(core, request, reply, error));
  app.setNotFoundHandler((request, reply) => writeReply(reply.hijack(), notFound(request.method, request.url)));

  const limiter = createLimiter(core);
  const blocklist = new Blocklist(core);
  for (const name of Object.keys(routes) as RouteName[]) {
    const handler = deps.handlers[name];
    if (!handler) throw new Error(`No handler serves the route ${name}.`);
    mount(app, core, { ...deps, name, handler, limiter, blocklist });
  }
  return app;
}

interface Mounted extends HttpDeps {
  readonly name: RouteName;
  readonly handler: Handler;
  readonly limiter: Limiter;
  readonly blocklist: Blocklist;
}

function mount(app: FastifyInstance, core: Core, mounted: Mounted): void {
  const { name, handler, credentials, limiter, blocklist, activity } = mounted;
  const route: Route = routes[name];
  const idNames = pathParameters(route.path).filter(parameter => !route.text?.includes(parameter));

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    let principal: Principal | undefined;
    let limitHeaders: LimitHeaders | undefined;
    let answer: Reply;
    const blockedForMs = blocklist.blockedForMs(request.ip);
    if (blockedForMs > 0) return writeReply(reply, blockedReply(blockedForMs));
    activity.begin();
    // Listened to before anything is waited for: a stream that has to hold its data costs several times as much.
    const body = route.body && collectBody(request.raw);
    try {
      principal = admit(route, await identify(credentials, route, request.headers.authorization));
      const { headers, refusal } = await limiter.take(route, principal, request);
      limitHeaders = headers;
      answer = refusal
        ? limitReply(refusal)
        : await handler(toCall(request, principal, body && readBody(route, request.headers, await body)));
    } catch (error) {
      if (isUnforeseen(error)) core.log.error({ route: name, error }, 'A request failed.');
      answer = errorReply(error);
    }
    activity.end();
    core.journal.write('request', { route: name, status: answer.status, caller: describe(principal) });
    blocklist.count(request.ip, answer, limitHeaders);
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
      serve(request, reply).catch(error => {
        core.log.error({ route: name, error }, 'An answer could not be written.');
        request.raw.destroy();
      });
    },
    handler: () => {},
  });
}

/** The framework judges the headers of a request that no route serves before it says so. */
function answerError(core: Core, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (!request.is404 && isUnforeseen(error)) {
    core.log.error({ url: request.routeOptions.url, error }, 'A request failed.');
  }
  writeReply(reply.hijack(), request.is404 ? notFound(request.method, request.url) : errorReply(error));
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
