import type { Transport } from '../wire/http/transport.ts';

/** Node's own HTTP, loaded at the first call: it takes longer to load than all the rest of this door. */
export function lazyNodeTransport(): Transport {
  let loaded: Promise<Transport> | undefined;
  const load = async () => (await import('../wire/http/node-transport.ts')).nodeTransport();
  return {
    async send(request) {
      loaded ??= load();
      return (await loaded).send(request);
    },
    close() {
      void loaded?.then(transport => transport.close());
    },
  };
}
