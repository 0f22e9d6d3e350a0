import { BehaviorSubject, Observable, type Subscriber } from 'rxjs';
import type { LobbyId } from '../../model/snowflake.ts';
import type { Logger } from '../../wire/ports.ts';
import { findById } from './by-id.ts';
import { concernsLobbies, readLobbyEvent } from './dispatch-reader.ts';
import { type LobbyEvent, type LobbyState, noLobbies, reduce } from './reducer.ts';
import type { LobbySnapshot } from './snapshot.ts';

type Watcher = Subscriber<LobbySnapshot | undefined>;

/** The lobbies a client knows of, live. Who watches one lobby is woken only when something happened to that one. */
export class LobbyStore {
  /** Replays the latest; emits when something changed; completes on {@link close}. */
  readonly lobbies$: Observable<LobbyState>;
  readonly #logger: Logger;
  readonly #state = new BehaviorSubject(noLobbies);
  readonly #watchers = new Map<LobbyId, Set<Watcher>>();
  #isClosed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.lobbies$ = this.#state.asObservable();
  }

  get lobbies(): LobbyState {
    return this.#state.value;
  }

  lobby(id: LobbyId): LobbySnapshot | undefined {
    return findById(this.lobbies, id);
  }

  /** As {@link lobbies$}, of one lobby; undefined while the player is in no lobby of that id. */
  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return new Observable(watcher => {
      if (this.#isClosed) {
        watcher.complete();
        return undefined;
      }
      watcher.next(this.lobby(id));
      return this.#watch(id, watcher);
    });
  }

  /** Takes a dispatch in; one that cannot be read is logged and changes nothing. */
  apply(name: string, data: unknown): void {
    if (!concernsLobbies(name)) return;
    const event = readLobbyEvent(name, data);
    if (!event || (event.kind === 'reset' && event.unreadable > 0)) {
      this.#logger.error({ name }, 'a lobby dispatch could not be read and was dropped');
    }
    if (event) this.#change(event);
  }

  /** Forgets every lobby. */
  clear(): void {
    this.#change({ kind: 'reset', lobbies: noLobbies, unreadable: 0 });
  }

  /** Ends every stream; nothing is heard afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#state.complete();
    for (const watcher of [...this.#watchers.values()].flatMap(watchers => [...watchers])) watcher.complete();
  }

  #change(event: LobbyEvent): void {
    const before = this.lobbies;
    const after = reduce(before, event);
    if (after === before) return;
    this.#state.next(after);
    for (const id of event.kind === 'reset' ? [...this.#watchers.keys()] : [event.lobbyId]) {
      const lobby = findById(after, id);
      if (lobby === findById(before, id)) continue;
      for (const watcher of [...(this.#watchers.get(id) ?? [])]) watcher.next(lobby);
    }
  }

  #watch(id: LobbyId, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
  }
}
