import { fieldErrors } from '../../../../model/errors/field-errors.ts';
import type { Issue } from '../../../../model/errors/issue.ts';
import { authorizePagePath, type TokenResponse } from '../../../../model/oauth.ts';
import type { GuildId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { parseQuery } from '../../../http/body/url-encoded.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { AuthorizationRecord } from '../../../store/records.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { hashSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { requireAuthorizer } from '../../accounts/full-account.ts';
import { oauthFaults } from '../token/oauth-request-error.ts';
import { createSecret, issueAccess } from '../token/tokens.ts';
import type { AuthorizationEvents } from './authorization-events.ts';
import { authorizationScope, recordGrant } from './authorization-records.ts';
import type { Approval, AuthorizationRequest } from './authorization-request.ts';
import { installInGuild, recordInstallation } from './installation.ts';
import { type AnswerParameters, redirectWith } from './redirect-uri.ts';
import { canInstall, lastingScopes } from './scope-rules.ts';
import { rejectionRedirect, validateAuthorizationRequest } from './validate-request.ts';

/** A user's answer to an authorization request. */
export interface Decision {
  /** The address of the authorization page with its query, absolute or from the path on. */
  readonly authorizeUrl: string;
  readonly userId: UserId;
  /** When the user signed in. Absent: now, as by the control API. */
  readonly signedInAtMs?: number;
  readonly decision: 'approve' | 'deny';
  /**
   * The guild that the application is added to, when the request asks for one. Null: no guild. Absent: the guild that
   * the request names, if any, as on the page before the user changes it.
   */
  readonly guildId?: GuildId | null;
}

const apiPrefix = /^\/api(?:\/v\d+)?(?=\/)/;

/**
 * Carries out the user's answer. An invalid request is reported to the application whatever the user answers.
 *
 * @returns where the user's browser goes next
 * @throws RequestError `invalid_form_body` (the address is not the authorization page's, or must not be redirected
 *   from), those of {@link requireAuthorizer}, `unknown_guild`, `missing_permissions`
 */
export async function decide(
  core: Core,
  events: AuthorizationEvents,
  { authorizeUrl, userId, signedInAtMs = core.clock.now(), decision, guildId }: Decision,
): Promise<{ redirectTo: string }> {
  const validation = await validateAuthorizationRequest(core, readParameters(core, authorizeUrl));
  if (!validation.request) return validation;
  await requireAuthorizer(core.store, userId, decision);
  const { request } = validation;
  if (decision === 'deny') return { redirectTo: rejectionRedirect(core, request, oauthFaults.denied()) };
  const approval = { request, userId, signedInAtMs, guildId: chooseGuild(request, guildId) };
  const answer = await approve(core, events, approval);
  const { redirectUri, state, inFragment } = request;
  return { redirectTo: redirectWith(redirectUri, { ...answer, state, iss: core.addresses.web }, inFragment) };
}

/** Reads the query as the page does, so that what is decided is what the user was shown. */
function readParameters(core: Core, authorizeUrl: string): URLSearchParams {
  const url = URL.parse(authorizeUrl, core.addresses.web);
  if (!url || url.pathname.replace(apiPrefix, '') !== authorizePagePath) {
    throw new RequestError('invalid_form_body', {
      message: `authorize_url is not an address of the page ${authorizePagePath}.`,
    });
  }
  return parseQuery(url.search);
}

/** @returns the parameters for the application */
async function approve(core: Core, events: AuthorizationEvents, approval: Approval): Promise<AnswerParameters> {
  const { request, userId, guildId } = approval;
  const guild = guildId === undefined ? undefined : await installInGuild(core, approval, guildId);
  const handedOut = await handOut(core, approval);
  await events.authorized({ ...request, userId, guild });
  const isBot = request.scopes.includes('bot');
  return { ...handedOut, guild_id: guildId, permissions: guild && isBot ? request.permissions : undefined };
}

async function handOut(core: Core, approval: Approval): Promise<AnswerParameters> {
  switch (approval.request.responseType) {
    case 'code':
      return { code: await issueCode(core, approval) };
    case 'token': {
      const { access_token, token_type, expires_in, scope } = await issueToken(core, approval);
      return { access_token, token_type, expires_in, scope };
    }
    case 'none':
      await recordInstallation(core, approval);
      return {};
  }
}

/**
 * Chooses the guild that the application is added to. A guild that the request locks overrides any other choice.
 *
 * @throws RequestError `invalid_form_body` when the request only adds the application to a guild, and none is given
 */
function chooseGuild(request: AuthorizationRequest, chosen: Decision['guildId']): GuildId | undefined {
  if (!canInstall(request)) return undefined;
  const guildId = request.guildLocked || chosen === undefined ? request.guildId : chosen;
  if (guildId !== null) return guildId;
  if (request.responseType === 'none') rejectIssues([guildRequired]);
  return undefined;
}

const guildRequired: Issue = {
  path: ['guild_id'],
  code: 'BASE_TYPE_REQUIRED',
  message: fieldErrors.BASE_TYPE_REQUIRED(),
};

/** Records the grant and issues a code that is valid once, for {@link serviceLimits.authorizationCodeLifeMs}. */
async function issueCode(core: Core, { request, userId, signedInAtMs, guildId }: Approval): Promise<string> {
  const parties = { application_id: request.application.id, user_id: userId };
  const code = createSecret(core);
  const newId = core.ids.next();
  await core.store.transact(authorizationScope(parties), async transaction => {
    const authorization = await recordGrant(transaction, parties, lastingScopes(request), newId);
    const hash = hashSecret(code);
    await countCode(transaction, authorization, hash);
    transaction.put('codes', {
      hash,
      authorization_id: authorization.id,
      ...parties,
      scopes: request.scopes,
      redirect_uri: request.redirectUri,
      code_challenge: request.codeChallenge,
      guild_id: guildId !== undefined && request.scopes.includes('bot') ? guildId : null,
      nonce: request.nonce,
      signed_in_at_ms: signedInAtMs,
      expires_at_ms: core.clock.now() + serviceLimits.authorizationCodeLifeMs,
      used: false,
    });
  });
  return code;
}

/** Names a new code in the authorization; the oldest one makes room for it. */
async function countCode(transaction: Transaction, authorization: AuthorizationRecord, hash: string): Promise<void> {
  const found = await Promise.all((authorization.codes ?? []).map(one => transaction.get('codes', one)));
  const open = found.flatMap(code => code?.hash ?? []);
  const surplus = Math.max(0, open.length - serviceLimits.codesPerAuthorizationMax + 1);
  for (const oldest of open.slice(0, surplus)) transaction.delete('codes', oldest);
  transaction.put('authorizations', { ...authorization, codes: [...open.slice(surplus), hash] });
}

/**
 * Records the grant and issues an access token that cannot be refreshed. It is a grant of its own: the user's other
 * sign-ins do not end with it.
 *
 * @see docs/spec/oauth2.md#authorization-request; docs/spec/oauth2.md#answers
 */
async function issueToken(core: Core, { request, userId }: Approval): Promise<TokenResponse> {
  const parties = { application_id: request.application.id, user_id: userId };
  const newId = core.ids.next();
  const grantId = hashSecret(createSecret(core));
  return core.store.transact(authorizationScope(parties), async transaction => {
    const authorization = await recordGrant(transaction, parties, lastingScopes(request), newId);
    return issueAccess(core, transaction, { authorization, grantId, scopes: request.scopes });
  });
}
