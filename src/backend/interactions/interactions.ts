import { ArgumentError } from '../../model/errors/errors.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { ComponentCollectors } from './component-collectors.ts';
import {
  createInteractionEndpoint,
  type EndpointOptions,
  type EndpointPorts,
  type InteractionEndpoint,
} from './endpoint.ts';
import {
  type InteractionListener,
  type InteractionListenerOptions,
  type Keeper,
  type ListenerPorts,
  listen,
} from './listener.ts';
import type { ComponentUse } from './received-interaction.ts';
import type { InteractionHandler } from './run-handler.ts';

/** Receives the application's interactions: over the gateway or, if it has an interactions endpoint URL, over HTTP. */
export interface Interactions {
  /**
   * Connects to the gateway with the bot token and calls `handler` with each interaction, without waiting for the previous
   * call. Lost connections are restored. The service uses the gateway only while the application has no interactions
   * endpoint URL.
   *
   * @returns when the session is open
   * @throws ArgumentError `credential_missing`, `invalid_argument`, `closed`; GatewayError if the gateway rejected the session for good (4004: a wrong
   *   token); TransportError `aborted`; and what the request for the gateway's address throws
   */
  listen(handler: InteractionHandler, options?: InteractionListenerOptions): Promise<InteractionListener>;
  /**
   * Creates the handler behind the application's interactions endpoint URL, for a server of yours. It rejects requests
   * without the service's signature, answers PINGs, and calls `handler` with everything else, as {@link listen} does.
   *
   * @returns when the application's public key is known
   * @throws ArgumentError `invalid_public_key`, `invalid_argument`, `closed`, `credential_missing` without a `publicKey` and a bot token; and what the
   *   request for the key throws
   * @example
   * ```ts
   * const endpoint = await backend.interactions.endpoint(router([rally]));
   * createServer(endpoint.handleRequest).listen(3000);
   * ```
   */
  endpoint(handler: InteractionHandler, options?: EndpointOptions): Promise<InteractionEndpoint>;
  /** Closes every listener and endpoint, ends every collector, and resolves when all are closed. Idempotent. */
  close(): Promise<void>;
}

/** @see docs/spec/interactions.md */
export function createInteractions(given: Omit<ListenerPorts & EndpointPorts, 'collectors'>): Interactions {
  const collectors = new ComponentCollectors<ComponentUse>(given.clock);
  const ports: ListenerPorts & EndpointPorts = { ...given, collectors };
  const open = new Set<InteractionListener | InteractionEndpoint>();
  let isClosed = false;
  const keeper: Keeper<InteractionListener | InteractionEndpoint> = {
    requireOpen() {
      if (isClosed) throw new ArgumentError('closed', 'This backend has been closed.');
    },
    keep: one => void open.add(one),
    forget: one => void open.delete(one),
  };
  return {
    async listen(handler, options) {
      requireType('handler', handler, 'function');
      return listen(ports, handler, parseOptions(options), keeper);
    },
    async endpoint(handler, options?: EndpointOptions) {
      requireType('handler', handler, 'function');
      const endpoint = await createInteractionEndpoint(ports, handler, parseOptions(options), keeper.forget);
      keeper.requireOpen();
      keeper.keep(endpoint);
      return endpoint;
    },
    async close() {
      isClosed = true;
      collectors.close();
      await Promise.all([...open].map(one => one.close()));
    },
  };
}
