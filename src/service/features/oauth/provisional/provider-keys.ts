import type { JSONWebKeySet } from 'jose';
import { type Clock, steadyNow } from '../../../../wire/clock/ports.ts';
import { asRecord } from '../../../../wire/http/codec.ts';
import type { IdTokenProvider } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { mayNameAddress } from './provider-address.ts';
import type { RequestProvider } from './provider-request.ts';

/** The keys that identity providers sign with, requested when they are needed and cached for a while. */
export interface ProviderKeys {
  /** @throws RequestError `identity_provider_not_found`, `identity_keys_not_found`, `invalid_identity_keys` */
  of(provider: IdTokenProvider): Promise<JSONWebKeySet>;
  /**
   * Requests the keys again, for a token whose key is not among the cached ones; undefined when they were requested a
   * moment ago, so that forged tokens cannot cause request after request.
   *
   * @throws RequestError as above
   */
  renewed(provider: IdTokenProvider): Promise<JSONWebKeySet | undefined>;
}

// Unspecified: these three.
const keysLifeMs = 10 * 60_000;
/** Keys, and failures to get them, are not requested again before this time has passed. */
export const askPauseMs = 10_000;
const keptProvidersMax = 1000;

interface Kept {
  readonly keys: Promise<JSONWebKeySet>;
  readonly askedAtMs: number;
  failed: boolean;
}

export function createProviderKeys(clock: Clock, request: RequestProvider): ProviderKeys {
  /** Ordered by the time of the request. */
  const kept = new Map<string, Kept>();

  function ageMs({ askedAtMs }: Kept): number {
    return steadyNow(clock) - askedAtMs;
  }

  function askAnew(provider: IdTokenProvider): Promise<JSONWebKeySet> {
    const name = nameOf(provider);
    kept.delete(name);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= keptProvidersMax) kept.delete(oldest);
    const one: Kept = { keys: fetchKeys(request, provider), askedAtMs: steadyNow(clock), failed: false };
    one.keys.catch(() => {
      one.failed = true;
    });
    kept.set(name, one);
    return one.keys;
  }

  return {
    async of(provider) {
      const one = kept.get(nameOf(provider));
      return one && ageMs(one) < (one.failed ? askPauseMs : keysLifeMs) ? one.keys : askAnew(provider);
    },
    async renewed(provider) {
      const one = kept.get(nameOf(provider));
      return one && ageMs(one) < askPauseMs ? undefined : askAnew(provider);
    },
  };
}

function nameOf({ issuer, jwks_uri }: IdTokenProvider): string {
  return `${issuer} ${jwks_uri}`;
}

async function fetchKeys(request: RequestProvider, provider: IdTokenProvider): Promise<JSONWebKeySet> {
  const address = provider.jwks_uri ?? (await discoverKeys(request, provider));
  const answer = await request(address, get);
  if (answer?.status !== 200) throw new RequestError('identity_keys_not_found');
  if (!isKeySet(answer.body)) throw new RequestError('invalid_identity_keys');
  return answer.body;
}

/** The address of the provider's keys, from its own description. @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig */
async function discoverKeys(request: RequestProvider, { issuer }: IdTokenProvider): Promise<string> {
  const answer = await request(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, get);
  const document = answer?.status === 200 ? asRecord(answer.body) : undefined;
  // The document must describe the issuer that was configured (section 4.3).
  if (document?.issuer !== issuer || !mayNameAddress(issuer, document.jwks_uri)) {
    throw new RequestError('identity_provider_not_found');
  }
  return document.jwks_uri;
}

const get = { method: 'GET', headers: { accept: 'application/json' } } as const;

function isKeySet(value: unknown): value is JSONWebKeySet {
  const keys = asRecord(value)?.keys;
  return Array.isArray(keys) && keys.every(key => typeof asRecord(key)?.kty === 'string');
}
