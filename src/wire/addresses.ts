import { ArgumentError } from '../model/errors/errors.ts';
import { loopbackRedirect } from '../model/oauth.ts';
import { parseBaseUrl } from './http/http.ts';

/** Where the hosted service is. */
const hosted = { webBase: 'https://discord.com', apiBase: 'https://discord.com/api' } as const;

/** What the interface puts between `{base_url}` and the version. */
const apiPath = '/api';

/** Where a service is reached; no slash at the ends. */
export interface Addresses {
  /** Pages for people; also the issuer of its tokens. */
  readonly webBase: string;
  /** `{base_url}/api` */
  readonly apiBase: string;
  /** `{base_url}` */
  readonly baseUrl: string;
}

/**
 * Completes the addresses a game or its backend gave.
 *
 * @param allowUnencrypted credentials may travel by `http:` beyond this machine
 * @throws ArgumentError `invalid_base_url`; `insecure_address`: credentials would travel unencrypted beyond this machine
 */
export function resolveAddresses(
  given: { readonly webBase?: string | undefined; readonly apiBase?: string | undefined },
  { allowUnencrypted = false } = {},
): Addresses {
  const webBase = parseBaseUrl(given.webBase ?? hosted.webBase);
  const apiBase = parseBaseUrl(given.apiBase ?? hosted.apiBase);
  if (!apiBase.endsWith(apiPath)) {
    throw new ArgumentError('invalid_base_url', `apiBase must end in ${apiPath}, as in ${hosted.apiBase}.`);
  }
  for (const address of [webBase, apiBase]) {
    if (allowUnencrypted || isPrivate(new URL(address))) continue;
    throw new ArgumentError('insecure_address', `${address} must be https: credentials travel there.`);
  }
  return { webBase, apiBase, baseUrl: apiBase.slice(0, -apiPath.length) };
}

/** Whether what is sent there stays secret: the connection is encrypted, or does not leave this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:' || protocol === 'wss:') return true;
  return (protocol === 'http:' || protocol === 'ws:') && isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === loopbackRedirect.host || hostname === 'localhost' || hostname === '[::1]';
}
