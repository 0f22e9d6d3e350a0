import type { LobbyNews, LogEntry, Tone } from '../shared/state.ts';
import type { StateStore } from './state-store.ts';

const entriesMax = 200;

/** What happened last, for the player to read. Texts come from here and from names; never an address or a token. */
export class Journal {
  readonly #store: StateStore;
  #lastId = 0;

  constructor(store: StateStore) {
    this.#store = store;
  }

  note(text: string, tone: Tone = 'plain', news?: LobbyNews): void {
    const entry: LogEntry = { id: ++this.#lastId, atMs: Date.now(), tone, text, ...(news && { news }) };
    this.#store.set({ log: [...this.#store.value.log, entry].slice(-entriesMax) });
  }
}
