import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { loadOnce } from '../wire/load-once.ts';
import type { Fetch, Logger } from '../wire/ports.ts';
import { isPrivateAddress, PrivateAddressError } from './private-address.ts';

/** What tells where a name leads, and which addresses are not for others. */
export interface AddressJudge {
  resolve(host: string): Promise<readonly LookupAddress[]>;
  isPrivate(address: string): boolean;
}

/** A {@link Fetch} that holds connections. */
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
export function createPublicFetch(log: Logger, judge: AddressJudge = systemJudge): PublicFetch {
  let opened: ReturnType<typeof open> | undefined;
  const open = loadOnce(async () => {
    const { Agent, buildConnector, fetch } = await import('undici');
    const connectTo = buildConnector({ lookup: publicLookup(judge) });
    const agent = new Agent({
      connect(target, callback) {
        // Addresses are not looked up.
        const host = target.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && judge.isPrivate(host)) callback(new PrivateAddressError(host), null);
        else connectTo(target, callback);
      },
    });
    return { agent, fetch };
  });

  return {
    async fetch(url, init) {
      opened = open();
      const { agent, fetch } = await opened;
      try {
        // Its types are those of a newer standard library than ours.
        return (await fetch(url, { ...init, dispatcher: agent })) as unknown as Response;
      } catch (error) {
        const { cause } = error as Error;
        if (!(cause instanceof PrivateAddressError)) throw error;
        log.warn({ host: new URL(url).host }, "An application's address leads inside, and is not asked.");
        throw cause;
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.agent.destroy();
    },
  };
}

function publicLookup({ resolve, isPrivate }: AddressJudge): LookupFunction {
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

const systemJudge: AddressJudge = {
  async resolve(host) {
    const { lookup } = await import('node:dns/promises');
    return lookup(host, { all: true });
  },
  isPrivate: isPrivateAddress,
};
