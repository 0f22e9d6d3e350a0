import { loadOnce } from '../../wire/load-once.ts';
import type { Core } from '../core.ts';
import type { Handlers } from '../http/call.ts';

/** The OpenAPI document of this service: made when it is first asked for, then kept as text. */
export function openApiRoutes(core: Core): Handlers {
  // Loaded late: most services are never asked, and a start need not wait for it.
  const text = loadOnce(async () => {
    const { openApiDocument } = await import('../openapi/document.ts');
    return JSON.stringify(openApiDocument(core));
  });

  return {
    async getOpenApi() {
      return { status: 200, text: await text() };
    },
  };
}
