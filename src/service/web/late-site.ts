import type { RequestListener } from 'node:http';
import { loadOnce } from '../../wire/load-once.ts';
import type { Core } from '../core.ts';
import { requestIdOf, writeReply } from '../http/answer.ts';
import { requestErrorReply } from '../http/errors.ts';
import { RequestError } from '../support/request-error.ts';
import type { SiteParts } from './site.ts';

/**
 * The site, loaded when the first request needs it: it stands on a framework that takes longer to load than all the
 * rest, and the API must not wait for it.
 */
export function createLateSite(core: Core, rooms: SiteParts): { serve: RequestListener; close(): Promise<void> } {
  let opened: ReturnType<typeof open> | undefined;
  const open = loadOnce(async () => {
    const { openSite } = await import('./site.ts');
    return openSite(core, rooms);
  });

  return {
    serve(request, response) {
      opened = rooms.pendingWork.runAside(open);
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
