import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { limits } from '../../model/limits/limits.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import type { MessageFiles } from '../attachments/attachments.ts';
import type { ControlDeps } from '../control/deps.ts';
import { registerControl } from '../control/routes.ts';
import type { Core } from '../core.ts';
import type { Authorization } from '../features/oauth/authorize/authorization.ts';
import { registerAuthorizationPages } from '../features/oauth/pages/authorization-pages.ts';
import type { SignInMode } from '../features/oauth/sign-in/sign-in-mode.ts';
import type { HeldBytes } from '../http/body/read-body.ts';
import { type Answer, requestIdOf, writeReply } from '../http/call.ts';
import type { AddressOf } from '../http/client-address.ts';
import { errorReply } from '../http/errors.ts';
import { FailureLog } from '../http/failure-log.ts';
import { canonicalUrl, type MountedPath, notFound } from '../http/router.ts';
import type { PendingWork } from '../support/pending-work.ts';
import { registerConsole } from './console-site.ts';
import { registerRootPage } from './root-page.ts';

export interface SiteParts {
  readonly authorization: Authorization;
  readonly pendingWork: PendingWork;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
  /** Counts the bytes of the pages' forms. */
  readonly held: HeldBytes;
  readonly control: ControlDeps;
  readonly files: Pick<MessageFiles, 'get'>;
}

/** Opens the site: the authorization pages, the control API, the files of messages and the page at the root. */
export async function openSite(core: Core, { control, files, ...pages }: SiteParts): Promise<FastifyInstance> {
  const site = createSite(core);
  registerAuthorizationPages(site, { core, ...pages });
  registerControl(site, control);
  registerFiles(site, files);
  if (core.activity) registerConsole(site);
  registerRootPage(site, core);
  await site.ready();
  return site;
}

/** Media types that a browser may show inline; all others are downloaded. */
const shownTypes = /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/plain)$/;

/** Serves the files of messages at the addresses of their attachments. */
function registerFiles(site: FastifyInstance, files: Pick<MessageFiles, 'get'>): void {
  site.get<{ Params: { channel_id: string; id: string; name: string }; Querystring: { key?: unknown } }>(
    '/attachments/:channel_id/:id/:name',
    async (request, reply) => {
      const { params, query, method, url } = request;
      const { channel_id, id, name } = params;
      const isAddress = isSnowflake(channel_id) && isSnowflake(id) && !name.includes('\0');
      const file = isAddress ? await files.get(id, String(query.key)) : undefined;
      if (!file) return writeReply(reply.hijack().raw, notFound(method, url));
      const isShown = shownTypes.test(file.type);
      return (
        reply
          .header('content-type', isShown ? file.type : 'application/octet-stream')
          .header('content-disposition', isShown ? 'inline' : 'attachment')
          // The file shares an origin with the sign-in pages and may be hostile.
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('cache-control', 'private, max-age=86400, immutable')
          .header('content-length', file.size)
          .send(Readable.from(method === 'HEAD' ? [] : file.pieces, { objectMode: false }))
      );
    },
  );
}

/**
 * Creates the Fastify instance for everything but the API's routes: pages, forms, cookies, control. It also answers unknown paths.
 */
function createSite(core: Core): FastifyInstance {
  const site = fastify({
    // Requests that still arrive while the service closes are served, because the store closes last.
    return503OnClosing: false,
    // The name of a file; an escaped character has four bytes of three characters each at most.
    routerOptions: { maxParamLength: 12 * limits.attachmentNameLengthMax },
    rewriteUrl: request => canonicalUrl(request.url ?? '/'),
    frameworkErrors: (error, _request, reply) => writeReply(reply.hijack().raw, errorReply(error)),
  });
  // The template in the form of the API's routes; unknown paths have none.
  site.addHook('onRequest', async ({ routeOptions: { url } }, { raw }) => {
    (raw as Answer).route = url?.replace(/:(\w+)/g, '{$1}');
  });
  site.removeAllContentTypeParsers();
  // Bodies of requests to unknown paths are never read.
  site.addContentTypeParser('*', (_request, _body, done) => done(null));
  const pages: MountedPath[] = [];
  site.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
    for (const each of [method].flat()) pages.push({ method: each, pattern });
  });
  const failures = new FailureLog(core.log);
  const answerUnserved = ({ method, url }: FastifyRequest, reply: FastifyReply) =>
    writeReply(reply.hijack().raw, notFound(method, url, pages));
  site.setNotFoundHandler(answerUnserved);
  // Fastify checks the headers of a request before it finds that no route serves it.
  site.setErrorHandler((error, request, reply) =>
    request.is404 ? answerUnserved(request, reply) : answerError(failures, request, reply, error),
  );
  return site;
}

function answerError(failures: FailureLog, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  failures.report(error, { url: request.routeOptions.url, request_id: requestIdOf(reply.raw) });
  writeReply(reply.hijack().raw, errorReply(error));
}
