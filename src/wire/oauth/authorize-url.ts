import type { IntegrationType } from '../../model/command.ts';
import { authorizePagePath, customSchemeRedirectPath } from '../../model/oauth.ts';
import { type AuthorizationCodeChallenge, codeChallengeMethod } from './pkce-form.ts';

/** What the player is asked for. */
export interface AuthorizationRequestFields {
  /** Separated by spaces. */
  readonly scopes: string;
  readonly nonce?: string | undefined;
  readonly codeChallenge?: AuthorizationCodeChallenge | undefined;
  readonly integrationType?: IntegrationType | undefined;
}

/** What the client adds to the arguments. */
export interface AuthorizationTarget {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** The address of the authorization page. @see docs/spec/oauth2.md#authorization-request */
export function authorizeUrl(args: AuthorizationRequestFields, target: AuthorizationTarget): string {
  const parameters: Record<string, string | undefined> = {
    client_id: target.clientId,
    response_type: 'code',
    redirect_uri: target.redirectUri,
    scope: args.scopes,
    state: target.state,
    nonce: args.nonce,
    code_challenge: args.codeChallenge?.challenge,
    code_challenge_method: args.codeChallenge && codeChallengeMethod,
    integration_type: args.integrationType?.toString(),
  };
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  return `${target.baseUrl}${authorizePagePath}?${query.join('&')}`;
}

/**
 * `<scheme>:/authorize/callback`, with one slash. The scheme is in lower case, because systems and browsers pass it like
 * that, and servers compare redirect addresses exactly.
 *
 * @see docs/spec/client.md#authorization-arguments
 */
export function customSchemeRedirect(scheme: string): string {
  return `${scheme.toLowerCase()}:${customSchemeRedirectPath}`;
}
