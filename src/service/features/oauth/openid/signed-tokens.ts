import type { CryptoKey, JWK } from 'jose';
import { splitScopes, type TokenResponse } from '../../../../model/oauth.ts';
import { randomToken } from '../../../../wire/clock/ports.ts';
import { loadOnce } from '../../../../wire/load-once.ts';
import type { Core } from '../../../core.ts';
import { signingKeySetting as settingName } from '../../../store/protected-keys.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { isSealed } from '../../../support/vault.ts';
import type { VoiceSeat, VoiceServer } from '../../lobbies/voice-server.ts';
import type { Parties } from '../authorize/authorization-records.ts';

/** The user and the application of an ID token. */
export interface IdTokenSubject extends Parties {
  /** From the authorization request; a refresh does not repeat it. */
  readonly nonce: string | null;
  /** When the user signed in; absent where the user did so elsewhere, or by an earlier version. */
  readonly signed_in_at_ms?: number;
}

export interface IdTokens {
  /** Adds an ID token to an answer whose scope has `openid`. @see docs/spec/oauth2.md#token-information */
  add(response: TokenResponse, subject: IdTokenSubject): Promise<TokenResponse>;
  sign(subject: IdTokenSubject, lifeSeconds: number): Promise<string>;
}

/** Unspecified: an ID token lives as long as the access token that comes with it. */
export function createIdTokens(core: Core, keys: SigningKeys): IdTokens {
  async function sign(subject: IdTokenSubject, lifeSeconds: number): Promise<string> {
    const { application_id, user_id, nonce, signed_in_at_ms } = subject;
    const { kid, key } = await keys.signer();
    const { SignJWT } = await loadJose();
    const nowSeconds = Math.floor(core.clock.now() / 1000);
    return new SignJWT({
      ...(nonce !== null && { nonce }),
      ...(signed_in_at_ms !== undefined && { auth_time: Math.floor(signed_in_at_ms / 1000) }),
    })
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

/**
 * The algorithm of ID tokens and of other tokens that the service issues. @see docs/spec/oauth2.md#token-information
 */
export const signingAlgorithm = 'RS256';

/** The setting that keeps a private key that cannot be read. */
const unreadableName = 'oauth_signing_key_unreadable';

/** The public part of a signing key; all fields are required. @see docs/spec/oauth2.md#id-token */
export interface PublicKey {
  readonly kty: string;
  readonly use: 'sig';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly alg: typeof signingAlgorithm;
}

/** The installation's only key pair: created at first use, then kept in the store. */
export interface SigningKeys {
  /** The key as verifiers read it. */
  published(): Promise<PublicKey>;
  /** The private key and its id. */
  signer(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
}

type PrivateKey = JWK & PublicKey;

const keyMembers = ['kty', 'kid', 'n', 'e', 'alg', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

function isPrivateKey(value: unknown): value is PrivateKey {
  const members = value as Readonly<Record<string, unknown>> | null | undefined;
  return typeof members === 'object' && keyMembers.every(name => typeof members?.[name] === 'string');
}

export function createSigningKeys(core: Core): SigningKeys {
  // A store that is emptied gets the same key again, because creating one takes a tenth of a second.
  const made = loadOnce(createKey);
  let imported: { readonly kid: string; readonly key: CryptoKey } | undefined;

  function openKey(value: unknown): unknown {
    return isSealed(value) && core.vault ? JSON.parse(core.vault.open(value)) : value;
  }

  async function load(): Promise<PrivateKey> {
    const kept = openKey((await core.store.get('settings', settingName))?.value);
    return isPrivateKey(kept) ? kept : assign();
  }

  async function assign(): Promise<PrivateKey> {
    const value = await made();
    return core.store.transact('settings', async transaction => {
      const kept = await transaction.get('settings', settingName);
      const key = openKey(kept?.value);
      if (isPrivateKey(key)) return key;
      if (kept) {
        transaction.put('settings', { name: unreadableName, value: kept.value });
        const message =
          'The key that signs ID tokens cannot be read. A new one replaces it, and tokens signed before are no longer valid.';
        core.log.error(
          { code: 'record_unreadable', collection: 'settings', id: settingName, kept: unreadableName },
          message,
        );
      }
      const sealed = core.vault?.seal(JSON.stringify(value)) ?? value;
      transaction.put('settings', { name: settingName, value: sealed });
      return value;
    });
  }

  return {
    async published() {
      const { kty, use, kid, n, e, alg } = await load();
      return { kty, use, kid, n, e, alg };
    },

    async signer() {
      const jwk = await load();
      if (imported?.kid !== jwk.kid) {
        const { importJWK } = await loadJose();
        imported = { kid: jwk.kid, key: (await importJWK(jwk, signingAlgorithm)) as CryptoKey };
      }
      return imported;
    },
  };
}

/** Loads the signing library with the first token, so that a start does not wait for it. */
export function loadJose(): Promise<typeof import('jose')> {
  return import('jose');
}

async function createKey(): Promise<PrivateKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await loadJose();
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, use: 'sig', alg: signingAlgorithm, kid: await calculateJwkThumbprint(jwk) } as PrivateKey;
}

/** Audience and type of voice tokens, so that no verifier of ID tokens accepts one. */
export const voiceAudience = 'lobby-voice';
export const voiceTokenType = 'voice+jwt';

const tokenIdBytes = 16;

/**
 * Signs tokens for the voice server that an operator runs. Unspecified: they are JWTs signed by the key of the ID
 * tokens, so that a voice server needs nothing but `GET /oauth2/keys` to verify them. `sub` is the user, `lobby_id`
 * the call, and `session_id` the session that both events name. They are valid for `serviceLimits.voiceTokenLifeMs`;
 * op 42 requests another.
 */
export function openVoiceServer(
  core: Core,
  keys: SigningKeys,
  pendingWork: PendingWork,
  endpoint: string,
): VoiceServer {
  async function sign({ lobbyId, applicationId, userId, sessionId }: VoiceSeat): Promise<string> {
    const { kid, key } = await keys.signer();
    const { SignJWT } = await loadJose();
    const nowSeconds = Math.floor(core.clock.now() / 1000);
    return new SignJWT({ application_id: applicationId, lobby_id: lobbyId, session_id: sessionId })
      .setProtectedHeader({ alg: signingAlgorithm, kid, typ: voiceTokenType })
      .setIssuer(core.addresses.web)
      .setAudience(voiceAudience)
      .setSubject(userId)
      .setJti(randomToken(core.entropy, tokenIdBytes))
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + serviceLimits.voiceTokenLifeMs / 1000)
      .sign(key);
  }

  return { endpoint, token: seat => pendingWork.runAside(() => sign(seat)) };
}
