import { authorizePagePath } from '../../model/oauth.ts';
import type { GuildId, UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { Fault } from '../fault.ts';
import { issueCode } from './authorization-code.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { canInstall, installInGuild } from './installation.ts';
import { judge, refusalRedirect } from './judgement.ts';
import { oauthFaults } from './oauth-fault.ts';
import { redirectWith } from './redirect-uri.ts';

/** What a user answers to an authorization request. */
export interface Decision {
  /** The address of the authorization page with its query; absolute, or from its path on. */
  readonly authorizeUrl: string;
  readonly userId: UserId;
  readonly decision: 'approve' | 'deny';
  /** The guild that gets the application, when the request asks for one; absent: none does. */
  readonly guildId?: GuildId;
}

const apiPrefix = /^\/api(?:\/v\d+)?(?=\/)/;

/**
 * Carries out the user's answer. A request that is itself at fault goes back to the application whatever the user says.
 *
 * @returns where the user's browser goes next
 * @throws Fault `invalid_form_body` (the address is no authorization page, or must not be redirected from),
 *   `unknown_user`, `unknown_guild`, `missing_permissions`
 */
export async function decide(core: Core, decision: Decision): Promise<{ redirectTo: string }> {
  const judgement = await judge(core, readParameters(core, decision.authorizeUrl));
  if (!judgement.request) return judgement;
  if (!(await core.store.get('users', decision.userId))) throw new Fault('unknown_user');
  const { request } = judgement;
  if (decision.decision === 'deny') return { redirectTo: refusalRedirect(core, request, oauthFaults.denied()) };
  return { redirectTo: await approve(core, request, decision) };
}

function readParameters(core: Core, authorizeUrl: string): URLSearchParams {
  const url = URL.parse(authorizeUrl, core.addresses.web);
  if (!url || url.pathname.replace(apiPrefix, '') !== authorizePagePath) {
    throw new Fault('invalid_form_body', {
      message: `authorize_url is not an address of the page ${authorizePagePath}.`,
    });
  }
  return url.searchParams;
}

async function approve(core: Core, request: AuthorizationRequest, { userId, guildId }: Decision): Promise<string> {
  const installed = canInstall(request) ? guildId : undefined;
  if (installed !== undefined) await installInGuild(core, request, userId, installed);
  const code = await issueCode(core, request, userId);
  return redirectWith(request.redirectUri, {
    code,
    state: request.state,
    guild_id: installed,
    iss: core.addresses.web,
  });
}
