import type { Core } from '../core.ts';
import type { Handlers } from '../http/call.ts';

/** The OpenAPI document of this service: made when it is first asked for, then kept as text. */
export function openApiRoutes(core: Core): Handlers {
  let text: Promise<string> | undefined;

  // Loaded late: most services are never asked, and a start need not wait for it.
  async function write(): Promise<string> {
    const { openApiDocument } = await import('../openapi/document.ts');
    return JSON.stringify(openApiDocument(core));
  }

  return {
    async getOpenApi() {
      text ??= write();
      return { status: 200, text: await text };
    },
  };
}
