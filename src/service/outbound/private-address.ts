import { blockList, holds } from '../support/network-address.ts';

/**
 * Addresses that lead to this machine, to its network or to nobody in particular, those of clouds' metadata services among
 * them (169.254.169.254, fd00:ec2::254, 100.100.100.200, 192.0.0.192). The last two blocks of IPv6 carry IPv4 addresses.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry/; https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const privateBlocks = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '100::/64', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  ...['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
]);

/** Whether a public service must not be led to this address by what others tell it. */
export function isPrivateAddress(address: string): boolean {
  return holds(privateBlocks, address);
}

/** A request was not made, because the address given for it leads inside. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string) {
    super(`${host} leads to a private address.`);
  }
}
