import { ArgumentError } from '../model/errors/errors.ts';
import { loopbackRedirect } from '../model/oauth.ts';
import { unsetHint } from './environment-variables.ts';
import { apiVersion } from './routes.ts';

/**
 * The base URL of Discord's hosted service. It is never a default: nothing is sent there unless it is passed as `baseUrl`.
 */
export const discordBaseUrl = 'https://discord.com';

/** Where the API's routes are. @param baseUrl as {@link resolveBaseUrl} returns it */
export function apiUrl(baseUrl: string): string {
  return `${baseUrl}/api/v${apiVersion}`;
}

/**
 * Checks the base URL that a game or its server gave. Everything else follows from it: the API is at `/api/v10`, the
 * pages and the OAuth2 authorization are below it, it is the issuer of the tokens, and `GET /gateway` names the gateway.
 *
 * @param given `https://host`, perhaps with a path; a `/api` or `/api/v10` at its end is accepted too
 * @param allowUnencrypted credentials may travel by `http:` beyond this machine
 * @returns the base URL without `/api` and without a slash at its end
 * @throws ArgumentError `missing_base_url`: undefined or empty; `invalid_base_url`; `insecure_address`: credentials would
 *   travel unencrypted beyond this machine
 */
export function resolveBaseUrl(given: unknown, { allowUnencrypted = false } = {}): string {
  if (given === undefined || given === null || given === '') {
    throw new ArgumentError(
      'missing_base_url',
      "baseUrl is missing. Set it to the address of your service, for example baseUrl: 'http://127.0.0.1:8910', or to " +
        `discordBaseUrl for Discord. ${unsetHint('baseUrl')}`,
    );
  }
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw invalid(given, 'must be an http or https URL without user, query or fragment');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const prefix = path.replace(apiPath, '');
  if (anyApiPath.test(prefix))
    throw invalid(given, `must end before the API's path, or in /api or /api/v${apiVersion}`);
  if (!allowUnencrypted && !isPrivate(url)) {
    throw new ArgumentError(
      'insecure_address',
      `baseUrl must be https beyond this machine, because credentials travel there (got ${url.origin}).`,
    );
  }
  return url.origin + prefix;
}

const apiPath = new RegExp(`/api(/v${apiVersion})?$`);
const anyApiPath = /\/api(\/v[^/]*)?$/i;

function invalid(given: unknown, rule: string): ArgumentError {
  // A user, a query or a fragment may hold a secret.
  const shown = typeof given !== 'string' || /[@?#]/.test(given) ? '' : ` (got "${given}")`;
  return new ArgumentError('invalid_base_url', `baseUrl ${rule}${shown}.`);
}

/** Whether what is sent there stays secret: the connection is encrypted, or does not leave this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:' || protocol === 'wss:') return true;
  return (protocol === 'http:' || protocol === 'ws:') && isLoopback(hostname);
}

/**
 * Whether two base URLs name one service: they are equal, or differ only in how they spell this machine, as `http://localhost:8910` and
 * `http://127.0.0.1:8910` do.
 */
export function isSameService(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && withoutAlias(a) === withoutAlias(b));
}

function withoutAlias(baseUrl: string): string {
  const url = new URL(baseUrl);
  // Text in any other form than a base URL names no service.
  const path = url.pathname.replace(/\/$/, '');
  if (!isLoopback(url.hostname) || baseUrl !== url.origin + path) return baseUrl;
  return `${url.protocol}//${loopbackRedirect.host}:${url.port}${path}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === loopbackRedirect.host || hostname === 'localhost' || hostname === '[::1]';
}
