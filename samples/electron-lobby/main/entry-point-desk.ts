import type { EntryPointDraft } from '../../game-backend/contract.ts';
import type { GameBackend } from './game-backend.ts';
import type { Journal } from './journal.ts';
import { problemOf } from './problem.ts';
import type { StateStore } from './state-store.ts';

/** What an {@link EntryPointDesk} stands on. */
export interface EntryPointDeskParts {
  readonly backend: GameBackend;
  readonly store: StateStore;
  readonly journal: Journal;
}

const changes = {
  registered: 'The entry point is registered.',
  edited: 'The entry point was changed.',
  unchanged: 'The entry point is as it was: nothing was different.',
} as const;

/**
 * The entry-point command, by way of the game's own server. The game could not do this by itself: registering takes the
 * application's bot token, and a token that is shipped with a game is everybody's.
 */
export class EntryPointDesk {
  readonly #parts: EntryPointDeskParts;

  constructor(parts: EntryPointDeskParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    const { backend, store } = this.#parts;
    const { entryPoint: before } = store.state;
    store.set({ entryPoint: { ...before, status: 'loading' } });
    try {
      const [{ entryPoint }, { mayEditCommands }] = await Promise.all([backend.readEntryPoint(), backend.whoAmI()]);
      store.set({ entryPoint: { status: 'ready', entryPoint, mayEdit: mayEditCommands } });
    } catch (error) {
      store.set({ entryPoint: { ...before, status: 'failed', problem: problemOf(error) } });
      throw error;
    }
  }

  /** Registers the command, or edits the one there is. */
  async save(draft: EntryPointDraft): Promise<void> {
    const { backend, store, journal } = this.#parts;
    const { entryPoint, change } = await backend.saveEntryPoint(draft);
    store.set({ entryPoint: { ...store.state.entryPoint, status: 'ready', entryPoint } });
    journal.note(changes[change], change === 'unchanged' ? 'plain' : 'good');
  }

  forget(): void {
    this.#parts.store.set({ entryPoint: { status: 'idle', entryPoint: null, mayEdit: false } });
  }
}
