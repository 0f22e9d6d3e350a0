import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiErrors, RallypointError, ValidationError } from '../../model/errors/errors.ts';
import { formatIssues, type Issue } from '../../model/errors/issue.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { BusError } from '../bus/errors.ts';
import { requestIdOf } from '../http/call.ts';
import { errorReply, isEngineFailure, logLevelOf } from '../http/errors.ts';
import { StoreError } from '../store/errors.ts';
import { challengeOf } from '../support/challenge.ts';
import { RequestError } from '../support/request-error.ts';
import { hashSecret, matchesSecret } from '../support/secret.ts';
import { RemovalError } from '../testing/removal.ts';
import { controlCalls } from './calls.ts';
import type { ControlDeps } from './deps.ts';
import { Sampler } from './metrics.ts';
import { type ControlCall, ControlRefusal, StreamedAnswer } from './request.ts';
import { damageWords } from './status.ts';
import { Streams } from './stream.ts';

/** The prefix of the control API's paths. */
export const controlPrefix = '/control';

/**
 * Mounts the control API, by which tests and tools change a service from outside its interface. Every call carries the control token
 * (`Authorization: Bearer …`); bodies are JSON, errors are `{message}`.
 *
 * @param app not listening yet
 */
export function registerControl(app: FastifyInstance, deps: ControlDeps): void {
  const calls = controlCalls(deps);
  const tokenHash = hashSecret(deps.controlToken);
  app.register(
    async scope => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
      scope.addHook('onRequest', async (request, reply) => {
        if (isForeignPage(request)) return rejectForeignPage(reply);
        if (!isAllowed(request.headers.authorization, tokenHash)) return rejectCaller(reply);
      });
      scope.setErrorHandler((error, request, reply) => answerError(deps, request, reply, error));
      scope.setNotFoundHandler((_request, reply) => answerUnknownCall(calls, reply));
      for (const call of calls) mount(scope, call, deps.core.log);
      mountStream(scope, deps);
    },
    { prefix: controlPrefix },
  );
}

function mount(scope: FastifyInstance, { name, bodyBytesMax, run }: ControlCall, log: Logger): void {
  const [method = '', url = ''] = name.split(' ');
  scope.route({
    method,
    url: url.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: bodyBytesMax,
    handler: async (request, reply) => {
      const answer = await run({
        params: request.params as Readonly<Record<string, string>>,
        query: request.query as Readonly<Record<string, unknown>>,
        body: readJson(request.body),
        wantsDetails: wantsDetails(request),
      });
      if (answer === undefined) return reply.code(204).send();
      if (answer instanceof StreamedAnswer) return sendStreamed(reply, answer, log);
      return reply
        .header('content-type', 'application/json')
        .header('cache-control', 'no-store')
        .send(JSON.stringify(answer));
    },
  });
}

/** So much is gathered before the head of an answer is sent: an error until then is answered as one. */
const beforeHeadSize = 1024 * 1024;

async function sendStreamed(reply: FastifyReply, { writeTo }: StreamedAnswer, log: Logger): Promise<FastifyReply> {
  const stream = new PassThrough({ highWaterMark: beforeHeadSize });
  const closed = new AbortController();
  stream.on('close', () => closed.abort());
  const isFull = Promise.withResolvers<void>();
  const written = writeTo(async text => {
    closed.signal.throwIfAborted();
    if (stream.write(text)) return;
    isFull.resolve();
    await once(stream, 'drain', { signal: closed.signal });
  });
  await Promise.race([written, isFull.promise]);
  written.then(
    () => stream.end(),
    (error: unknown) => {
      if (!closed.signal.aborted)
        log.error({ call: reply.request.routeOptions.url, error }, 'A control answer was cut off.');
      stream.destroy();
    },
  );
  return reply.header('content-type', 'application/json').header('cache-control', 'no-store').send(stream);
}

/** @see RFC 7240 */
function wantsDetails({ headers: { prefer }, query }: FastifyRequest): boolean {
  const preferences = String(prefer ?? '').split(',');
  if (preferences.some(preference => preference.trim().toLowerCase() === 'details')) return true;
  return (query as Readonly<Record<string, unknown>>).details === 'true';
}

