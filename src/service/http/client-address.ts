import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { blockList, holds } from '../support/network-address.ts';

/** Where a request came from, as far as that can be believed. */
export type AddressOf = (request: IncomingMessage) => string;

/**
 * Believes the other end of the connection and, where that is one of the proxies, what it says in `X-Forwarded-For`: read
 * from its end, the first address that is no such proxy. What stands before that the client may have made up.
 *
 * Our choice: where the header breaks off or holds something else than addresses, the last proxy before that counts.
 *
 * @param proxies addresses and CIDR blocks, checked by `isAddressBlock`; IPv4 ones stand for their IPv6 form, too
 */
export function clientAddressBehind(proxies: readonly string[]): AddressOf {
  if (proxies.length === 0) return peerOf;
  const trusted = blockList(proxies);
  return request => {
    let address = peerOf(request);
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
    while (isTrusted(trusted, address)) {
      const next = readAddress(forwarded.pop() ?? '');
      if (next === undefined) return address;
      address = next;
    }
    return address;
  };
}

/** As {@link clientAddressBehind}, in the form that limits and blocks count: {@link countedAddress}. */
export function countedAddressBehind(proxies: readonly string[]): AddressOf {
  const clientOf = clientAddressBehind(proxies);
  return request => countedAddress(clientOf(request));
}

/**
 * Tells whether a request comes from one of the proxies itself; undefined when there are none.
 *
 * @param proxies as of {@link clientAddressBehind}
 */
export function isFromProxy(proxies: readonly string[]): ((request: IncomingMessage) => boolean) | undefined {
  if (proxies.length === 0) return undefined;
  const trusted = blockList(proxies);
  return request => isTrusted(trusted, peerOf(request));
}

function peerOf({ socket }: IncomingMessage): string {
  return peerAddress(socket);
}

/** The other end of a connection. */
export function peerAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress);
}

/**
 * Whom an address counts for: of IPv6 the first 64 bits, of which everybody has as many addresses as they like.
 *
 * @param address as {@link AddressOf} gives it
 * @see RFC 4291, section 2.5.4
 */
export function countedAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [written = ''] = address.split('%', 1);
  const [left = '', right] = written.split('::', 2);
  const front = left === '' ? [] : left.split(':');
  const back = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 address at the end stands for two groups.
  const missing = 8 - front.length - back.length - (back.at(-1)?.includes('.') ? 1 : 0);
  const groups = right === undefined ? front : [...front, ...Array<string>(Math.max(0, missing)).fill('0'), ...back];
  return `${groups.slice(0, 4).map(withoutZeros).join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, '');
}

const isTrusted = holds;

/** An entry of the header: an address, perhaps with a port, IPv6 then in brackets. */
function readAddress(entry: string): string | undefined {
  const [, bracketed, bare] = /^\s*(?:\[([^\]]*)\](?::\d+)?|([^:]*)(?::\d+)?|.*)\s*$/.exec(entry) ?? [];
  const address = plainAddress(bracketed ?? bare?.trim() ?? entry.trim());
  return isIP(address) === 0 ? undefined : address;
}

/** One spelling for each: a socket for both families shows IPv4 addresses in the form of IPv6. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.toLowerCase();
}
