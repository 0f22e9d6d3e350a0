import type { Transport } from './transport.ts';

/**
 * Carries requests by Node's own HTTP over connections that are kept alive. It is loaded with the first call, because that takes longer
 * than loading the rest of an entry point.
 */
export function nodeTransport(): Transport {
  let loaded: Promise<Transport> | undefined;
  const load = async () => (await import('./node-exchange.ts')).openNodeTransport();
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
