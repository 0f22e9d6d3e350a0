import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiErrorName, apiErrors } from '../../../../model/errors/errors.ts';
import type { Core } from '../../../core.ts';
import { type FormFields, parseQuery } from '../../../http/body/url-encoded.ts';
import { requestIdOf } from '../../../http/call.ts';
import type { AddressOf } from '../../../http/client-address.ts';
import { isEngineFailure } from '../../../http/errors.ts';
import { FailureLog } from '../../../http/failure-log.ts';
import { RequestError } from '../../../support/request-error.ts';
import { AuthorizationPageFault } from '../authorize/authorization-request.ts';
import { formToken } from '../sign-in/sign-in.ts';
import { chooseWords } from './choose-words.ts';
import { isOutcome, type PageFlow } from './page-flow.ts';
import { type Outcome, respond } from './respond.ts';
import type { PageForm, SignInForms } from './sign-in-forms.ts';
import { type ErrorText, errorPage } from './views/error-page.ts';
import { minutesOf } from './views/page.ts';
import type { SignInView } from './views/sign-in-pages.ts';
import { OutdatedForm, type Visitor, type Visitors } from './visitor.ts';
import type { ErrorWords, PageWords } from './words/words.ts';

export interface MountParts {
  readonly core: Core;
  readonly visitors: Visitors;
  readonly signInForms: SignInForms;
  readonly addressOf: AddressOf;
}

/** A visitor with a valid request, who may not be signed in yet. */
interface Arrival<Purpose> {
  readonly purpose: Purpose;
  readonly search: string;
  readonly visitor: Visitor;
  readonly words: PageWords;
}

type Step<Purpose> = (
  arrival: Arrival<Purpose>,
  form: PageForm,
  request: FastifyRequest,
  reply: FastifyReply,
) => Outcome | Promise<Outcome>;

/** Adds the routes of a flow: its page, the form's answer, sign-in and sign-out. */
export function mountFlow<Purpose>(
  pages: FastifyInstance,
  { core, visitors, signInForms, addressOf }: MountParts,
  { paths, load, introduce, mustSignIn, searchAfterSignIn, show, answer }: PageFlow<Purpose>,
): void {
  const failures = new FailureLog(core.log);

  function wordsOf(request: FastifyRequest, visitor?: Visitor): PageWords {
    return wordsFor(request, paths.page, visitor);
  }

  function failurePage(words: PageWords, request: FastifyRequest, { raw }: FastifyReply, error: unknown): Outcome {
    const text = errorText(words, error);
    const about = { route: request.routeOptions.url, request_id: requestIdOf(raw) };
    if (text.status >= 500) failures.report(error, about, 'A page could not be shown because of an error.');
    const startAgain = paths.page + searchOf(request);
    return errorPage(words, request.method === 'POST' ? { ...text, startAgain } : text);
  }

  /** Validates the request first, then the form token of a form. */
  function page(step: Step<Purpose>) {
    async function run(known: Visitor | undefined, words: PageWords, request: FastifyRequest, reply: FastifyReply) {
      const search = searchOf(request);
      const loaded = await load(parseQuery(search), words);
      if (isOutcome(loaded)) return loaded;
      const visitor = known ?? visitors.create(reply);
      const form: PageForm = Object.fromEntries((request.body ?? []) as FormFields);
      if (request.method === 'POST') visitors.checkForm(visitor, form);
      return step({ purpose: loaded.purpose, search, visitor, words }, form, request, reply);
    }

    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const known = await visitors.recognize(request);
      const words = wordsOf(request, known);
      const outcome = await run(known, words, request, reply).catch(error => failurePage(words, request, reply, error));
      return respond(reply, outcome);
    };
  }

  function signInView({ purpose, search, visitor, words }: Arrival<Purpose>): SignInView {
    return { words, action: paths.signIn + search, formToken: formToken(visitor.secret), ...introduce(purpose) };
  }

  /** Runs the step for a signed-in user, and shows the sign-in page to others. */
  function forSignedIn(step: typeof answer): Step<Purpose> {
    return (arrival, form) => {
      const { purpose, search, words, visitor } = arrival;
      const { signedIn } = visitor;
      const again = mustSignIn?.(purpose, signedIn?.atMs) ?? false;
      if (typeof again === 'object') return again;
      if (!signedIn || again) return signInForms.show(signInView(arrival));
      return step({ purpose, search, words, ...signedIn, formToken: formToken(visitor.secret) }, form);
    };
  }

  const signIn: Step<Purpose> = async (arrival, form, request, reply) => {
    const found = await signInForms.submit(signInView(arrival), form, addressOf(request.raw));
    if (!('userId' in found)) return found;
    await visitors.signIn(arrival.visitor, found.userId, reply);
    const { search } = arrival;
    return { redirectTo: paths.page + (searchAfterSignIn?.(search) ?? search) };
  };

  const signOut: Step<Purpose> = async ({ visitor, search }, _form, _request, reply) => {
    await visitors.signOut(visitor, reply);
    return { redirectTo: paths.page + search };
  };

  pages.register(async own => {
    own.setErrorHandler((error, request, reply) =>
      respond(reply, failurePage(wordsOf(request), request, reply, error)),
    );
    own.get(paths.page, page(forSignedIn(show)));
    own.post(paths.page, page(forSignedIn(answer)));
    own.post(paths.signIn, page(signIn));
    own.post(paths.signOut, page(signOut));
    // The page that answers a failed form has the form's address, which a reader may open again.
    for (const form of [paths.signIn, paths.signOut]) {
      own.get(form, (request, reply) => respond(reply, { redirectTo: paths.page + searchOf(request) }));
    }
  });
}

