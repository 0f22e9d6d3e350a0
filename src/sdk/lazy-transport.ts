import type { Transport } from '../wire/http/transport.ts';

/** Node's HTTP, loaded with the first call: it takes longer to load than the rest of this entry point. */
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
