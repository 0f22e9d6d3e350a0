import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Core } from '../core.ts';
import { blockList, holds, isLoopback } from '../support/network-address.ts';
import { peerAddress } from './client-address.ts';
import { requestedHost } from './router.ts';

/** The names by which clients reach a service. */
export interface HostNames {
  /** The address that it listens on. */
  readonly bound: string;
  /** An origin. */
  readonly publicUrl: string | undefined;
  /** Other names and addresses, without ports. */
  readonly allowed: readonly string[];
}

type Asked = Pick<IncomingMessage, 'url' | 'headers' | 'socket'>;

/**
 * Checks that a request is meant for this service. A web page can point its own name at this machine (DNS rebinding); its requests
 * then carry that name, and the forms that it sends carry its origin.
 *
 * Unspecified: ports are not compared, because port forwarding changes them.
 *
 * @see RFC 9110, section 7.4; RFC 9110, section 15.5.20; RFC 6454, section 7
 */
export class Hosts {
  readonly #log: Core['log'];
  readonly #names: ReadonlySet<string>;
  readonly #publicOrigin: string | undefined;
  readonly #isOnAll: boolean;
  /** Values of the header that were accepted, and rejected names that were already logged. */
  readonly #known = new Set<string>();
  readonly #told = new Set<string>();

  constructor(log: Core['log'], { bound, publicUrl, allowed }: HostNames) {
    this.#log = log;
    this.#publicOrigin = publicUrl;
    this.#isOnAll = bound === '0.0.0.0' || bound === '::';
    const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).host];
    const names = [bound.includes(':') ? `[${bound}]` : bound, ...publicHost, ...allowed];
    this.#names = new Set(names.map(nameOf).filter(name => name !== undefined));
  }

  /** Whether the request is for this service. */
  isOurs(request: Asked): boolean {
    const host = requestedHost(request);
    const isOurs = host !== undefined && (this.#known.has(host) || this.#isName(host, request.socket));
    return isOurs || this.#refuse(host);
  }

  /**
   * Whether the request is a form sent by a page of another origin. Browsers send those without a preflight request.
   *
   * Unspecified: requests that browsers send only after a preflight request are accepted, because the service answers the preflight
   * with 405; so programs may send any origin.
   */
  isForeignForm(request: Pick<IncomingMessage, 'url' | 'headers' | 'method'>): boolean {
    const { headers, method } = request;
    const { origin } = headers;
    if (origin === undefined || safeMethods.has(method)) return false;
    if (!simpleTypes.test(headers['content-type'] ?? '')) return false;
    if (origin === 'null') return headers['sec-fetch-site'] !== 'same-origin';
    const url = URL.parse(origin);
    if (!url || url.origin === this.#publicOrigin) return !url;
    return url.host !== URL.parse(`${url.protocol}//${requestedHost(request)}`)?.host;
  }

  #isName(host: string, socket: Socket): boolean {
    const name = nameOf(host);
    if (name === undefined) return false;
    if (this.#isOnAll && name === nameOfAddress(socket.localAddress)) return true;
    if (!isLoopbackName(name) && !this.#names.has(name)) return false;
    if (this.#known.size >= rememberedMax) this.#known.clear();
    this.#known.add(host);
    return true;
  }

  #refuse(host = ''): false {
    if (this.#told.size < toldMax && !this.#told.has(host)) {
      this.#told.add(host);
      this.#log.warn(
        { host: host.slice(0, 255) },
        'A request was rejected because of the host that it names; --allowed-host accepts further names.',
      );
    }
    return false;
  }
}

const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

const rememberedMax = 1000;
const toldMax = 20;

/** The content types that a form can send, or none. @see https://fetch.spec.whatwg.org/#cors-safelisted-request-header */
const simpleTypes = /^\s*(?:$|(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$))/i;

const loopback = blockList(['127.0.0.0/8', '::1']);

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || holds(loopback, name.replace(/^\[|\]$/g, ''));
}

/** A host in one spelling and without its port; undefined if it is not a host. */
export function nameOf(host: string): string | undefined {
  const url = URL.parse(`http://${host}`);
  return url && url.href === `http://${url.host}/` ? url.hostname.replace(/\.$/, '') : undefined;
}

function nameOfAddress(localAddress = ''): string | undefined {
  const address = peerAddress({ remoteAddress: localAddress });
  return nameOf(address.includes(':') ? `[${address}]` : address);
}

/** Unspecified: one year, as preload lists require; subdomains are not included, because they may belong to others. */
const policy = 'max-age=31536000';

/**
 * The header that makes browsers use HTTPS only, for a public service with an https origin. Undefined on loopback, where it would
 * affect every other program on this machine.
 *
 * @param web the origin of the service
 * @see RFC 6797
 */
export function transportSecurity(web: string): string | undefined {
  const { protocol, hostname } = new URL(web);
  const isOurs = isLoopback(hostname.replace(/^\[|\]$/g, '')) || hostname.endsWith('.localhost');
  return protocol === 'https:' && !isOurs ? policy : undefined;
}
