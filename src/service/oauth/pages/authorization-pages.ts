import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compareSnowflakes, isSnowflake } from '../../../model/snowflake.ts';
import { apiVersion } from '../../../wire/routes.ts';
import type { Core } from '../../core.ts';
import { Fault } from '../../fault.ts';
import type { Authorization } from '../authorization.ts';
import type { AuthorizationRequest } from '../authorization-request.ts';
import { authorizationServerMetadata, openidConfiguration } from '../discovery.ts';
import { canInstall, listInstallableGuilds } from '../installation.ts';
import { formToken } from '../sign-in.ts';
import { consentPage } from './consent-page.ts';
import { errorPage } from './error-page.ts';
import { errorText } from './error-text.ts';
import type { Page } from './page.ts';
import { authorizePath, signInPath, signOutPath } from './paths.ts';
import { type Outcome, respond } from './respond.ts';
import { signInPage } from './sign-in-page.ts';
import { createVisitors, type Visitor } from './visitor.ts';

/** Our choice: users shown to choose from; where there are more, any can be named by id. */
const usersShown = 24;
/** The forms are a few short fields. */
const formBytesMax = 8 * 1024;

/** The API's address shows the page, too. @see oauth2.md 1 */
const aliases = ['/api/oauth2/authorize', `/api/v${apiVersion}/oauth2/authorize`];

type Form = Readonly<Record<string, unknown>>;

/** A browser with a sound authorization request. */
interface Visit {
  readonly request: AuthorizationRequest;
  /** The request as it came, `?` included; every form and redirect between the pages carries it along. */
  readonly search: string;
  readonly visitor: Visitor;
}

type Step = (visit: Visit, form: Form, reply: FastifyReply) => Outcome | Promise<Outcome>;

/**
 * Adds the pages where users sign in and consent, and the discovery documents. They work without script and keep to a
 * scope of their own: their cookie and form parsers are not the API's.
 */
export function registerAuthorizationPages(app: FastifyInstance, authorization: Authorization, core: Core): void {
  const visitors = createVisitors(authorization.signIns, core);

  /** A page of `/oauth2`: the request is judged before anything else, and a form must be one of ours. */
  function page(step: Step) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const search = searchOf(request);
      const judgement = await authorization.judge(new URLSearchParams(search));
      if (!judgement.request) return respond(reply, judgement);
      const visitor = await visitors.load(request, reply);
      const form = (request.body ?? {}) as Form;
      if (request.method === 'POST') visitors.checkForm(visitor, form);
      return respond(reply, await step({ request: judgement.request, search, visitor }, form, reply));
    };
  }

  async function show({ request, search, visitor }: Visit): Promise<Outcome> {
    const { user, secret } = visitor;
    if (!user) return showSignIn(core, request, search, secret);
    if (request.prompt === 'none' && (await authorization.isGranted(request, user.id))) {
      return authorization.decide({ authorizeUrl: authorizePath + search, userId: user.id, decision: 'approve' });
    }
    return consentPage({
      request,
      user,
      decideAction: authorizePath + search,
      signOutAction: signOutPath + search,
      formToken: formToken(secret),
      ...(canInstall(request) ? { guilds: await listInstallableGuilds(core.store, user.id) } : {}),
    });
  }

  async function decide({ search, visitor }: Visit, form: Form): Promise<Outcome> {
    const authorizeUrl = authorizePath + search;
    if (!visitor.user) return { redirectTo: authorizeUrl };
    const decision = form.decision === 'approve' ? 'approve' : 'deny';
    const userId = visitor.user.id;
    const guildId = typeof form.guild_id === 'string' && form.guild_id !== '' ? form.guild_id : undefined;
    return authorization.decide({ authorizeUrl, userId, decision, ...(guildId === undefined ? {} : { guildId }) });
  }

  async function signIn({ search, visitor }: Visit, form: Form, reply: FastifyReply): Promise<Outcome> {
    const user = isSnowflake(form.user_id) ? await core.store.get('users', form.user_id) : undefined;
    if (!user) throw new Fault('unknown_user');
    await visitors.signIn(visitor, user.id, reply);
    return { redirectTo: authorizePath + search };
  }

  async function signOut({ search, visitor }: Visit, _form: Form, reply: FastifyReply): Promise<Outcome> {
    await visitors.signOut(visitor, reply);
    return { redirectTo: authorizePath + search };
  }

  app.register(async pages => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    await pages.register(formbody, { bodyLimit: formBytesMax });
    pages.setErrorHandler((error, request, reply) => respond(reply, refuse(core, request, error)));
    pages.addHook('onResponse', async (request, reply) => {
      core.journal.write('request', {
        route: `${request.method} ${request.routeOptions.url}`,
        status: reply.statusCode,
      });
    });

    for (const alias of aliases) {
      pages.get(alias, (request, reply) => respond(reply, { redirectTo: authorizePath + searchOf(request) }));
    }
    pages.get(authorizePath, page(show));
    pages.post(authorizePath, page(decide));
    pages.post(signInPath, page(signIn));
    pages.post(signOutPath, page(signOut));
    pages.get('/.well-known/openid-configuration', () => openidConfiguration(core.addresses));
    pages.get('/.well-known/oauth-authorization-server', () => authorizationServerMetadata(core.addresses));
  });
}

async function showSignIn(core: Core, request: AuthorizationRequest, search: string, secret: string): Promise<Page> {
  const users = await core.store.list('users', { limit: usersShown + 1 });
  return signInPage({
    request,
    action: signInPath + search,
    formToken: formToken(secret),
    users: users.slice(0, usersShown).sort((one, other) => compareSnowflakes(one.id, other.id)),
    more: users.length > usersShown,
  });
}

function refuse(core: Core, request: FastifyRequest, error: unknown): Page {
  const text = errorText(error);
  if (text.status >= 500) core.log.error({ route: request.routeOptions.url, error }, 'A page failed.');
  return errorPage(request.method === 'POST' ? { ...text, startAgain: authorizePath + searchOf(request) } : text);
}

/** From the first `?` on, byte for byte. */
function searchOf(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start < 0 ? '' : request.url.slice(start);
}
