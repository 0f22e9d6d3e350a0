import { isLoopback } from '../../../support/network-address.ts';

/** Whether the service may send a player's proof to this address: by https, or on this machine. */
export function isProviderAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url));
}

/**
 * Whether a provider at `issuer` may name this address for its keys: an allowed address, and no address on this
 * machine for a provider elsewhere.
 */
export function mayNameAddress(issuer: string, text: unknown): text is string {
  if (typeof text !== 'string' || !isProviderAddress(text)) return false;
  return !isOnThisMachine(new URL(text)) || isOnThisMachine(new URL(issuer));
}

function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
