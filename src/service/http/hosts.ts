import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Core } from '../core.ts';
import { blockList, holds, isLoopback } from '../support/network-address.ts';
import { peerAddress } from './client-address.ts';

/** What a service is reached by. */
export interface HostNames {
  /** The address that it listens on. */
  readonly bound: string;
  /** An origin. */
  readonly publicUrl: string | undefined;
  /** Other names and addresses, without ports. */
  readonly allowed: readonly string[];
}

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Judges whom a request is meant for. A web page can have a name of its own lead to this machine (DNS rebinding); the requests that
 * it then makes carry its name, and forms that it sends its origin.
 *
 * Our choice: ports are not looked at, because what forwards them changes them.
 *
 * @see RFC 9110, section 7.4; RFC 9110, section 15.5.20; RFC 6454, section 7
 */
export class Hosts {
  readonly #log: Core['log'];
  readonly #names: ReadonlySet<string>;
  readonly #publicOrigin: string | undefined;
  readonly #isOnAll: boolean;
  /** Values of the header that were found to be ours, and names that were not and were told of. */
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

  /** Whether the request names this service in its header `Host`. What its target names no web page can choose. */
  isOurs({ headers: { host }, socket }: Asked): boolean {
    const isOurs = host !== undefined && (this.#known.has(host) || this.#isName(host, socket));
    return isOurs || this.#refuse(host);
  }

  /**
   * Whether the request is a form that a page of another origin sends: browsers ask nobody before they send such.
   *
   * Our choice: what browsers send only after a question that this service answers with 405 is let on, so that programs may name
   * any origin.
   */
  isForeignForm({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean {
    const { origin } = headers;
    if (origin === undefined || safeMethods.has(method)) return false;
    if (!simpleTypes.test(headers['content-type'] ?? '')) return false;
    if (origin === 'null') return headers['sec-fetch-site'] !== 'same-origin';
    const url = URL.parse(origin);
    if (!url || url.origin === this.#publicOrigin) return !url;
    return url.host !== URL.parse(`${url.protocol}//${headers.host}`)?.host;
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
        'A request names a host that is not ours; --allowed-host would allow it.',
      );
    }
    return false;
  }
}

const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

const rememberedMax = 1000;
const toldMax = 20;

/** What a form can send, and nothing at all. @see https://fetch.spec.whatwg.org/#cors-safelisted-request-header */
const simpleTypes = /^\s*(?:$|(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$))/i;

const loopback = blockList(['127.0.0.0/8', '::1']);

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || holds(loopback, name.replace(/^\[|\]$/g, ''));
}

/** A host in one spelling and without its port; undefined when it is none. */
export function nameOf(host: string): string | undefined {
  const url = URL.parse(`http://${host}`);
  return url && url.href === `http://${url.host}/` ? url.hostname.replace(/\.$/, '') : undefined;
}

function nameOfAddress(localAddress = ''): string | undefined {
  const address = peerAddress({ remoteAddress: localAddress });
  return nameOf(address.includes(':') ? `[${address}]` : address);
}

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
