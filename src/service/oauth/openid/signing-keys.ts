import type { CryptoKey, JWK } from 'jose';
import { loadOnce } from '../../../wire/load-once.ts';
import type { Core } from '../../core.ts';

/** How ID tokens are signed, and what else bears the service's name. @see docs/spec/oauth2.md#token-information */
export const signingAlgorithm = 'RS256';

const settingName = 'oauth_signing_key';
/** Where a key is kept that cannot be read. */
const unreadableName = 'oauth_signing_key_unreadable';

/** The public part of a signing key, all of it required. @see docs/spec/oauth2.md#id-token */
export interface PublicKey {
  readonly kty: string;
  readonly use: 'sig';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly alg: typeof signingAlgorithm;
}

/** The installation's one key pair: made when first needed, then kept in the store. */
export interface SigningKeys {
  /** What verifiers may read. */
  published(): Promise<PublicKey>;
  /** What signs, and the name it goes by. */
  signer(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
}

type PrivateKey = JWK & PublicKey;

const keyMembers = ['kty', 'kid', 'n', 'e', 'alg', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

function isPrivateKey(value: unknown): value is PrivateKey {
  const members = value as Readonly<Record<string, unknown>> | null | undefined;
  return typeof members === 'object' && keyMembers.every(name => typeof members?.[name] === 'string');
}

export function createSigningKeys(core: Core): SigningKeys {
  // A store that is emptied gets the same key again: to make one takes a tenth of a second.
  const made = loadOnce(makeKey);
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
          'The key that signs ID tokens cannot be read; a new one takes its place, and tokens signed before are not valid any more.';
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

/** The library that signs, with the first token it signs: a service starts without it. */
export function loadJose(): Promise<typeof import('jose')> {
  return import('jose');
}

async function makeKey(): Promise<PrivateKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await loadJose();
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, use: 'sig', alg: signingAlgorithm, kid: await calculateJwkThumbprint(jwk) } as PrivateKey;
}
