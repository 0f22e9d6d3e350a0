import { splitScopes, type TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import type { Parties } from '../authorize/authorization-records.ts';
import { loadJose, type SigningKeys, signingAlgorithm } from './signing-keys.ts';

/** The user and the application of an ID token. */
export interface IdTokenSubject extends Parties {
  /** From the authorization request; a refresh does not repeat it. */
  readonly nonce: string | null;
}

export interface IdTokens {
  /** Adds an ID token to an answer whose scope has `openid`. @see docs/spec/oauth2.md#token-information */
  add(response: TokenResponse, subject: IdTokenSubject): Promise<TokenResponse>;
  sign(subject: IdTokenSubject, lifeSeconds: number): Promise<string>;
}

/** Unspecified: an ID token lives as long as the access token that comes with it. */
export function createIdTokens(core: Core, keys: SigningKeys): IdTokens {
  async function sign({ application_id, user_id, nonce }: IdTokenSubject, lifeSeconds: number): Promise<string> {
    const { kid, key } = await keys.signer();
    const { SignJWT } = await loadJose();
    const nowSeconds = Math.floor(core.clock.now() / 1000);
    return new SignJWT(nonce === null ? {} : { nonce })
      .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'JWT' })
      .setIssuer(core.addresses.web)
      .setSubject(user_id)
      .setAudience(application_id)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + lifeSeconds)
      .sign(key);
  }

  return {
    sign,
    async add(response, subject) {
      if (!splitScopes(response.scope).includes('openid')) return response;
      return { ...response, id_token: await sign(subject, response.expires_in) };
    },
  };
}
