import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { fieldErrors } from '../../model/errors/field-errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { authorizePagePath } from '../../model/oauth.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { type Route, type RouteName, routes } from '../../wire/routes.ts';
import { admit, type Credentials, identify } from '../auth/credentials.ts';
import { callerOf, ownerOf, type Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import type { PendingWork } from '../support/pending-work.ts';
import { RequestError, rejectIssues } from '../support/request-error.ts';
import { intakeLimits } from '../support/service-limits.ts';
import type { ObservedRequest } from '../support/traffic.ts';
import {
  BodyBrokenOff,
  bodyBytesMax,
  type Collected,
  collectBody,
  HeldBytes,
  isSmall,
  readBody,
} from './body/read-body.ts';
import {
  type Answer,
  type Call,
  type Handler,
  type Handlers,
  type Proofs,
  type Reply,
  type RequestFaults,
  type RequestIds,
  type RequestLog,
  requestIdOf,
  writeReply,
} from './call.ts';
import type { AddressOf } from './client-address.ts';
import type { Connections, Drain } from './connections.ts';
import {
  blockedReply,
  errorReply,
  foreignOriginReply,
  limitReply,
  misdirectedError,
  requestErrorReply,
} from './errors.ts';
import { FailureLog } from './failure-log.ts';
import { type Hosts, transportSecurity } from './hosts.ts';
import { Blocklist, createLimiter, type Limiter, type LimitHeaders } from './limiter.ts';
import { createHttpListener } from './listener.ts';
import type { OperatorsListener } from './operators.ts';
import { apiPrefix, canonicalUrl, type Found, Router } from './router.ts';

export interface HttpDeps {
  readonly credentials: Credentials;
  /** A handler for every route of the table. */
  readonly handlers: Handlers;
  readonly proofs: Proofs;
  /** Counts the requests under way. */
  readonly pendingWork: PendingWork;
  /** Fault injection. */
  readonly faults?: RequestFaults;
  readonly connections: Connections;
  /** The host names that are accepted. */
  readonly hosts: Hosts;
  /** The address that limits and blocks count. */
  readonly addressOf: AddressOf;
  /** Serves every request that matches no route. */
  readonly site: RequestListener;
  /** Serves the endpoints for operators; absent if they have a port of their own. */
  readonly operators?: OperatorsListener | undefined;
  readonly requestIds: RequestIds;
  /** Absent: requests are not logged. */
  readonly requestLog?: RequestLog | undefined;
  readonly held: HeldBodies;
  /** Closes the server gracefully. */
  readonly drain: Drain;
}

/** Memory of the bodies of identified callers, and of all others. */
export type HeldBodies = Readonly<Record<'proven' | 'unproven', HeldBytes>>;

export function createHeldBodies({ metrics }: Pick<Core, 'metrics'>): HeldBodies {
  const onDrop = () => metrics.limited('held_bytes');
  const held = {
    proven: new HeldBytes(intakeLimits.provenBytesMax, onDrop),
    unproven: new HeldBytes(intakeLimits.unprovenBytesMax, onDrop),
  };
  metrics.watch({ callerBodyBytes: () => held.proven.bytes, strangerBodyBytes: () => held.unproven.bytes });
  return held;
}

/** The HTTP server: serves the routes of the table, and passes everything else to the site. */
export function createHttpServer(core: Core, deps: HttpDeps): Server {
  const router = createRouter(core, deps);
  const find = ({ method = '', url = '/' }: IncomingMessage) => {
    const target = canonicalUrl(url);
    if (!target.startsWith(`${apiPrefix}/`)) return undefined;
    // Node.js leaves the body of the answer to HEAD out (RFC 9110, section 9.3.2).
    return router.find(method === 'HEAD' ? 'GET' : method, target.slice(apiPrefix.length));
  };
  const findRoute = (request: IncomingMessage): Found<Serve> | { readonly refusal?: Reply } => {
    if (!deps.hosts.isOurs(request)) return { refusal: requestErrorReply(misdirectedError(request)) };
    if (deps.hosts.isForeignForm(request) && !isAuthorizationRequest(request)) return { refusal: foreignOriginReply() };
    try {
      return find(request) ?? {};
    } catch {
      return { refusal: requestErrorReply(new RequestError('bad_request')) };
    }
  };
  const serve: RequestListener = (request, response) => {
    const found = findRoute(request);
    if ('value' in found) return found.value(request, response, found);
    countAnswer(core, deps, request, response as Answer);
    if (found.refusal) writeReply(response, found.refusal);
    else deps.site(request, response);
  };
  let security: { readonly policy: string | undefined } | undefined;
  const { activity, tracing } = core;
  const traced: RequestListener = tracing
    ? (request, response) => tracing.request(request, response as Answer, () => serve(request, response))
    : serve;
  const observed: RequestListener = activity
    ? (request, response) => activity.serve(request, requestIdOf(response), () => traced(request, response))
    : traced;
  const server = createHttpListener(deps.drain.responseClass, (request, response) => {
    security ??= { policy: transportSecurity(core.addresses.web) };
    if (security.policy !== undefined) response.setHeader('strict-transport-security', security.policy);
    (response as Answer).requestId = deps.requestIds(request);
    if (deps.operators?.(request, response)) return countAnswer(core, deps, request, response as Answer);
    observed(request, response);
  });
  deps.drain.watch(server);
  server.on('connection', socket => deps.connections.accept(socket));
  return server;
}

/** A game's site may send such a request as a form: the answer only redirects to the page with the same query, as a link would. */
function isAuthorizationRequest({ method, url = '/' }: IncomingMessage): boolean {
  return method === 'POST' && canonicalUrl(url).split('?', 1)[0] === apiPrefix + authorizePagePath;
}

type Serve = (request: IncomingMessage, response: ServerResponse, found: Pick<Call, 'params' | 'query'>) => void;

/** A router with every route of the table. */
function createRouter(core: Core, deps: HttpDeps): Router<Serve> {
  const router = new Router<Serve>();
  const limiter = createLimiter(core);
  const blocklist = new Blocklist(core);
  core.metrics.watch({ blockedAddresses: () => blocklist.blockedCount });
  const failures = new FailureLog(core.log);
  for (const name of Object.keys(routes) as RouteName[]) {
    const handler = deps.handlers[name];
    if (!handler) throw new Error(`No handler serves the route ${name}.`);
    const serve = serveRoute(core, { ...deps, name, handler, limiter, blocklist, failures });
    const { method, path }: Route = routes[name];
    router.add(method, path, (request, response, { params, query }) => {
      serve(request, response, params, query).catch(error => {
        const request_id = requestIdOf(response);
        core.log.error({ route: name, request_id, error }, 'A response could not be written.');
        request.destroy();
      });
    });
  }
  return router;
}

interface Served extends HttpDeps {
  readonly name: RouteName;
  readonly handler: Handler;
  readonly limiter: Limiter;
  readonly blocklist: Blocklist;
  readonly failures: FailureLog;
}

type Parameters = Readonly<Record<string, string>>;

/** Serves the requests of one route: identifies the caller, applies limits, reads the body, calls the handler, answers. */
function serveRoute(core: Core, served: Served) {
  const { name, handler, credentials, limiter, blocklist, held, connections, pendingWork, faults, addressOf } = served;
  const { requestLog, failures } = served;
  const route: Route = routes[name];
  const meter = core.metrics.route(route.method, apiPrefix + route.path);
  const proof = served.proofs[name];
  const bodyProves = proof === undefined && route.body !== undefined && route.credentials.includes('none');
  const idNames = pathParameters(route.path).filter(parameter => !route.text?.includes(parameter));

  return async (request: IncomingMessage, response: ServerResponse, params: Parameters, query: Call['query']) => {
    const startMs = performance.now();
    const request_id = requestIdOf(response);
    (response as Answer).route = meter.route;
    const address = addressOf(request);
    const blockedForMs = blocklist.blockedForMs(address);
    let caller: Principal | undefined;
    let isProven = false;
    let limitHeaders: LimitHeaders | undefined;
    let answer: Reply;
    let body: unknown;
    let bodyBytes: number | undefined;
    const { traffic, activity } = core;
    const isObserved = traffic?.request !== undefined || activity?.isRecording === true;
    const receivedAtMs = isObserved ? core.clock.now() : 0;
    pendingWork.begin();
    // Small bodies are read immediately, because buffering them in the stream costs several times as much CPU; large ones wait until the
    // caller is identified.
    let collected: Collected | undefined;
    if (route.body && isSmall(request))
      collected = collectBody(request, intakeLimits.unprovenBodyBytesMax, held.unproven);
    try {
      // Awaited even if the result is there: errors in the bytes after the head surface within this turn of the event loop.
      caller = await identify(credentials, route, request);
      isProven = caller !== undefined && caller.kind !== 'none';
      const principal = admit(route, caller);
      // Requests with a secret in their path or body are not blocked before that is checked.
      if (blockedForMs > 0 && !isProven && !proof && !bodyProves) throw new RequestError('blocked');
      const taken = limiter.take(route, principal, address, params);
      const { headers: limited, refusal } = taken instanceof Promise ? await taken : taken;
      limitHeaders = limited;
      if (refusal) answer = limitReply(refusal);
      else {
        if (proof) {
          checkIds(idNames, params);
          await proof({ params, query });
          isProven = true;
        }
        if (isProven) {
          connections.proveFor(request.socket, ownerOf(caller) ?? { kind: 'address', id: address });
          collected?.trust();
        }
        if (route.body) {
          const bytesMax = bodyBytesMax(route, request.headers, isProven);
          collected ??= collectBody(request, bytesMax, isProven ? held.proven : held.unproven);
        }
        const bytes = await collected?.bytes;
        bodyBytes = bytes?.length;
        const read = collected && readBody(route, request.headers, bytes);
        body = read instanceof Promise ? await read : read;
        const trouble = faults?.concernRequests ? await faults.answer(name, principal) : undefined;
        if (!trouble) checkIds(idNames, params);
        const { headers } = request;
        answer = trouble ?? (await handler({ route: name, principal, params, query, body, headers, address }));
      }
    } catch (thrown) {
      if (thrown instanceof BodyBrokenOff) return pendingWork.end();
      const error = await orUnknownApplication(core, thrown, params);
      failures.report(error, { route: name, request_id });
      const isBlocked = blockedForMs > 0 && !isProven && !bodyProves;
      if (isBlocked) core.metrics.limited('blocked_address');
      answer = isBlocked ? blockedReply(blockedForMs) : errorReply(error);
    }
    collected?.close();
    if (!isProven && blockedForMs === 0) {
      const counted = blocklist.count(address, answer, limitHeaders);
      const blockedMeanwhileMs = counted instanceof Promise ? await counted : counted;
      if (blockedMeanwhileMs > 0) answer = blockedReply(blockedMeanwhileMs);
    }
    pendingWork.end();
    core.journal.write('request', { route: name, status: answer.status, caller: describe(caller), request_id });
    if (isObserved) {
      const observed: ObservedRequest = {
        ...{ route: name, params, query, body, bodyBytes, status: answer.status },
        ...{ receivedAtMs, answeredAtMs: core.clock.now() },
        ...{ caller: callerOf(caller), headers: { ...limitHeaders, ...answer.headers } },
        ...{ authorization: request.headers.authorization, contentType: request.headers['content-type'] },
        answer: answer.text?.toString() ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body)),
      };
      traffic?.request?.(observed);
      activity?.answered(observed);
    }
    writeReply(response, answer, limitHeaders);
    const durationMs = performance.now() - startMs;
    meter.count(answer.status, durationMs);
    if (answer.status === 429) core.metrics.rateLimited.add(scopeOf(answer, limitHeaders));
    requestLog?.({
      ...loggedAnswer(request, response as Answer, durationMs),
      ...{ route: meter.route, address, ...idsOf(caller) },
    });
  };
}

