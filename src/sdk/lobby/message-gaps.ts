import type { LobbyId } from '../../model/snowflake.ts';
import type { Logger } from '../../wire/ports.ts';
import { messagesKeptMax } from './live-messages.ts';
import type { LobbyMessages } from './snapshot.ts';
import type { LobbyStore } from './store.ts';

/** The newest messages of a lobby, at most `limit`, asked of the service. */
export type LoadHistory = (id: LobbyId, limit: number, signal: AbortSignal) => Promise<LobbyMessages>;

/**
 * What lobbies said while the client was away: a session that could not be resumed brings the lobbies as they are, but
 * not the messages between. They are asked for; until they are there, newer ones wait behind them.
 */
export class MessageGaps {
  readonly #store: LobbyStore;
  readonly #load: LoadHistory;
  readonly #logger: Logger;
  #filling = new AbortController();

  constructor(store: LobbyStore, load: LoadHistory, logger: Logger) {
    this.#store = store;
    this.#load = load;
    this.#logger = logger;
  }

  /** A new session began, in which these lobbies are known from the one before. */
  fill(ids: readonly LobbyId[]): void {
    this.stop();
    for (const id of ids) void this.#fill(id, this.#filling.signal);
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#filling.abort();
    this.#filling = new AbortController();
  }

  async #fill(id: LobbyId, signal: AbortSignal): Promise<void> {
    this.#store.changeMessages(id, messages => messages.hold());
    try {
      const history = await this.#load(id, messagesKeptMax, signal);
      if (!signal.aborted) this.#store.changeMessages(id, messages => messages.fill(history));
    } catch (error) {
      if (signal.aborted) return;
      this.#logger.warn({ lobby: id, error: nameOf(error) }, 'messages of a lost connection could not be had');
      this.#store.changeMessages(id, messages => messages.release());
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
