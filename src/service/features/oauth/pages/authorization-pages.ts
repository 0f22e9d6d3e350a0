import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiVersion } from '../../../../wire/routes.ts';
import type { Core } from '../../../core.ts';
import { collectBody, type HeldBytes } from '../../../http/body/read-body.ts';
import { FormFields, parseForm, parseQuery } from '../../../http/body/url-encoded.ts';
import type { AddressOf } from '../../../http/client-address.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { RequestError } from '../../../support/request-error.ts';
import type { Authorization } from '../authorize/authorization.ts';
import { authorizationServerMetadata, openidConfiguration } from '../openid/discovery.ts';
import type { SignInMode } from '../sign-in/sign-in-mode.ts';
import { createActivateFlow } from './activate-flow.ts';
import { createAuthorizeFlow } from './authorize-flow.ts';
import { mountFlow, searchOf, wordsFor } from './mount-flow.ts';
import { activatePaths, authorizedPath, authorizePaths, shownActivatePath } from './paths.ts';
import { drawPicture, picturesPath } from './picture.ts';
import { respond } from './respond.ts';
import { createSignInForms } from './sign-in-forms.ts';
import { html } from './views/html.ts';
import { layout, mark, type Page } from './views/page.ts';
import { createVisitors } from './visitor.ts';
import type { PageWords } from './words/words.ts';

const formType = 'application/x-www-form-urlencoded';

/** The forms are a few short fields. */
const formBytesMax = 8 * 1024;

/** Pictures never change. */
const pictureCaching = 'public, max-age=31536000, immutable';

/** Addresses below the API that lead to the page, too. @see docs/spec/oauth2.md#addresses */
const aliases = ['/api/oauth2/authorize', `/api/v${apiVersion}/oauth2/authorize`];

export interface PageParts {
  readonly core: Core;
  readonly authorization: Authorization;
  /** Counts the requests in progress. */
  readonly pendingWork: PendingWork;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
  /** Counts the bytes of forms. */
  readonly held: HeldBytes;
}

/**
 * Adds the pages where users sign in and consent, and the discovery documents. The pages work without scripts. They have
 * a Fastify scope of their own, so that the API does not get their cookie and form parsers.
 */
export function registerAuthorizationPages(
  app: FastifyInstance,
  { core, authorization, pendingWork, signIn, addressOf, held }: PageParts,
): void {
  const visitors = createVisitors(authorization.signIns, core);
  app.register(async pages => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    pages.addContentTypeParser(formType, (_request: FastifyRequest, payload: IncomingMessage) =>
      readForm(payload, held),
    );
    pages.addHook('onRequest', async (_request, reply) => {
      // 'close' is emitted once, also when the browser disconnects early; that may have happened while the pages were loaded.
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
      // OpenID Connect Core, section 3.1.2.1. The page itself gets only its own form by POST.
      pages.post(alias, (request, reply) =>
        respond(reply, { redirectTo: authorizePaths.page + searchOfForm(request) }),
      );
    }
    pages.get(shownActivatePath, (request, reply) =>
      respond(reply, { redirectTo: activatePaths.page + searchOf(request) }),
    );
    const parts = { core, visitors, addressOf, signInForms: createSignInForms(signIn, core, pendingWork) };
    mountFlow(pages, parts, createAuthorizeFlow(authorization, core));
    mountFlow(pages, parts, createActivateFlow(authorization));
    pages.get(authorizedPath, async (request, reply) => {
      const words = wordsFor(request, authorizedPath, await visitors.recognize(request));
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

/** A form as the query that it would have been. */
function searchOfForm({ body }: FastifyRequest): string {
  const fields = body instanceof FormFields ? [...body] : [];
  return `?${new URLSearchParams(fields as [string, string][])}`;
}

/** @throws RequestError `request_too_large`, `bad_request` */
async function readForm(request: IncomingMessage, held: HeldBytes): Promise<FormFields> {
  const collected = collectBody(request, formBytesMax, held);
  try {
    const bytes = await collected.bytes.catch(brokenOff);
    if (!bytes) throw new RequestError('request_too_large');
    const form = parseForm(bytes.toString());
    if (!form) throw new RequestError('bad_request');
    return form;
  } finally {
    collected.close();
  }
}

function brokenOff(): never {
  throw new RequestError('bad_request');
}

/** The last page of an installation whose result goes to no redirect. */
function authorizedPage(words: PageWords, isAdded: boolean): Page {
  const { heading, lead } = isAdded ? words.consent.added : words.consent.notAdded;
  const main = html`${mark(isAdded ? '✓' : '✕')}
<h1>${heading}</h1>
<p class="lead" role="status">${lead}</p>`;
  return { status: 200, html: layout(words, heading, main), formActions: [] };
}
