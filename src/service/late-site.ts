import type { RequestListener } from 'node:http';
import type { Core } from './core.ts';
import type { SiteRooms } from './site.ts';

/**
 * The site, loaded when the first request needs it: it stands on a framework that takes longer to load than all the
 * rest, and the API must not wait for it.
 */
export function createLateSite(core: Core, rooms: SiteRooms): { serve: RequestListener; close(): Promise<void> } {
  let opening: ReturnType<typeof open> | undefined;

  async function open() {
    const { openSite } = await import('./site.ts');
    return openSite(core, rooms);
  }

  return {
    serve(request, response) {
      opening ??= rooms.activity.runAside(open);
      opening.then(
        site => site.routing(request, response),
        error => {
          core.log.error({ error }, 'The pages and the control API could not be loaded.');
          request.destroy();
        },
      );
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
