import { isLoopback } from '../support/network-address.ts';

/** Our choice: a year, as lists of preloaded hosts want it; hosts below ours are not ours to speak for. */
const policy = 'max-age=31536000';

/**
 * What tells browsers to come by https alone, when the service is public by https. Undefined on this machine, where it would bind
 * every program's address.
 *
 * @param web the origin that the service is reached by
 * @see RFC 6797
 */
export function transportSecurity(web: string): string | undefined {
  const { protocol, hostname } = new URL(web);
  const isOurs = isLoopback(hostname.replace(/^\[|\]$/g, '')) || hostname.endsWith('.localhost');
  return protocol === 'https:' && !isOurs ? policy : undefined;
}
