import { type GatewayError, TransportError } from '../../model/errors/errors.ts';
import { interactionTypes } from '../../model/interaction.ts';
import type { Clock, Entropy, Logger, SocketFactory } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { readGatewayAddress } from '../../wire/gateway/gateway-address.ts';
import { GatewayConnection } from '../../wire/gateway/gateway-connection.ts';
import type { Call } from '../calls.ts';
import type { Credentials } from '../credentials.ts';
import type { ComponentCollectors } from './component-collectors.ts';
import {
  asComponentUse,
  type ComponentUse,
  createReceivedInteraction,
  type ReceivedInteraction,
  readInteraction,
} from './received-interaction.ts';
import { type InteractionHandler, runHandler } from './run-handler.ts';

export interface InteractionListenerOptions {
  /** Aborts connecting. Has no effect when the session is open. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what a handler threw. Default: the error is logged. */
  readonly onError?: ((error: unknown, interaction: ReceivedInteraction) => void) | undefined;
  /** Called when the gateway has closed the session for good, so that no more interactions arrive. Default: it is logged. */
  readonly onStop?: ((error: GatewayError) => void) | undefined;
}

/** A session that receives interactions. */
export interface InteractionListener {
  /** Stops receiving; handlers that still run may answer. Idempotent. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ListenerPorts {
  readonly call: Call;
  readonly credentials: Credentials;
  readonly loadSocket: () => Promise<SocketFactory>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly collectors: ComponentCollectors<ComponentUse>;
  /** The token may travel over `ws:` beyond this machine. */
  readonly allowUnencrypted: boolean;
}

/** Keeps what receives interactions, so that it is closed with the backend. */
export interface Keeper<Receiver> {
  /** @throws ArgumentError `closed`: nothing would close what is kept now */
  requireOpen(): void;
  keep(receiver: Receiver): void;
  /** No more interactions arrive there. */
  forget(receiver: Receiver): void;
}

/**
 * Receives interactions over the gateway, and resolves when the session is open.
 *
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#events
 */
export async function listen(
  ports: ListenerPorts,
  handler: InteractionHandler,
  options: InteractionListenerOptions,
  { requireOpen, keep, forget }: Keeper<InteractionListener>,
): Promise<InteractionListener> {
  const token = ports.credentials.botToken('Receiving interactions by the gateway');
  const url = await findGateway(ports, options.signal);
  const openSocket = await ports.loadSocket();
  requireOpen();
  const listener: Listener = new Listener(ports, openSocket, { url, token }, handler, options, () => forget(listener));
  keep(listener);
  const giveUp = () => listener.close();
  options.signal?.addEventListener('abort', giveUp, { once: true });
  if (options.signal?.aborted) giveUp();
  try {
    await listener.ready;
    return listener;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

class Listener implements InteractionListener {
  /** Resolves when the first session is open, rejects if none can be opened. */
  readonly ready: Promise<void>;
  readonly #ports: ListenerPorts;
  readonly #handler: InteractionHandler;
  readonly #options: InteractionListenerOptions;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #forget: () => void;
  readonly #connection: GatewayConnection;
  #isReady = false;

  constructor(
    ports: ListenerPorts,
    openSocket: SocketFactory,
    { url, token }: { readonly url: string; readonly token: string },
    handler: InteractionHandler,
    options: InteractionListenerOptions,
    forget: () => void,
  ) {
    this.#ports = ports;
    this.#handler = handler;
    this.#options = options;
    this.#forget = forget;
    const { clock, entropy, logger } = ports;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#connection = new GatewayConnection({
      clock,
      entropy,
      logger,
      url,
      openSocket,
      identify: { token, properties: identifyProperties, intents: noIntents },
      onDispatch: (name, data) => this.#dispatched(name, data),
      onStop: error => this.#stopped(error),
    });
  }

  async close(): Promise<void> {
    this.#forget();
    this.#connection.close();
    this.#reject(new TransportError('aborted', 'Listening was aborted.'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #dispatched(name: string, data: unknown): void {
    if (name === 'READY') {
      this.#isReady = true;
      this.#resolve();
    } else if (name === 'INTERACTION_CREATE') {
      this.#handle(data);
    }
  }

  #handle(data: unknown): void {
    const { clock, call, logger, collectors } = this.#ports;
    const payload = readInteraction(data);
    if (!payload || payload.type === interactionTypes.PING) {
      logger.warn({}, 'ignored an interaction that cannot be parsed');
      return;
    }
    const { onError } = this.#options;
    const interaction = createReceivedInteraction(payload, { clock, call, collectors });
    const handle = () => void runHandler(this.#handler, interaction, { onError, logger });
    const use = asComponentUse(interaction);
    if (!use || !collectors.offer(use, handle)) handle();
  }

  #stopped(error: GatewayError): void {
    this.#forget();
    if (!this.#isReady) {
      this.#reject(error);
      return;
    }
    const { logger } = this.#ports;
    const { onStop } = this.#options;
    try {
      if (onStop) onStop(error);
      else logger.error({ closeCode: error.closeCode }, error.message);
    } catch (another) {
      // It runs in an event of the socket: what it threw would end the process.
      logger.error({ error: reportError(another) }, 'onStop failed');
    }
  }
}

const identifyProperties = { os: process.platform, browser: '@rallypoint/sdk', device: '@rallypoint/sdk' };

// Interactions need no intents. @see docs/spec/gateway.md#intents
const noIntents = 0;

async function findGateway({ call, allowUnencrypted }: ListenerPorts, signal?: AbortSignal): Promise<string> {
  const { body } = await call('getGatewayBot', { path: {} }, signal ? { signal } : {});
  return readGatewayAddress(body, { allowUnencrypted });
}