/** The one call whose answer does not end. */
function mountStream(scope: FastifyInstance, deps: ControlDeps): void {
  const streams = new Streams(deps.core, new Sampler(deps.core), deps.startedAtMs);
  deps.onStop(() => streams.close());
  // Its answer has no end, so HEAD would wait for ever.
  scope.get('/stream', { exposeHeadRoute: false }, (request, reply) => {
    const { query, headers } = request;
    const lastEventId = headers['last-event-id'];
    const begin = streams.check(
      query as Readonly<Record<string, unknown>>,
      typeof lastEventId === 'string' ? lastEventId : undefined,
    );
    begin(reply.hijack().raw);
  });
}

/**
 * Whether a page of another site sent the request, as browsers tell. It could not have the token, and browsers show it no answer; this
 * rejects it before anything is looked at.
 */
function isForeignPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

function rejectForeignPage(reply: FastifyReply): FastifyReply {
  return reply.code(403).send({ message: 'Pages of other origins may not use the control API.' });
}

function isAllowed(authorization: string | undefined, tokenHash: string): boolean {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && matchesSecret(token, tokenHash);
}

function rejectCaller(reply: FastifyReply): FastifyReply {
  const message = 'Send the control token of the ready line: "Authorization: Bearer <control_token>".';
  return reply.code(401).header('www-authenticate', challengeOf('Bearer')).send({ message });
}

function readJson(body: unknown): unknown {
  if (typeof body !== 'string' || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new ControlRefusal(400, 'The body must be JSON.');
  }
}

function answerUnknownCall(calls: readonly ControlCall[], reply: FastifyReply): FastifyReply {
  const names = [...calls.map(({ name }) => name), 'GET /stream'];
  const known = names.map(name => name.replace(' ', ` ${controlPrefix}`)).join(', ');
  return reply.code(404).send({ message: `There is no such control call. Calls: ${known}.` });
}

function answerError(deps: ControlDeps, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (isEngineFailure(error)) return rejectForNow(deps, request, reply, error);
  const status = statusOf(error);
  if (status !== undefined) {
    const issues = wantsDetails(request) ? issuesOf(error) : [];
    return reply.code(status).send({ message: messageOf(error as Error), ...(issues.length > 0 && { issues }) });
  }
  const request_id = requestIdOf(reply.raw);
  deps.core.log.error({ call: request.routeOptions.url, request_id, error }, 'A control call failed.');
  return reply.code(500).send({ message: 'The call failed; the service wrote the reason to its log.' });
}

function rejectForNow(
  deps: ControlDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: StoreError | BusError,
): FastifyReply {
  deps.core.log[logLevelOf(error)]({ call: request.routeOptions.url, error }, 'A control call failed.');
  const { status, headers = {} } = errorReply(error);
  return reply
    .code(status)
    .headers(headers)
    .send({ code: error.code, message: engineWords(error) });
}

/** The message of the error itself names paths and addresses of the machine, which are for its operator and the log alone. */
function engineWords(error: StoreError | BusError): string {
  if (error instanceof StoreError && error.damaged !== undefined) return damageWords(error.damaged);
  switch (error.code) {
    case 'store_full':
      return 'There is no space left on the disk of the store. Free some; then writes succeed again.';
    case 'store_unavailable':
      return 'The database could not be reached in time. Try again once /readyz answers 200.';
    case 'bus_unavailable':
      return 'Redis could not be reached in time. Try again once /readyz answers 200.';
    case 'node_outdated':
      return 'This node could not renew its registration. Try again in a second.';
    case 'store_closed':
      return 'The service is stopping.';
    default:
      return 'The store could not be read or written. The service wrote the reason to its log.';
  }
}

/** What is wrong in a body, and where. */
function issuesOf(error: unknown): readonly Issue[] {
  if (error instanceof ControlRefusal || error instanceof RequestError) return error.issues;
  return error instanceof ValidationError ? error.issues : [];
}

/** The message includes the issues of the body, because control errors have no tree of errors. */
function messageOf(error: Error): string {
  const isDetailed = error instanceof RequestError && error.issues.length > 0;
  return isDetailed ? `${error.message}:\n${formatIssues(error.issues)}` : error.message;
}

/** Undefined for unexpected errors. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof ControlRefusal) return error.status;
  if (error instanceof RequestError) return apiErrors[error.reason].status;
  if (error instanceof RemovalError) return error.reason === 'unknown' ? 404 : 409;
  if (error instanceof RallypointError) return 400;
  const framework = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof framework === 'number' && framework >= 400 && framework < 500 ? framework : undefined;
}
