import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiVersion } from '../../../wire/routes.ts';
import type { Activity } from '../../activity.ts';
import type { Core } from '../../core.ts';
import type { SignInMode } from '../../options.ts';
import type { Authorization } from '../authorization.ts';
import { authorizationServerMetadata, openidConfiguration } from '../discovery.ts';
import { formToken } from '../sign-in.ts';
import { activateDestination } from './activate.ts';
import { authorizeDestination } from './authorize.ts';
import { authorizedPage } from './authorized-page.ts';
import { chooseWords } from './choose-words.ts';
import { type Destination, isOutcome } from './destination.ts';
import { errorPage } from './error-page.ts';
import { errorText } from './error-text.ts';
import type { Page } from './page.ts';
import { activatePaths, authorizedPath, authorizePaths, shownActivatePath } from './paths.ts';
import { type Outcome, respond } from './respond.ts';
import { createSignInDesk, type PageForm } from './sign-in-desk.ts';
import type { SignInView } from './sign-in-view.ts';
import { createVisitors, type Visitor } from './visitor.ts';
import type { PageWords } from './words/words.ts';

/** The forms are a few short fields. */
const formBytesMax = 8 * 1024;

/** The API's address shows the page, too. @see oauth2.md 1 */
const aliases = ['/api/oauth2/authorize', `/api/v${apiVersion}/oauth2/authorize`];

export interface PageRooms {
  readonly core: Core;
  readonly authorization: Authorization;
  /** Counts the requests under way. */
  readonly activity: Activity;
  readonly signIn: SignInMode;
}

/**
 * Adds the pages where users sign in and consent, and the discovery documents. They work without script and keep to a
 * scope of their own: their cookie and form parsers are not the API's.
 */
export function registerAuthorizationPages(app: FastifyInstance, rooms: PageRooms): void {
  const { core, authorization, activity } = rooms;
  app.register(async pages => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    await pages.register(formbody, { bodyLimit: formBytesMax });
    pages.setErrorHandler((error, request, reply) => respond(reply, refuse(core, wordsFor(request), request, error)));
    pages.addHook('onRequest', async (_request, reply) => {
      activity.begin();
      // Comes once, also where the browser goes away before the answer.
      reply.raw.once('close', () => activity.end());
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
    const mount = mounter(pages, rooms);
    mount(authorizeDestination(authorization, core));
    mount(activateDestination(authorization));
    pages.get(authorizedPath, (request, reply) =>
      respond(reply, authorizedPage(wordsFor(request), !new URLSearchParams(searchOf(request)).has('error'))),
    );
    pages.get('/.well-known/openid-configuration', () => openidConfiguration(core.addresses));
    pages.get('/.well-known/oauth-authorization-server', () => authorizationServerMetadata(core.addresses));
  });
}

/** Makes what adds a destination's pages: itself, its answer, signing in for it and out of it. */
function mounter(pages: FastifyInstance, { core, authorization, activity, signIn }: PageRooms) {
  const visitors = createVisitors(authorization.signIns, core);
  const desk = createSignInDesk(signIn, core, activity);

  return <Purpose>({ paths, load, introduce, show, answer }: Destination<Purpose>): void => {
    /** A browser that wants something sound. */
    interface Arrival {
      readonly purpose: Purpose;
      readonly search: string;
      readonly visitor: Visitor;
      readonly words: PageWords;
      readonly request: FastifyRequest;
      readonly reply: FastifyReply;
    }

    type Step = (arrival: Arrival, form: PageForm) => Outcome | Promise<Outcome>;

    /** What is wanted is judged before anything else, and a form must be one of ours. */
    async function arrive(
      step: Step,
      words: PageWords,
      known: Visitor | undefined,
      request: FastifyRequest,
      reply: FastifyReply,
    ) {
      const search = searchOf(request);
      const loaded = await load(new URLSearchParams(search), words);
      if (isOutcome(loaded)) return loaded;
      const visitor = known ?? visitors.greet(reply);
      const form = (request.body ?? {}) as PageForm;
      if (request.method === 'POST') visitors.checkForm(visitor, form);
      return step({ purpose: loaded.purpose, search, visitor, words, request, reply }, form);
    }

    function page(step: Step) {
      return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const known = await visitors.recognize(request);
        const words = wordsFor(request, known);
        const outcome = await arrive(step, words, known, request, reply).catch(error =>
          refuse(core, words, request, error),
        );
        return respond(reply, outcome);
      };
    }

    function signInView({ purpose, search, visitor, words }: Arrival): SignInView {
      return { words, action: paths.signIn + search, formToken: formToken(visitor.secret), ...introduce(purpose) };
    }

    /** For those who are signed in; others are asked to. */
    function signedIn(step: typeof answer): Step {
      return (arrival, form) => {
        const { purpose, search, words, visitor } = arrival;
        if (!visitor.user) return desk.ask(signInView(arrival));
        return step({ purpose, search, words, user: visitor.user, formToken: formToken(visitor.secret) }, form);
      };
    }

    const signIn: Step = async (arrival, form) => {
      const { visitor, search, request, reply } = arrival;
      const found = await desk.read(signInView(arrival), form, request.ip);
      if (!('userId' in found)) return found;
      await visitors.signIn(visitor, found.userId, reply);
      return { redirectTo: paths.page + search };
    };

    const signOut: Step = async ({ visitor, search, reply }) => {
      await visitors.signOut(visitor, reply);
      return { redirectTo: paths.page + search };
    };

    pages.get(paths.page, page(signedIn(show)));
    pages.post(paths.page, page(signedIn(answer)));
    pages.post(paths.signIn, page(signIn));
    pages.post(paths.signOut, page(signOut));
  };
}

function wordsFor(request: FastifyRequest, visitor?: Visitor): PageWords {
  return chooseWords(visitor?.user?.locale, request.headers['accept-language']);
}

function refuse(core: Core, words: PageWords, request: FastifyRequest, error: unknown): Page {
  const text = errorText(words, error);
  if (text.status >= 500) core.log.error({ route: request.routeOptions.url, error }, 'A page failed.');
  if (request.method !== 'POST') return errorPage(words, text);
  const page = request.url.startsWith(activatePaths.page) ? activatePaths.page : authorizePaths.page;
  return errorPage(words, { ...text, startAgain: page + searchOf(request) });
}

/** From the first `?` on, byte for byte. */
function searchOf(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start < 0 ? '' : request.url.slice(start);
}
