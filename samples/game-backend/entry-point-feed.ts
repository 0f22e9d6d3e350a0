import type { ServerResponse } from 'node:http';
import type { EntryPointNews, EntryPointView } from './contract.ts';
import type { Player } from './players.ts';
import { Refusal } from './refusal.ts';

const streamsMax = 1_000;
const unreadBytesMax = 65_536;

export interface Stream {
  readonly player: Player;
  readonly response: ServerResponse;
  /** Rejects once the player is not signed in any more. */
  readonly identify: () => Promise<Player>;
}

/**
 * Keeps the pages of several players equal: each receives the entry point and who else is there, now and with every change,
 * as server-sent events.
 */
export class EntryPointFeed {
  readonly #streams = new Set<Stream>();
  readonly #recheckMs: number;
  #entryPoint: EntryPointView | null = null;

  /** @param recheckMs a sign-in that was taken back ends its stream within this time */
  constructor(recheckMs: number) {
    this.#recheckMs = recheckMs;
  }

  /** Sends the news to this player until the player goes. */
  add(stream: Stream, entryPoint: EntryPointView | null): void {
    if (this.#streams.size >= streamsMax) throw new Refusal('try_later', 'Too many players are watching.');
    const { response, identify } = stream;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.add(stream);
    this.#entryPoint = entryPoint;
    const recheck = setInterval(() => void identify().catch(() => response.end()), this.#recheckMs);
    response.once('close', () => {
      clearInterval(recheck);
      this.#streams.delete(stream);
      this.#send();
    });
    this.#send();
  }

  /** The entry point was saved. */
  publish(entryPoint: EntryPointView): void {
    this.#entryPoint = entryPoint;
    this.#send();
  }

  #send(): void {
    // A player with two windows is there once.
    const here = new Map([...this.#streams].map(({ player: { id, displayName } }) => [id, { id, displayName }]));
    const news: EntryPointNews = { entryPoint: this.#entryPoint, players: [...here.values()] };
    for (const { response } of this.#streams) {
      // Who does not read what is sent is cut off, and asks again.
      if (response.writableLength > unreadBytesMax) response.destroy();
      else response.write(`data: ${JSON.stringify(news)}\n\n`);
    }
  }
}
