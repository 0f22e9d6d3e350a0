import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { apiVersion } from '../../../wire/routes.ts';
import type { Core } from '../../core.ts';
import { parseQuery } from '../../http/body/url-encoded.ts';
import type { AddressOf } from '../../http/client-address.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import type { Authorization } from '../authorize/authorization.ts';
import { authorizationServerMetadata, openidConfiguration } from '../openid/discovery.ts';
import type { SignInMode } from '../sign-in/sign-in-mode.ts';
import { activateDestination } from './activate.ts';
import { authorizeDestination } from './authorize.ts';
import { mount, searchOf, wordsFor } from './mount.ts';
import { activatePaths, authorizedPath, authorizePaths, shownActivatePath } from './paths.ts';
import { picturesPath } from './picture.ts';
import { respond } from './respond.ts';
import { createSignInForms } from './sign-in-desk.ts';
import { drawPicture } from './views/draw-picture.ts';
import { html } from './views/html.ts';
import { layout, mark, type Page } from './views/page.ts';
import { createVisitors } from './visitor.ts';
import type { PageWords } from './words/words.ts';

/** The forms are a few short fields. */
const formBytesMax = 8 * 1024;

/** They never change. */
const pictureCaching = 'public, max-age=31536000, immutable';

/** The API's address shows the page, too. @see docs/spec/oauth2.md#addresses */
const aliases = ['/api/oauth2/authorize', `/api/v${apiVersion}/oauth2/authorize`];

export interface PageParts {
  readonly core: Core;
  readonly authorization: Authorization;
  /** Counts the requests under way. */
  readonly pendingWork: PendingWork;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
}

/**
 * Adds the pages where users sign in and consent, and the discovery documents. They work without script and keep to a
 * scope of their own: their cookie and form parsers are not the API's.
 */
export function registerAuthorizationPages(
  app: FastifyInstance,
  { core, authorization, pendingWork, signIn, addressOf }: PageParts,
): void {
  const visitors = createVisitors(authorization.signIns, core);
  app.register(async pages => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    await pages.register(formbody, { bodyLimit: formBytesMax });
    pages.addHook('onRequest', async (_request, reply) => {
      // Comes once, also where the browser goes away before the answer; or came, while the pages were loaded.
      if (reply.raw.closed) return;
      pendingWork.begin();
      reply.raw.once('close', () => pendingWork.end());
    });
    pages.addHook('onResponse', async (request, reply) => {
      core.journal.write('request', {
        route: `${request.method} ${request.routeOptions.url}`,
        status: reply.statusCode,
      });
    });

    for (const alias of aliases) {
      pages.get(alias, (request, reply) => respond(reply, { redirectTo: authorizePaths.page + searchOf(request) }));
    }
    pages.get(shownActivatePath, (request, reply) =>
      respond(reply, { redirectTo: activatePaths.page + searchOf(request) }),
    );
    const mounting = { core, visitors, addressOf, desk: createSignInForms(signIn, core, pendingWork) };
    mount(pages, mounting, authorizeDestination(authorization, core));
    mount(pages, mounting, activateDestination(authorization));
    pages.get(authorizedPath, async (request, reply) => {
      const words = wordsFor(request, await visitors.recognize(request));
      return respond(reply, authorizedPage(words, !parseQuery(searchOf(request)).has('error')));
    });
    pages.get<{ Params: { name: string } }>(`${picturesPath}/:name`, async ({ params }, reply) => {
      const picture = drawPicture(params.name);
      if (!picture) return reply.callNotFound();
      return reply.header('cache-control', pictureCaching).type('image/png').send(picture);
    });
    pages.get('/.well-known/openid-configuration', () => openidConfiguration(core.addresses));
    pages.get('/.well-known/oauth-authorization-server', () => authorizationServerMetadata(core.addresses));
  });
}

/** The end of the way for those who installed an application that expects no answer, or refused to. */
function authorizedPage(words: PageWords, isAdded: boolean): Page {
  const { heading, lead } = isAdded ? words.consent.added : words.consent.notAdded;
  const main = html`${mark(isAdded ? '✓' : '✕')}
<h1>${heading}</h1>
<p class="lead" role="status">${lead}</p>`;
  return { status: 200, html: layout(words, heading, main), formActions: [] };
}
