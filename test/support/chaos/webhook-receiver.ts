import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message of a lobby, as the application's server received it. */
export interface ReceivedMessage {
  readonly lobby: string;
  readonly content: string;
}

/** One answer in so many is an error. */
const errorEvery = 7;

/** The server of an application: it receives webhook events, and now and then answers with an error. */
export class WebhookReceiver {
  /** Those that it acknowledged, in the order in which they came. */
  readonly acknowledged: ReceivedMessage[] = [];
  readonly #server: Server;
  #requests = 0;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const { event } = JSON.parse(await text(request));
      const isError = ++this.#requests % errorEvery === 0;
      if (!isError) this.acknowledged.push({ lobby: event.data.lobby_id, content: event.data.content });
      response.writeHead(isError ? 500 : 204).end();
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
