import type { FastifyInstance } from 'fastify';
import type { FileShelf } from '../attachments/attachment-cache.ts';
import { notFound } from '../http/paths.ts';
import { writeReply } from '../http/reply.ts';

/** Types that a browser may show; all others it saves. */
const shownTypes = /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/plain)$/;

/** Serves the files of messages at the addresses that their attachments have. */
export function registerFiles(site: FastifyInstance, files: Pick<FileShelf, 'get'>): void {
  site.get<{ Params: { id: string; name: string }; Querystring: { key?: unknown } }>(
    '/attachments/:channel_id/:id/:name',
    (request, reply) => {
      const { params, query, method, url } = request;
      const file = files.get(params.id, String(query.key));
      if (!file) return writeReply(reply.hijack().raw, notFound(method, url));
      const isShown = shownTypes.test(file.type);
      return (
        reply
          .header('content-type', isShown ? file.type : 'application/octet-stream')
          .header('content-disposition', isShown ? 'inline' : 'attachment')
          // It stands beside the sign-in pages, and whoever sent it may mean no good.
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('cache-control', 'private, max-age=86400, immutable')
          .send(file.content)
      );
    },
  );
}
