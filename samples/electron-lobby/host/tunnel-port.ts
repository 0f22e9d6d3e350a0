import { EventEmitter } from 'node:events';

/** Electron's `MessagePortMain` over the WebSocket of a page: emits `message` and `close`. */
export class TunnelPort extends EventEmitter {
  readonly #send: (message: { readonly data?: unknown; readonly isClosed?: boolean }) => void;

  constructor(send: (message: { readonly data?: unknown; readonly isClosed?: boolean }) => void) {
    super();
    this.#send = send;
  }

  /** Messages of a page come later than the turn in which its port does, so that none needs to wait for this. */
  start(): void {}

  postMessage(data: unknown): void {
    this.#send({ data });
  }

  close(): void {
    this.#send({ isClosed: true });
  }
}
