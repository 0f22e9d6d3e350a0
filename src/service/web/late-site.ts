import type { RequestListener } from 'node:http';
import { loadOnce } from '../../wire/load-once.ts';
import type { Core } from '../core.ts';
import { requestIdOf, writeReply } from '../http/call.ts';
import { requestErrorReply } from '../http/errors.ts';
import { RequestError } from '../support/request-error.ts';
import type { SiteParts } from './site.ts';

/**
 * The site, loaded by the first request that needs it: Fastify takes longer to load than everything else, and the API must not wait
 * for it.
 */
export function createLateSite(core: Core, parts: SiteParts): { serve: RequestListener; close(): Promise<void> } {
  let opened: ReturnType<typeof open> | undefined;
  const open = loadOnce(async () => {
    const { openSite } = await import('./site.ts');
    return openSite(core, parts);
  });

  return {
    serve(request, response) {
      opened = parts.pendingWork.runAside(open);
      opened.then(
        site => site.routing(request, response),
        error => {
          core.log.error(
            { request_id: requestIdOf(response), error },
            'The pages and the control API could not be loaded.',
          );
          writeReply(response, requestErrorReply(new RequestError('unavailable')));
        },
      );
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
