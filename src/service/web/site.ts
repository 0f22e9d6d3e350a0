import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Core } from '../core.ts';
import { type Answer, requestIdOf } from '../http/answer.ts';
import { errorReply, isUnforeseen } from '../http/errors.ts';
import { canonicalUrl, notFound } from '../http/paths.ts';
import { writeReply } from '../http/reply.ts';

/**
 * Everything that is served beside the API's routes, by a framework: pages, forms, cookies, control. It also answers
 * what nobody serves. Others mount what they have before it is ready.
 */
export function createSite(core: Core): FastifyInstance {
  const site = fastify({
    exposeHeadRoutes: false,
    // What still arrives while the service closes is served: the store closes last.
    return503OnClosing: false,
    rewriteUrl: request => canonicalUrl(request.url ?? '/'),
    frameworkErrors: (error, _request, reply) => writeReply(reply.hijack().raw, errorReply(error)),
  });
  // In the form of the API's own routes; what there is no route for has no template.
  site.addHook('onRequest', async ({ routeOptions: { url } }, { raw }) => {
    (raw as Answer).route = url?.replace(/:(\w+)/g, '{$1}');
  });
  site.removeAllContentTypeParsers();
  // What comes with a request to no route is never read.
  site.addContentTypeParser('*', (_request, _body, done) => done(null));
  site.setErrorHandler((error, request, reply) => answerError(core, request, reply, error));
  site.setNotFoundHandler((request, reply) => writeReply(reply.hijack().raw, notFound(request.method, request.url)));
  return site;
}

/** The framework judges the headers of a request that no route serves before it says so. */
function answerError(core: Core, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (!request.is404 && isUnforeseen(error)) {
    const request_id = requestIdOf(reply.raw);
    core.log.error({ url: request.routeOptions.url, request_id, error }, 'A request failed.');
  }
  writeReply(reply.hijack().raw, request.is404 ? notFound(request.method, request.url) : errorReply(error));
}
