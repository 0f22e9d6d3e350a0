import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type JWK, SignJWT } from 'jose';
import { answerJson, type SeenRequest, startLoopbackServer } from './loopback-server.ts';

/** What the provider says otherwise at a path; it answers as it would when nothing is given. */
export type Said = (request: SeenRequest, response: ServerResponse) => void;

interface Key {
  readonly alg: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

/** A real identity provider on loopback: describes itself, publishes its keys, and signs ID tokens. */
export async function openIdentityProvider(now: () => number) {
  const keys = new Map<string, Key>();
  const said = new Map<string, Said>();
  const server = await startLoopbackServer((request, response) => {
    const other = said.get(request.url);
    if (other) other(request, response);
    else if (request.url === paths.configuration) {
      answerJson(response, 200, { issuer: server.baseUrl, jwks_uri: server.baseUrl + paths.keys });
    } else if (request.url === paths.keys) {
      answerJson(response, 200, { keys: [...keys.values()].map(({ jwk }) => jwk) });
    } else answerJson(response, 404, {});
  });

  /** Publishes a new key. */
  function addKey(kid: string, alg: Key['alg'] = 'RS256'): void {
    keys.set(kid, makeKey(kid, alg));
  }

  /** Publishes a key no longer; its private part goes on to sign. */
  function withdrawKey(kid: string): void {
    const key = keys.get(kid);
    keys.delete(kid);
    if (key) withdrawn.set(kid, key);
  }
  const withdrawn = new Map<string, Key>();

  addKey('key-1');
  return {
    issuer: server.baseUrl,
    audience: 'game',
    /** For an application's fixtures. */
    provider: { type: 'OIDC', issuer: server.baseUrl, audience: 'game' } as const,
    addKey,
    withdrawKey,
    /** The provider says something else at one of its {@link paths}; without `how` it is itself again. */
    say(path: string, how?: Said) {
      if (how) said.set(path, how);
      else said.delete(path);
    },
    /** How often somebody asked at a path. */
    asked: (path: string) => server.seen.filter(({ url }) => url === path).length,
    /** Nobody has asked yet, and the first key is the only one. */
    begin() {
      server.seen.length = 0;
      said.clear();
      keys.clear();
      addKey('key-1');
    },
    close: server.close,

    /** An ID token about a player; claims given replace the sound ones, undefined leaves one out. */
    sign(
      subject: string,
      claims: Readonly<Record<string, unknown>> = {},
      { kid = 'key-1', header = {} }: SignOptions = {},
    ): Promise<string> {
      const key = keys.get(kid) ?? withdrawn.get(kid);
      if (!key) throw new Error(`There is no key ${kid}.`);
      const iat = Math.floor(now() / 1000);
      const sound = { iss: server.baseUrl, aud: 'game', sub: subject, iat, exp: iat + 3600 };
      return new SignJWT(JSON.parse(JSON.stringify({ ...sound, ...claims })))
        .setProtectedHeader({ alg: key.alg, kid, ...header })
        .sign(key.privateKey);
    },
  };
}

export type IdentityProvider = Awaited<ReturnType<typeof openIdentityProvider>>;

interface SignOptions {
  readonly kid?: string;
  /** In place of the sound ones. */
  readonly header?: { readonly kid?: string };
}

export const paths = { configuration: '/.well-known/openid-configuration', keys: '/keys' } as const;

const made = new Map<string, Key>();

/** Making an RSA key takes long: tests share them by name. */
function makeKey(kid: string, alg: Key['alg']): Key {
  const known = made.get(`${kid} ${alg}`);
  if (known) return known;
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk: JWK = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg, use: 'sig' } as JWK;
  const key = { alg, privateKey, jwk };
  made.set(`${kid} ${alg}`, key);
  return key;
}
