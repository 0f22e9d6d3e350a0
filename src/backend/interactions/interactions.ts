import { createInteractionEndpoint, type EndpointOptions, type InteractionEndpoint } from './endpoint.ts';
import { type InteractionListener, type InteractionListenerOptions, type ListenerPorts, listen } from './listener.ts';
import type { InteractionHandler } from './run-handler.ts';

/** Receives the application's interactions: by the gateway or, where it has an interactions endpoint URL, by HTTP. */
export interface Interactions {
  /**
   * Connects with the bot token and hands each interaction to `handler` as it comes, without waiting for the one
   * before. Lost connections are restored. An interaction comes this way only while the application has no
   * interactions endpoint URL.
   *
   * @returns once the session is open
   * @throws ArgumentError `credential_missing`; GatewayError the gateway refused for good (4004: a wrong token);
   *   TransportError `aborted`; and what asking for the gateway's address may throw
   */
  listen(handler: InteractionHandler, options?: InteractionListenerOptions): Promise<InteractionListener>;
  /**
   * Makes what the application's interactions endpoint URL leads to; the server around it is yours. Requests without
   * the service's signature are refused, PINGs are answered, and everything else goes to `handler`, the same as
   * {@link listen} takes.
   *
   * @returns once the application's public key is known
   * @throws ArgumentError `invalid_public_key`, `credential_missing` with neither a `publicKey` nor a bot token; and
   *   what asking for the key may throw
   * @example
   * ```ts
   * const endpoint = await backend.interactions.endpoint(router([rally]));
   * createServer(endpoint.handleRequest).listen(3000);
   * ```
   */
  endpoint(handler: InteractionHandler, options?: EndpointOptions): Promise<InteractionEndpoint>;
  /** Closes every listener and endpoint, and resolves when they are closed. Idempotent. */
  close(): Promise<void>;
}

/** @see docs/spec/interactions.md */
export function createInteractions(ports: ListenerPorts): Interactions {
  const open = new Set<InteractionListener | InteractionEndpoint>();
  const keeper = {
    keep: (one: InteractionListener | InteractionEndpoint) => void open.add(one),
    forget: (one: InteractionListener | InteractionEndpoint) => void open.delete(one),
  };
  return {
    listen: (handler, options = {}) => listen(ports, handler, options, keeper),
    async endpoint(handler, options = {}) {
      const endpoint = await createInteractionEndpoint(ports, handler, options, keeper.forget);
      keeper.keep(endpoint);
      return endpoint;
    },
    async close() {
      await Promise.all([...open].map(one => one.close()));
    },
  };
}
