import { authorizePagePath } from '../../model/oauth.ts';
import { codeChallengeMethod } from '../../wire/pkce.ts';
import type { AuthorizationArgs } from './authorization-args.ts';

/** What an authorization adds to the player's arguments. */
export interface AuthorizationTarget {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** The page that asks the player. @see docs/spec/oauth2.md#authorization-request */
export function authorizeUrl(args: AuthorizationArgs, target: AuthorizationTarget): string {
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
