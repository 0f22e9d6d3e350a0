import type { LobbyId } from '../../model/snowflake.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import type { LobbyMessages } from './snapshot.ts';
import type { LobbyStore } from './store.ts';

/** The newest messages of a lobby, at most `limit`, asked of the service. */
export type LoadHistory = (id: LobbyId, limit: number, signal: AbortSignal) => Promise<LobbyMessages>;

/**
 * Loads the messages that were sent while the client was away: a session that could not be resumed brings the lobbies as
 * they are, but not the messages in between. Newer messages are held back until these have been loaded.
 */
export class MessageGaps {
  readonly #store: LobbyStore;
  readonly #load: LoadHistory;
  readonly #logger: Logger;
  readonly #missing = new Set<LobbyId>();
  readonly #asked = new Set<LobbyId>();
  #asking = new AbortController();

  constructor(store: LobbyStore, load: LoadHistory, logger: Logger) {
    this.#store = store;
    this.#load = load;
    this.#logger = logger;
  }

  /** A new session began, in which these lobbies are known from the one before. */
  open(ids: readonly LobbyId[]): void {
    this.stop();
    for (const id of ids) {
      this.#missing.add(id);
      this.#store.changeMessages(id, messages => messages.hold(this));
    }
  }

  /** The client is ready: loads what is missing, also where the last attempt failed. */
  fill(): void {
    for (const id of this.#missing) if (!this.#asked.has(id)) void this.#fill(id, this.#asking.signal);
  }

  /** Aborts what is in progress, and forgets what is missing. */
  stop(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#missing.clear();
    this.#asked.clear();
  }

  async #fill(id: LobbyId, signal: AbortSignal): Promise<void> {
    this.#asked.add(id);
    let limit = 0;
    this.#store.changeMessages(id, messages => {
      messages.hold(this);
      limit = messages.max;
    });
    if (limit === 0) {
      this.#missing.delete(id); // the lobby ended meanwhile
      this.#asked.delete(id);
      return;
    }
    try {
      const history = await this.#load(id, limit, signal);
      if (signal.aborted) return;
      this.#missing.delete(id);
      this.#asked.delete(id);
      this.#store.changeMessages(id, messages => messages.fill(this, history));
    } catch (error) {
      if (signal.aborted) return;
      this.#asked.delete(id);
      this.#logger.warn(
        { lobby: id, error: reportError(error) },
        'messages that were sent while the connection was lost could not be loaded',
      );
      this.#store.changeMessages(id, messages => messages.release(this));
    }
  }
}
