import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { blockList, holds } from '../support/network-address.ts';

/** The address that a request came from, as far as it can be trusted. */
export type AddressOf = (request: IncomingMessage) => string;

/**
 * The peer of the connection or, if that is a trusted proxy, the last address in `X-Forwarded-For` that is not a trusted proxy. The
 * client may have invented everything before that.
 *
 * Unspecified: if the header ends or is malformed before such an address, the last proxy counts.
 *
 * @param proxies addresses and CIDR blocks, checked by `isAddressBlock`; IPv4 ones also match their IPv6 form
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
 * A check whether the peer of a request is one of the proxies; undefined if there are none.
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
 * The form in which limits and blocks count an address: of IPv6 the first 64 bits, because one subscriber usually has all the rest.
 *
 * @param address as {@link AddressOf} returns it
 * @see RFC 4291, section 2.5.4
 */
export function countedAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [written = ''] = address.split('%', 1);
  const [left = '', right] = written.split('::', 2);
  const front = left === '' ? [] : left.split(':');
  const back = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 address at the end replaces two groups.
  const missing = 8 - front.length - back.length - (back.at(-1)?.includes('.') ? 1 : 0);
  const groups = right === undefined ? front : [...front, ...Array<string>(Math.max(0, missing)).fill('0'), ...back];
  return `${groups.slice(0, 4).map(withoutZeros).join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, '');
}

const isTrusted = holds;

/** An entry of the header: an address with an optional port; IPv6 with a port is in brackets. */
function readAddress(entry: string): string | undefined {
  const text = entry.trim();
  const [, bracketed, bare] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? bare ?? text);
  return isIP(address) === 0 ? undefined : address;
}

/** One spelling for each address: dual-stack sockets report IPv4 addresses in IPv6 form. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.toLowerCase();
}
