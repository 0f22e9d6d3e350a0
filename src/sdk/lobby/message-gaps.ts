import type { LobbyId, Snowflake } from '../../model/snowflake.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { deadlineMsDefault } from '../../wire/http/http.ts';
import type { KeptMessage, LiveMessages } from './live-messages.ts';
import type { HistoryOptions } from './message-thread.ts';
import type { LobbyMessageSnapshot } from './snapshot.ts';

/** Requests the newest messages of a lobby or conversation. */
export type LoadHistory<Id, Message> = (id: Id, options: MissedOptions) => Promise<readonly Message[]>;

export interface MissedOptions extends HistoryOptions {
  readonly signal: AbortSignal;
}

/** What keeps the messages of several lobbies or conversations. */
export interface MessageStore<Id, Message extends KeptMessage> {
  /** Does nothing when there is none of that id. */
  changeMessages(id: Id, change: (messages: LiveMessages<Message>) => void): void;
}

/**
 * Loads the messages that were sent while the client was away: a session that could not be resumed brings the lobbies as
 * they are, but not the messages in between. Newer messages are held back until these have been loaded.
 */
export class MessageGaps<Id extends Snowflake = LobbyId, Message extends KeptMessage = LobbyMessageSnapshot> {
  readonly #store: MessageStore<Id, Message>;
  readonly #load: LoadHistory<Id, Message>;
  readonly #logger: Logger;
  readonly #missing = new Set<Id>();
  readonly #asked = new Set<Id>();
  #asking = new AbortController();

  constructor(store: MessageStore<Id, Message>, load: LoadHistory<Id, Message>, logger: Logger) {
    this.#store = store;
    this.#load = load;
    this.#logger = logger;
  }

  /** A new session began, in which these lobbies are known from the one before. */
  open(ids: readonly Id[]): void {
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

  async #fill(id: Id, signal: AbortSignal): Promise<void> {
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
      // The client requests this by itself: with a deadline of its own, whatever those of the game's calls.
      const options = { limit, signal, whenOffline: 'fail', deadlineMs: deadlineMsDefault } as const;
      const history = await this.#load(id, options);
      if (signal.aborted) return;
      this.#missing.delete(id);
      this.#asked.delete(id);
      this.#store.changeMessages(id, messages => messages.fill(this, history));
    } catch (error) {
      if (signal.aborted) return;
      this.#asked.delete(id);
      this.#logger.warn({ id, error: reportError(error) }, 'missed messages could not be loaded');
      this.#store.changeMessages(id, messages => messages.release(this));
    }
  }
}
