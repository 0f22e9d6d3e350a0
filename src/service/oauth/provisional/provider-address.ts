import { isLoopback } from '../../support/network-address.ts';

/** Whether the service may ask somebody at this address about a player: by https, or on this machine. */
export function isProviderAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url));
}

/**
 * Whether a provider at `issuer` may name this address as that of its keys: as above, and one from outside must not
 * lead the service to something on its own machine.
 */
export function mayNameAddress(issuer: string, text: unknown): text is string {
  if (typeof text !== 'string' || !isProviderAddress(text)) return false;
  return !isOnThisMachine(new URL(text)) || isOnThisMachine(new URL(issuer));
}

function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