/** Counts and logs the answer to a request that matches no route. */
function countAnswer(
  { metrics, activity }: Core,
  { requestLog, addressOf }: Pick<HttpDeps, 'requestLog' | 'addressOf'>,
  request: IncomingMessage,
  response: Answer,
): void {
  const startMs = performance.now();
  const address = addressOf(request);
  const observed = activity?.page(request, response);
  response.once('close', () => {
    // The client disconnected before the answer.
    if (!response.headersSent) return;
    const { route = unknownRoute, statusCode } = response;
    const { method = '' } = request;
    observed?.();
    const durationMs = performance.now() - startMs;
    metrics.route(usualMethods.has(method) ? method : 'other', route).count(statusCode, durationMs);
    requestLog?.({ ...loggedAnswer(request, response, durationMs), route, address });
  });
}

/** The label for requests that nothing serves: callers must not be able to choose labels of metrics. */
const unknownRoute = 'other';
const usualMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function loggedAnswer({ method }: IncomingMessage, { requestId, statusCode, bytes }: Answer, durationMs: number) {
  return {
    request_id: requestId,
    method,
    status: statusCode,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    ...(bytes !== undefined && { bytes }),
  };
}

function scopeOf({ headers }: Reply, more: LimitHeaders | undefined): string {
  return headers?.['x-ratelimit-scope'] ?? more?.['x-ratelimit-scope'] ?? 'none';
}

function idsOf(principal: Principal | undefined): { application_id?: string; user_id?: string } {
  return {
    ...(principal && 'application' in principal && { application_id: principal.application.id }),
    ...(principal && 'user' in principal && { user_id: principal.user.id }),
  };
}

/** An error that says that the application in the path is not the caller's becomes another one if there is no such application. */
async function orUnknownApplication({ store }: Core, error: unknown, params: Parameters): Promise<unknown> {
  if (!(error instanceof RequestError) || error.reason !== 'not_your_application') return error;
  try {
    const application = await store.get('applications', params.application_id ?? '');
    return application ? error : new RequestError('unknown_application');
  } catch (failure) {
    return failure;
  }
}

function checkIds(names: readonly string[], params: Parameters): void {
  const issues: Issue[] = [];
  for (const name of names) {
    if (isSnowflake(params[name])) continue;
    const message = fieldErrors.NUMBER_TYPE_COERCE(params[name], 'snowflake');
    issues.push({ path: [name], code: 'NUMBER_TYPE_COERCE', message });
  }
  rejectIssues(issues);
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
