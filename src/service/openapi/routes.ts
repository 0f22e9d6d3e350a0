import { Buffer } from 'node:buffer';
import { loadOnce } from '../../wire/load-once.ts';
import type { Core } from '../core.ts';
import type { Handlers } from '../http/call.ts';

/** The OpenAPI document of this service, created by the first request and then cached. */
export function openApiRoutes(core: Core): Handlers {
  // Loaded lazily, because most services never serve it.
  const text = loadOnce(async () => {
    const { openApiDocument } = await import('./document.ts');
    return Buffer.from(JSON.stringify(openApiDocument(core)));
  });

  return {
    async getOpenApi() {
      return { status: 200, text: await text() };
    },
  };
}
