import type { TokenResponse } from '../../../../model/oauth.ts';
import { codeChallengeOf } from '../../../../wire/oauth/pkce.ts';
import { isCodeVerifier } from '../../../../wire/oauth/pkce-form.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, CodeRecord } from '../../../store/records.ts';
import { hashSecret, isSameSecret } from '../../../support/secret.ts';
import { guildUpdatedView } from '../../guilds/view.ts';
import { endGrant, findHolding } from '../authorize/authorization-records.ts';
import { type AuthenticatedClient, type Form, field, requiredField } from './client-request.ts';
import { oauthFaults } from './oauth-request-error.ts';
import { type SignInGrantDeps, signInBy } from './sign-in-grant.ts';
import { issuePair } from './tokens.ts';

/**
 * Grant `authorization_code`: the client exchanges a code for an access and a refresh token, once and in time, with
 * the redirect and the verifier of the authorization request.
 *
 * Unspecified: an attempt that fails leaves the code usable. Only a used code with all of this proven ends the tokens
 * that it gave; otherwise anybody who sees a redirect could sign its user out.
 *
 * @throws OAuthRequestError `invalid_grant`, `invalid_request`, `invalid_client`; RequestError those of {@link
 *   ProvisionalMerges}
 * @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce; RFC 6749, section 4.1.3
 */
export async function exchangeCode(
  core: Core,
  deps: SignInGrantDeps,
  client: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  const { application, proven } = client;
  const hash = hashSecret(requiredField(form, 'code'));
  const code = checkCode(core, application, await core.store.get('codes', hash));
  checkRedirect(application, form, code);
  checkProof(form, code, proven);
  const response = await signInBy(core, deps, {
    client,
    form,
    subject: code,
    redeem: transaction => redeem(core, transaction, hash),
  });
  if (!response) throw oauthFaults.code();
  return withGuild(core, response, code);
}

/** Adds the guild that the bot was installed in. @see docs/spec/oauth2.md#installation */
async function withGuild(core: Core, response: TokenResponse, { guild_id }: CodeRecord): Promise<TokenResponse> {
  const guild = guild_id === null ? undefined : await core.store.get('guilds', guild_id);
  return guild ? { ...response, guild: guildUpdatedView(guild) } : response;
}

function checkCode(core: Core, application: ApplicationRecord, code: CodeRecord | undefined): CodeRecord {
  if (!code || code.application_id !== application.id || code.expires_at_ms <= core.clock.now()) {
    throw oauthFaults.code();
  }
  return code;
}

/** The redirect has the same default as in the authorization request: the first registered one. */
function checkRedirect(application: ApplicationRecord, form: Form, code: CodeRecord): void {
  const redirectUri = field(form, 'redirect_uri') ?? application.redirect_uris[0];
  if (redirectUri !== code.redirect_uri) throw oauthFaults.invalidInRequest('redirect_uri');
}

/**
 * Without PKCE a public client must prove its secret, because something must bind the code to the client that
 * requested it. @see docs/spec/oauth2.md#pkce
 */
function checkProof(form: Form, { code_challenge }: CodeRecord, proven: boolean): void {
  const verifier = field(form, 'code_verifier');
  if (verifier === undefined) {
    if (code_challenge !== null) throw oauthFaults.missing('code_verifier');
    if (!proven) throw oauthFaults.client();
    return;
  }
  // A verifier without a challenge means that somebody removed the challenge from the request (RFC 9700, section
  // 4.8.2).
  if (!isCodeVerifier(verifier) || code_challenge === null) throw oauthFaults.invalid('code_verifier');
  if (!isSameSecret(codeChallengeOf(verifier), code_challenge)) throw oauthFaults.verifierDiffers();
}

/**
 * @returns undefined when the code was used or its authorization ended; the tokens that a used code gave end with it
 */
async function redeem(core: Core, transaction: Transaction, hash: string): Promise<TokenResponse | undefined> {
  const code = await transaction.get('codes', hash);
  const authorization = await findHolding(transaction, code?.authorization_id ?? null);
  if (!code || !authorization) return undefined;
  if (code.used) {
    await endGrant(transaction, hash);
    return undefined;
  }
  transaction.put('codes', { ...code, used: true });
  const { scopes, signed_in_at_ms: signedInAtMs } = code;
  return issuePair(core, transaction, { authorization, grantId: hash, scopes, signedInAtMs });
}
