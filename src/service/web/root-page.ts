import type { FastifyInstance } from 'fastify';
import { devicePagePath } from '../../model/oauth.ts';
import type { Core } from '../core.ts';
import { respond } from '../features/oauth/pages/respond.ts';
import { html } from '../features/oauth/pages/views/html.ts';
import { badge, layout, type Page } from '../features/oauth/pages/views/page.ts';
import { writeReply } from '../http/call.ts';
import { apiPrefix, notFound } from '../http/router.ts';
import { accepts } from './accepts.ts';
import { consolePath, isConsoleBuilt } from './console-site.ts';

/**
 * Serves a page to people who open the service's address in a browser. Programs get the 404 of every unknown path.
 */
export function registerRootPage(
  site: FastifyInstance,
  { addresses, activity }: Pick<Core, 'addresses' | 'activity'>,
): void {
  const hasConsole = activity !== undefined && isConsoleBuilt();
  site.get('/', (request, reply) => {
    reply.raw.setHeader('vary', 'accept');
    // Browsers name HTML; programs accept anything.
    if (accepts(request.headers.accept, 'text/html')) return respond(reply, rootPage(addresses.web, hasConsole));
    return writeReply(reply.hijack().raw, notFound(request.method, request.url));
  });
}

/** In English only, like the API, because it is mainly for developers. */
function rootPage(web: string, hasConsole: boolean): Page {
  const title = 'Rallypoint service';
  const main = html`${badge(title, 'large')}
<h1>${title}</h1>
<p class="lead">This server is for games: lobbies, application commands, sign-in and live events.</p>
<h2>If you play a game</h2>
<p>There is nothing to do on this page: the game opens those that it needs. If it shows you a code, <a href="${devicePagePath}">enter it here</a>.</p>
<h2>If you develop a game</h2>
<p>Pass this address to the SDK:</p>
<p><code>baseUrl: '${web}'</code></p>
<ul class="links">
${
  hasConsole &&
  html`<li><a href="${consolePath}">Console</a>: what the service does, live. The ready line has a link that signs in.</li>
`
}<li><a href="${apiPrefix}/openapi.json">API description</a> (OpenAPI 3.1)</li>
<li><a href="/.well-known/openid-configuration">OpenID configuration</a></li>
<li><a href="https://github.com/rallypoint-sdk/rallypoint#readme">Documentation</a></li>
</ul>
<p class="note">Rallypoint is compatible with the Discord API v10, and not affiliated with Discord.</p>`;
  return { status: 200, html: layout({ lang: 'en' }, title, main), formActions: [] };
}
