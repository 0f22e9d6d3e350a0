import type { Core } from '../../../core.ts';
import type { Authorization } from '../authorize/authorization.ts';
import { type AuthorizationRequest, withoutSignIn } from '../authorize/authorization-request.ts';
import { listInstallableGuilds } from '../authorize/installation.ts';
import { formActionSource, isNativeRedirect } from '../authorize/redirect-uri.ts';
import { canInstall } from '../authorize/scope-rules.ts';
import { rejectionRedirect } from '../authorize/validate-request.ts';
import { oauthFaults } from '../token/oauth-request-error.ts';
import type { PageFlow } from './page-flow.ts';
import { authorizePaths } from './paths.ts';
import { textOf } from './sign-in-forms.ts';
import { consentPage } from './views/consent-page.ts';

/** `/oauth2/authorize`: an application asks, the user answers, and the browser continues to the application. */
export function createAuthorizeFlow(authorization: Authorization, core: Core): PageFlow<AuthorizationRequest> {
  const { page, signOut } = authorizePaths;
  return {
    paths: authorizePaths,

    async load(parameters) {
      const validation = await authorization.validateRequest(parameters);
      return validation.request ? { purpose: validation.request } : validation;
    },

    introduce: ({ application, redirectUri }) => ({ application, formActions: [formActionSource(redirectUri)] }),

    mustSignIn(request, signedInAtMs) {
      const { prompt, maxAgeSeconds } = request;
      if (maxAgeSeconds === null) return prompt === 'login';
      const ageMs = signedInAtMs === undefined ? Number.POSITIVE_INFINITY : core.clock.now() - signedInAtMs;
      // No sign-in is younger than 0 s, which means the same as `prompt=login`.
      const isRecent = maxAgeSeconds > 0 && ageMs <= maxAgeSeconds * 1000;
      if (isRecent || prompt !== 'none') return prompt === 'login' || !isRecent;
      return { redirectTo: rejectionRedirect(core, request, oauthFaults.loginRequired()) };
    },

    searchAfterSignIn: withoutSignIn,

    async show({ purpose: request, search, user, atMs, formToken, words }) {
      // Only the user can choose the guild.
      const mustChoose = request.responseType === 'none' && canInstall(request);
      const maySkip = request.prompt === 'none' && !mustChoose && isClientProven(request);
      if (maySkip && (await authorization.isGranted(request, user.id))) {
        return authorization.decide({
          authorizeUrl: page + search,
          userId: user.id,
          signedInAtMs: atMs,
          decision: 'approve',
        });
      }
      return consentPage({
        ...{ words, request, user, formToken },
        decideAction: page + search,
        signOutAction: signOut + search,
        ...(canInstall(request) ? { guilds: await listInstallableGuilds(core.store, user.id) } : {}),
      });
    },

    answer({ search, user, atMs }, form) {
      const guildId = textOf(form.guild_id);
      return authorization.decide({
        authorizeUrl: page + search,
        userId: user.id,
        signedInAtMs: atMs,
        decision: form.decision === 'approve' ? 'approve' : 'deny',
        guildId: guildId === '' ? null : guildId,
      });
    },
  };
}

/**
 * Whether the answer can only be used by the application itself. Any program on the user's machine can claim to be a
 * public client and receive its redirects, so the user must see what is requested (RFC 8252, section 8.6).
 */
function isClientProven({ application, redirectUri, responseType }: AuthorizationRequest): boolean {
  const needsNoSecret = application.public_client || responseType === 'token';
  return !(needsNoSecret && isNativeRedirect(redirectUri));
}
