import { BlockList, isIP } from 'node:net';

/** Whether a host name or address means this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether the text is an address or a CIDR block, of IPv4 or IPv6. */
export function isAddressBlock(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const kind = isIP(address);
  return kind !== 0 && !address.includes('%') && (bits === undefined || Number(bits) <= (kind === 4 ? 32 : 128));
}

/** A list of addresses and CIDR blocks, checked by {@link isAddressBlock}. */
export function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** Whether the list contains the address; `address` may be any text. */
export function holds(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** @param address a valid one: `isIP` compiles its pattern for IPv6 when it is first used, which is a thirtieth of a start */
function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** The host by which programs on this machine connect to a server that listens on `host`. */
export function dialedHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
