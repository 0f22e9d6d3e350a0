import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Fetch, Logger } from '../../wire/clock/ports.ts';
import { loadOnce } from '../../wire/load-once.ts';
import { isPrivateAddress, PrivateAddressError } from './private-address.ts';

/** Resolves host names, and knows which addresses are private. */
export interface AddressResolver {
  resolve(host: string): Promise<readonly LookupAddress[]>;
  isPrivate(address: string): boolean;
}

/** A {@link Fetch} with a connection pool. Redirects are not followed. */
export interface PublicFetch {
  readonly fetch: Fetch;
  close(): Promise<void>;
}

/**
 * Sends requests to public addresses only. The check applies to the address that is connected to, from the only look-up of the name,
 * so that a name that resolves differently a moment later (DNS rebinding) has no effect.
 *
 * Unspecified: a name is rejected if any of its addresses is private.
 */
export function createPublicFetch(log: Logger, resolver: AddressResolver = systemResolver): PublicFetch {
  let opened: ReturnType<typeof open> | undefined;
  const open = loadOnce(async () => {
    const { Agent, buildConnector, request } = await import('undici');
    const connectTo = buildConnector({ lookup: publicLookup(resolver) });
    const agent = new Agent({
      connect(target, callback) {
        // `lookup` is not called for addresses.
        const host = target.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && resolver.isPrivate(host)) callback(new PrivateAddressError(host), null);
        else connectTo(target, callback);
      },
    });
    return { agent, request };
  });

  return {
    async fetch(url, { method, headers, body = null, signal }) {
      opened = open();
      const { agent, request } = await opened;
      try {
        return asResponse(
          await request(url, {
            dispatcher: agent,
            method: method as Dispatcher.HttpMethod,
            headers,
            body: typeof body === 'object' && body ? new Uint8Array(body) : body,
            signal,
          }),
        );
      } catch (error) {
        if (error instanceof PrivateAddressError) {
          log.warn({ host: new URL(url).host }, 'A request to a private address was not sent.');
        }
        throw error;
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.agent.destroy();
    },
  };
}

// Statuses whose responses never have a body. @see RFC 9110, section 15.3.5; RFC 9110, section 15.3.6; RFC 9110, section 15.4.5
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function asResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
  const isBodiless = bodiless.has(statusCode);
  if (isBodiless) body.resume();
  // The types of Readable.toWeb() are those of a newer standard library.
  const stream = isBodiless ? null : (Readable.toWeb(body) as unknown as ReadableStream<Uint8Array>);
  const list = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(stream, { status: statusCode, headers: list });
}

function publicLookup({ resolve, isPrivate }: AddressResolver): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      addresses => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isPrivate(address))) {
          callback(new PrivateAddressError(host), '');
        } else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

const systemResolver: AddressResolver = {
  async resolve(host) {
    const { lookup } = await import('node:dns/promises');
    return lookup(host, { all: true });
  },
  isPrivate: isPrivateAddress,
};
