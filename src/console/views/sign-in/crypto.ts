import { isSameService } from '../../../wire/addresses.ts';

/** What a sign-in needs of cryptography, by the browser's own. It is there on this machine's addresses and over https. */
export function hasCrypto(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

const randomBytes = 32;

/** 32 random bytes as base64url: a code verifier, a state or a nonce. */
export function randomText(): string {
  return base64UrlOf(crypto.getRandomValues(new Uint8Array(randomBytes)));
}

/** The S256 challenge of a verifier. @see RFC 7636, section 4.2 */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64UrlOf(new Uint8Array(digest));
}

function base64UrlOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function bytesOf(base64Url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64Url.replaceAll('-', '+').replaceAll('_', '/')), sign => sign.charCodeAt(0));
}

/** A JSON Web Token, read but not verified. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Undefined for text that is no token. */
export function readJwt(token: string): Jwt | undefined {
  const [header = '', claims = '', signature] = token.split('.');
  if (signature === undefined) return undefined;
  try {
    return { header: objectIn(header), claims: objectIn(claims) };
  } catch {
    return undefined;
  }
}

function objectIn(part: string): Record<string, unknown> {
  const value = JSON.parse(new TextDecoder().decode(bytesOf(part))) as unknown;
  if (typeof value !== 'object' || value === null) throw new Error('It is no object.');
  return value as Record<string, unknown>;
}

export interface JwksKey extends JsonWebKey {
  readonly kid?: string;
}

/** One thing that was checked about an ID token. */
export interface TokenCheck {
  readonly what: 'signature' | 'iss' | 'aud' | 'exp' | 'nonce' | 'sub';
  readonly isRight: boolean;
  /** What was found, and what was expected. */
  readonly found: string;
  readonly expected: string;
}

export interface TokenExpectations {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string | undefined;
  readonly nowMs: number;
}

/**
 * Checks an ID token by the service's keys.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
export async function checkIdToken(
  token: string,
  keys: readonly JwksKey[],
  { issuer, clientId, nonce, nowMs }: TokenExpectations,
): Promise<readonly TokenCheck[]> {
  const jwt = readJwt(token);
  if (!jwt) return [{ what: 'signature', isRight: false, found: '', expected: 'JWT' }];
  const { iss, aud, exp, sub } = jwt.claims;
  const expires = typeof exp === 'number' ? new Date(exp * 1000).toISOString() : String(exp);
  const audiences = Array.isArray(aud) ? aud.map(String) : [String(aud)];
  return [
    await checkSignature(token, jwt, keys),
    { what: 'iss', isRight: isSameService(String(iss), issuer), found: String(iss), expected: issuer },
    { what: 'aud', isRight: audiences.includes(clientId), found: audiences.join(', '), expected: clientId },
    {
      what: 'exp',
      isRight: typeof exp === 'number' && exp * 1000 > nowMs,
      found: expires,
      expected: `> ${new Date(nowMs).toISOString()}`,
    },
    { what: 'sub', isRight: typeof sub === 'string' && sub !== '', found: String(sub), expected: '' },
    ...(nonce === undefined
      ? []
      : [
          {
            what: 'nonce' as const,
            isRight: jwt.claims.nonce === nonce,
            found: String(jwt.claims.nonce),
            expected: nonce,
          },
        ]),
  ];
}

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

async function checkSignature(token: string, { header }: Jwt, keys: readonly JwksKey[]): Promise<TokenCheck> {
  const found = `${String(header.alg)}, kid ${String(header.kid)}`;
  const expected = `RS256, kid ${keys.map(({ kid }) => kid ?? '').join(' / ')}`;
  const key = keys.find(({ kid }) => kid === header.kid);
  // "none" and keys that the token names itself are how forged tokens look.
  if (header.alg !== 'RS256' || !key) return { what: 'signature', isRight: false, found, expected };
  try {
    const imported = await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify']);
    const end = token.lastIndexOf('.');
    const signed = new TextEncoder().encode(token.slice(0, end));
    const isRight = await crypto.subtle.verify(algorithm, imported, bytesOf(token.slice(end + 1)), signed);
    return { what: 'signature', isRight, found, expected };
  } catch {
    return { what: 'signature', isRight: false, found, expected };
  }
}
