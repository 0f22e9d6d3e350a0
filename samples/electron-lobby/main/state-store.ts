import type { GameState } from '../shared/state.ts';

type Listener = (state: GameState) => void;

/** The one state of the game. Changes of one turn of the event loop are told of together. */
export class StateStore {
  #state: GameState;
  readonly #listeners = new Set<Listener>();
  #isTelling = false;

  constructor(first: GameState) {
    this.#state = first;
  }

  get state(): GameState {
    return this.#state;
  }

  /** Replaces the fields given. */
  set(change: Partial<GameState>): void {
    this.#state = { ...this.#state, ...change };
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
