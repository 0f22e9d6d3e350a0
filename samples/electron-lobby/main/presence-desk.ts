import type { Client, LobbySnapshot, RichPresence } from '@rallypoint/sdk';
import { isAccidental, titleOf } from '../shared/names.ts';
import { problemOf } from '../shared/problem.ts';
import type { Journal } from './journal.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link PresenceDesk} stands on. */
export interface PresenceDeskParts {
  readonly client: Client;
  readonly store: StateStore;
  readonly journal: Journal;
}

/** A friend is not invited to a full party. */
const partyMax = 8;

/** What friends see of the player: where they are, and whether there is room beside them. */
export class PresenceDesk {
  readonly #parts: PresenceDeskParts;
  #shown = '';

  constructor(parts: PresenceDeskParts) {
    this.#parts = parts;
    const { client, store } = parts;
    client.lobbies$.subscribe(() => this.#show());
    client.status$.subscribe(() => this.#show());
    store.subscribe(() => this.#show());
  }

  /** The lobby of which this game has the code: the one that was created or joined last. */
  get #lobby(): (LobbySnapshot & { readonly code: string }) | undefined {
    const { client, store } = this.#parts;
    const { codes } = store.value;
    const ids = Object.keys(codes).reverse();
    for (const id of ids) {
      const lobby = client.lobbies.snapshot.find(one => one.id === id);
      const code = codes[id];
      if (lobby && code !== undefined && !isAccidental(lobby)) return { ...lobby, code };
    }
    return undefined;
  }

  /** The client sends it again by itself after a reconnect. */
  #show(): void {
    const { client, journal } = this.#parts;
    if (client.status.status !== 'ready') return;
    const lobby = this.#lobby;
    const presence: RichPresence = lobby
      ? {
          details: titleOf(lobby).slice(0, 128),
          state: 'In a lobby',
          party: { id: lobby.id, size: [lobby.members.length, partyMax] },
          joinSecret: lobby.code,
        }
      : { details: 'Looking around' };
    const text = JSON.stringify(presence);
    if (text === this.#shown) return;
    this.#shown = text;
    client.presence.set(presence).catch((error: unknown) => {
      this.#shown = '';
      journal.note(`Friends do not see what you do: ${problemOf(error).message}`, 'warning');
    });
  }
}
