import { setTimeout } from 'node:timers/promises';
import type { EntryPointDraft } from '../../game-backend/contract.ts';
import { problemOf } from '../shared/problem.ts';
import type { GameBackend } from './game-backend.ts';
import type { Journal } from './journal.ts';
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
  unchanged: 'The entry point is unchanged: nothing was different.',
} as const;

const retryMsMin = 1_000;
const retryMsMax = 30_000;

/**
 * The entry-point command, by way of the game's own server. The game could not do this by itself: registering takes the
 * application's bot token, and everybody who has the game could read a token that is shipped with it.
 */
export class EntryPointDesk {
  readonly #parts: EntryPointDeskParts;
  /** Of the news that are being read. */
  #reading: AbortController | undefined;

  constructor(parts: EntryPointDeskParts) {
    this.#parts = parts;
  }

  /** Follows the entry point, and who else has the game open, until {@link forget}. Resolves with the first news. */
  load(): Promise<void> {
    const { store } = this.#parts;
    this.#reading?.abort();
    this.#reading = new AbortController();
    store.set({ entryPoint: { ...store.value.entryPoint, status: 'loading' } });
    const first = Promise.withResolvers<void>();
    void this.#follow(this.#reading.signal, first);
    return first.promise;
  }

  /** While the game server is away, it is asked again by and by. */
  async #follow(signal: AbortSignal, first: PromiseWithResolvers<void>): Promise<void> {
    const { backend, store } = this.#parts;
    for (let waitMs = retryMsMin; !signal.aborted; waitMs = Math.min(waitMs * 2, retryMsMax)) {
      try {
        const { mayEditCommands: mayEdit } = await backend.whoAmI();
        for await (const { entryPoint, players } of backend.readEntryPointNews(signal)) {
          if (signal.aborted) break;
          store.set({ entryPoint: { status: 'ready', entryPoint, players, mayEdit } });
          first.resolve();
          waitMs = retryMsMin;
        }
      } catch (error) {
        if (signal.aborted) break;
        store.set({ entryPoint: { ...store.value.entryPoint, status: 'failed', problem: problemOf(error) } });
        first.reject(error);
      }
      await setTimeout(waitMs, undefined, { signal }).catch(() => {});
    }
    first.resolve();
  }

  /** Registers the command, or edits the one there is. */
  async save(draft: EntryPointDraft): Promise<void> {
    const { backend, store, journal } = this.#parts;
    const { entryPoint, change } = await backend.saveEntryPoint(draft);
    store.set({ entryPoint: { ...store.value.entryPoint, status: 'ready', entryPoint } });
    journal.note(changes[change], change === 'unchanged' ? 'plain' : 'good');
  }

  close(): void {
    this.#reading?.abort();
  }

  forget(): void {
    this.close();
    this.#parts.store.set({ entryPoint: { status: 'idle', entryPoint: null, players: [], mayEdit: false } });
  }
}