const uiLocales = 'ui_locales';

/** The words for a reader of the page. A translation links to the same page in English. */
export function wordsFor(request: FastifyRequest, page: string, visitor?: Visitor): PageWords {
  const parameters = parseQuery(searchOf(request));
  const words = chooseWords({
    uiLocales: parameters.get(uiLocales),
    locale: visitor?.signedIn?.user.locale,
    acceptLanguage: request.headers['accept-language'],
  });
  if (words.translationNote === undefined) return words;
  parameters.set(uiLocales, 'en');
  return { ...words, englishPage: `${page}?${parameters}` };
}

/** From the first `?` on, byte for byte. */
export function searchOf(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start < 0 ? '' : request.url.slice(start);
}

/** The text of an error page. An unexpected error is a 500, and only the log has its details. */
function errorText({ errors }: PageWords, error: unknown): ErrorText {
  const failed = { heading: errors.failed, advice: errors.nothingChanged };
  if (error instanceof AuthorizationPageFault) {
    // The message is in English for the game's developer, who searches for it in this wording.
    const { message, parameter } = error;
    return {
      status: apiErrors[error.reason].status,
      heading: errors.link.heading,
      message,
      advice: errors.link[parameter],
    };
  }
  if (error instanceof OutdatedForm) return { status: 403, ...errors.outdated, advice: errors.nothingChanged };
  if (error instanceof RequestError) {
    const { status } = apiErrors[error.reason];
    const retryAfterSeconds = error.reason === 'rate_limited' ? Number(error.extra.retry_after) : undefined;
    if (retryAfterSeconds === undefined) return { status, ...failed, message: messageOf(errors, error) };
    return { status, ...failed, message: errors.tooMany(minutesOf(retryAfterSeconds)), retryAfterSeconds };
  }
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, ...failed, message: errors.unreadable };
  }
  return { status: isEngineFailure(error) ? apiErrors.overloaded.status : 500, ...errors.broken };
}

/** Errors that a person can cause have words of their own; others keep the text that programs get. */
function messageOf(errors: ErrorWords, { reason, message }: RequestError): string {
  const words: Partial<Record<ApiErrorName, string>> = {
    request_too_large: errors.unreadable,
    bad_request: errors.unreadable,
    unknown_user: errors.unknownUser,
    // Only of a banned account on these pages.
    missing_access: errors.banned,
    unknown_guild: errors.unknownGuild,
    missing_permissions: errors.missingPermissions,
  };
  return words[reason] ?? message;
}
