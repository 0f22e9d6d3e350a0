import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Fetch, Logger } from '../../wire/clock/ports.ts';
import { loadOnce } from '../../wire/load-once.ts';
import { isPrivateAddress, PrivateAddressError } from './private-address.ts';

/** What tells where a name leads, and which addresses are not for others. */
export interface AddressResolver {
  resolve(host: string): Promise<readonly LookupAddress[]>;
  isPrivate(address: string): boolean;
}

/** A {@link Fetch} that holds connections. Redirects are not followed. */
export interface PublicFetch {
  readonly fetch: Fetch;
  close(): Promise<void>;
}

/**
 * Asks only servers at public addresses. Judged is what is connected to, by the one lookup of the name that there is: a
 * name that leads elsewhere a moment later changes nothing.
 *
 * Our choice: a name of which any address is private is refused whole.
 */
export function createPublicFetch(log: Logger, judge: AddressResolver = systemResolver): PublicFetch {
  let opened: ReturnType<typeof open> | undefined;
  const open = loadOnce(async () => {
    const { Agent, buildConnector, request } = await import('./undici-request.ts');
    const connectTo = buildConnector({ lookup: publicLookup(judge) });
    const agent = new Agent({
      connect(target, callback) {
        // Addresses are not looked up.
        const host = target.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && judge.isPrivate(host)) callback(new PrivateAddressError(host), null);
        else connectTo(target, callback);
      },
    });
    return { agent, request };
  });

  return {
    async fetch(url, { method, headers, body = null, signal }) {
      opened = open();
      const { agent, request } = await opened;
      const { origin, pathname, search } = new URL(url);
      const target = { origin, path: pathname + search, method: method as Dispatcher.HttpMethod };
      try {
        return asResponse(await request.call(agent, { ...target, headers, body, signal }));
      } catch (error) {
        if (error instanceof PrivateAddressError) {
          log.warn({ host: new URL(url).host }, 'An address leads inside, and is not asked.');
        }
        throw error;
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.agent.destroy();
    },
  };
}

// Of these a response never has a body. @see RFC 9110, section 15.3.5; RFC 9110, section 15.3.6; RFC 9110, section 15.4.5
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function asResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
  const isBodiless = bodiless.has(statusCode);
  if (isBodiless) body.resume();
  // Its types are those of a newer standard library than ours.
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
