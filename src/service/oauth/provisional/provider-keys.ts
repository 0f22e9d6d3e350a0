import type { JSONWebKeySet } from 'jose';
import { type Clock, steadyNow } from '../../../wire/clock/ports.ts';
import { asRecord } from '../../../wire/http/codec.ts';
import type { IdTokenProvider } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';
import type { AskOutside } from './outside-json.ts';
import { mayNameAddress } from './provider-address.ts';

/** The keys that identity providers sign with, asked for when they are needed and kept for a while. */
export interface ProviderKeys {
  /** @throws RequestError `identity_provider_not_found`, `identity_keys_not_found`, `invalid_identity_keys` */
  of(provider: IdTokenProvider): Promise<JSONWebKeySet>;
  /**
   * The keys asked for anew, for a token whose key is not among those kept; undefined when they were asked for just
   * now, so that made-up tokens cannot have a provider asked again and again.
   *
   * @throws RequestError as above
   */
  renewed(provider: IdTokenProvider): Promise<JSONWebKeySet | undefined>;
}

// Our choices, all three.
const keysLifeMs = 10 * 60_000;
/** Neither keys nor a failure to get them are asked about more often. */
export const askPauseMs = 10_000;
const keptProvidersMax = 1000;

interface Kept {
  readonly keys: Promise<JSONWebKeySet>;
  readonly askedAtMs: number;
  failed: boolean;
}

export function createProviderKeys(clock: Clock, ask: AskOutside): ProviderKeys {
  /** In the order of asking. */
  const kept = new Map<string, Kept>();

  function ageMs({ askedAtMs }: Kept): number {
    return steadyNow(clock) - askedAtMs;
  }

  function askAnew(provider: IdTokenProvider): Promise<JSONWebKeySet> {
    const name = nameOf(provider);
    kept.delete(name);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= keptProvidersMax) kept.delete(oldest);
    const one: Kept = { keys: fetchKeys(ask, provider), askedAtMs: steadyNow(clock), failed: false };
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

async function fetchKeys(ask: AskOutside, provider: IdTokenProvider): Promise<JSONWebKeySet> {
  const address = provider.jwks_uri ?? (await discoverKeys(ask, provider));
  const answer = await ask(address, get);
  if (answer?.status !== 200) throw new RequestError('identity_keys_not_found');
  if (!isKeySet(answer.body)) throw new RequestError('invalid_identity_keys');
  return answer.body;
}

/** The address of the provider's keys, from its own description. @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig */
async function discoverKeys(ask: AskOutside, { issuer }: IdTokenProvider): Promise<string> {
  const answer = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, get);
  const document = answer?.status === 200 ? asRecord(answer.body) : undefined;
  // Who describes another issuer is not the one that was configured (4.3).
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
