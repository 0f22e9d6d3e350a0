import type { AppState } from '../shared/state.ts';

type Listener = (state: AppState) => void;

/** The one state of the app. Changes of one turn of the event loop are told of together. */
export class StateStore {
  #state: AppState;
  readonly #listeners = new Set<Listener>();
  #isTelling = false;

  constructor(first: AppState) {
    this.#state = first;
  }

  get state(): AppState {
    return this.#state;
  }

  /** Replaces the fields given. */
  set(change: Partial<AppState>): void {
    this.#state = { ...this.#state, ...change };
    this.#tell();
  }

  /** Takes the shown lobby away. */
  clearLobby(): void {
    const { openLobby: _, ...rest } = this.#state;
    this.#state = rest;
    this.#tell();
  }

  /** @returns what ends it */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener(this.#state);
    });
  }
}
