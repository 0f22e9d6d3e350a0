import type { Agent, Dispatcher } from 'undici';
import { loadOnce } from '../load-once.ts';
import {
  answerTooLarge,
  connectionError,
  ReceivedBody,
  systemCode,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

// Enough for hundreds of concurrent calls, few enough not to exhaust a service's sockets.
const socketsPerOriginMax = 128;

const agentOptions = {
  connections: socketsPerOriginMax,
  pipelining: 1,
  // Every call has its own deadline.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/**
 * Carries requests by `undici`, loaded at the first, over connections that are kept alive: for a server that makes many
 * calls. Against `nodeTransport` a call costs half, and like there it is certain whether a failed one had left.
 */
export function undiciTransport(): Transport {
  let agent: Agent | undefined;
  let isClosed = false;

  const load = loadOnce(async () => {
    const { Agent: PooledAgent } = await import('./undici-agent.ts');
    agent = new PooledAgent(agentOptions);
    if (isClosed) await agent.destroy();
    return agent;
  });

  return {
    async send(request) {
      return exchange(agent ?? (await load()), request);
    },
    close() {
      isClosed = true;
      // Closing rejects the requests that are under way.
      void agent?.destroy();
    },
  };
}

function exchange(agent: Agent, request: TransportRequest): Promise<TransportAnswer> {
  const { method, url, headers, signal } = request;
  const body = typeof request.body === 'object' ? new Uint8Array(request.body) : (request.body ?? null);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const pathStart = url.indexOf('/', url.indexOf('://') + 3);
    const target = { origin: url.slice(0, pathStart), path: url.slice(pathStart) };
    agent.dispatch({ ...target, method, headers, body }, new Exchange(request, { resolve, reject }));
  });
}

interface Outcome {
  resolve(answer: TransportAnswer): void;
  reject(error: unknown): void;
}

/** One request on its way, and its answer as it comes. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #outcome: Outcome;
  readonly #body = new ReceivedBody();
  readonly #abort = () => this.#giveUp(this.#signal.reason);
  /** Set right before the first byte is sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: TransportAnswer['headers'] = {};
  #isOver = false;

  constructor({ url, signal }: TransportRequest, outcome: Outcome) {
    this.#url = url;
    this.#signal = signal;
    this.#outcome = outcome;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.add(chunk)) this.#giveUp(answerTooLarge());
  }

  onResponseEnd(): void {
    this.#end();
    this.#outcome.resolve({ status: this.#status, headers: this.#headers, text: this.#body.text() });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#outcome.reject(connectionError(this.#url, systemCode(error), !this.#controller));
  }

  #giveUp(reason: unknown): void {
    this.#end();
    this.#outcome.reject(reason);
    this.#controller?.abort(givenUp);
  }

  #end(): void {
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#abort);
  }
}

const givenUp = new Error('The request was aborted.');
