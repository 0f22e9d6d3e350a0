import type { CryptoKey, JWK } from 'jose';
import { loadOnce } from '../../../wire/load-once.ts';
import type { Core } from '../../core.ts';

/**
 * The algorithm of ID tokens and of other tokens that the service issues. @see docs/spec/oauth2.md#token-information
 */
export const signingAlgorithm = 'RS256';

const settingName = 'oauth_signing_key';
/** The setting that holds the private key. */
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

  async function load(): Promise<PrivateKey> {
    const kept = await core.store.get('settings', settingName);
    return isPrivateKey(kept?.value) ? kept.value : assign();
  }

  async function assign(): Promise<PrivateKey> {
    const value = await made();
    return core.store.transact('settings', async transaction => {
      const kept = await transaction.get('settings', settingName);
      if (isPrivateKey(kept?.value)) return kept.value;
      if (kept) {
        transaction.put('settings', { name: unreadableName, value: kept.value });
        const message =
          'The key that signs ID tokens cannot be read. A new one replaces it, and tokens signed before are no longer valid.';
        core.log.error(
          { code: 'record_unreadable', collection: 'settings', id: settingName, kept: unreadableName },
          message,
        );
      }
      transaction.put('settings', { name: settingName, value });
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
