import { blockList, holds } from '../support/network-address.ts';

/**
 * Addresses of this machine, its network or no particular host: the blocks that IANA's registries do not list as globally reachable,
 * and the metadata services of clouds (169.254.169.254, fd00:ec2::254, 100.100.100.200 and 192.0.0.192 are in such blocks;
 * 168.63.129.16 is not). An IPv4-mapped IPv6 address is treated like the IPv4 address; addresses of translators and tunnels are
 * private, wherever they lead. As of November 2026.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const privateBlocks = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  // Documentation, and the former relays of 6to4.
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '192.88.99.0/24', '2001:db8::/32', '3fff::/20'],
  ...[
    '::/96',
    '100::/64',
    '100:0:0:1::/64',
    '2001::/23',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
  // Translators and tunnels.
  ...['::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
]);

/** Whether a public service must not send requests to this address when others choose it. */
export function isPrivateAddress(address: string): boolean {
  return holds(privateBlocks, address);
}

/** A request was not sent, because its address is private. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string) {
    super(`${host} leads to a private address.`);
  }
}
