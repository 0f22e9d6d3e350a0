import { type Client, type LobbyState, TransportError } from '@rallypoint/sdk';
import type { Journal } from './journal.ts';
import { makeSecret } from './lobby-secret.ts';
import { LobbyWatch } from './lobby-watch.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link LobbyDesk} stands on. */
export interface LobbyDeskParts {
  readonly client: Client;
  readonly store: StateStore;
  readonly journal: Journal;
  readonly now: () => number;
}

/** The player's lobbies as windows show them, and what the player does with them. */
export class LobbyDesk {
  readonly #parts: LobbyDeskParts;
  readonly #watches = new Map<string, LobbyWatch>();
  /** Of lobbies that were made or joined in this run. Not written down: they let anybody in. */
  readonly #secrets = new Map<string, string>();
  readonly #leaving = new Set<string>();
  #shownId: string | null = null;

  constructor(parts: LobbyDeskParts) {
    this.#parts = parts;
    parts.client.lobbies$.subscribe(lobbies => this.#take(lobbies));
  }

  /** Makes a lobby with a fresh secret, and shows it. */
  async make(title: string): Promise<void> {
    await this.#enter(makeSecret(), title.trim());
    this.#parts.journal.note('You made a lobby. Share its secret to fill it.', 'good');
  }

  /** Joins the lobby of that secret, or makes it, and shows it. */
  async join(secret: string): Promise<void> {
    await this.#enter(secret.trim(), '');
    this.#parts.journal.note('You came into a lobby by its secret.', 'good');
  }

  async leave(lobbyId: string): Promise<void> {
    const title = this.#titleOf(lobbyId);
    this.#leaving.add(lobbyId);
    try {
      await this.#parts.client.lobbies.get(lobbyId)?.leave();
    } finally {
      this.#leaving.delete(lobbyId);
    }
    this.#secrets.delete(lobbyId);
    this.#parts.journal.note(`You left ${title}.`);
  }

  show(lobbyId: string | null): void {
    this.#shownId = lobbyId;
    for (const [id, watch] of this.#watches) watch.setShown(id === lobbyId);
    this.#publish();
  }

  async say(lobbyId: string, text: string): Promise<void> {
    const lobby = this.#parts.client.lobbies.get(lobbyId);
    if (!lobby) throw new TransportError('lobby_ended', 'You are not in this lobby any more.');
    await lobby.send(text);
  }

  secretOf(lobbyId: string): string | undefined {
    return this.#secrets.get(lobbyId);
  }

  /** Forgets what is not another player's to see. To be called once nobody is signed in. */
  forget(): void {
    this.#secrets.clear();
    this.#take([]);
  }

  async #enter(secret: string, title: string): Promise<void> {
    const { client, store } = this.#parts;
    const { session } = store.state;
    const name = session.step === 'signed-in' ? session.player?.displayName : undefined;
    const { id: lobbyId } = await client.lobbies.join(secret, {
      ...(title !== '' && { lobbyMetadata: { title } }),
      // Members come with their ids alone; a game that wants names among them says its own.
      ...(name !== undefined && { memberMetadata: { name } }),
    });
    this.#secrets.set(lobbyId, secret);
    this.show(lobbyId);
  }

  #take(known: LobbyState): void {
    // The client may let go of them a moment after the player has left.
    const lobbies = this.#parts.store.state.session.step === 'signed-in' ? known : [];
    const present = new Set<string>(lobbies.map(({ id }) => id));
    for (const id of [...this.#watches.keys()]) if (!present.has(id)) this.#lost(id);
    for (const lobby of lobbies) {
      const watch = this.#watches.get(lobby.id);
      if (watch) watch.take(lobby);
      else this.#watches.set(lobby.id, this.#watch(lobby));
    }
    this.#publish();
  }

  #watch(lobby: LobbyState[number]): LobbyWatch {
    const { client, journal, now } = this.#parts;
    const watch = new LobbyWatch(lobby, {
      client,
      now,
      onChange: () => this.#publish(),
      onEvent: (title, text) => journal.note(`${title}: ${text}.`),
    });
    watch.setShown(lobby.id === this.#shownId);
    return watch;
  }

  #lost(id: string): void {
    const { client, journal } = this.#parts;
    const title = this.#titleOf(id);
    this.#watches.get(id)?.close();
    this.#watches.delete(id);
    if (this.#shownId === id) this.#shownId = null;
    // Without a session no lobby is known; that says nothing of the lobbies.
    const isNews = client.status.status === 'ready' && !this.#leaving.has(id);
    if (isNews) journal.note(`${title} is over for you.`);
  }

  #publish(): void {
    const { store } = this.#parts;
    store.set({ lobbies: [...this.#watches.values()].map(({ summary }) => summary) });
    const shown = this.#watches.get(this.#shownId ?? '');
    if (shown) store.set({ openLobby: shown.view(this.#secrets.get(this.#shownId ?? '')) });
    else store.clearLobby();
  }

  #titleOf(lobbyId: string): string {
    return this.#watches.get(lobbyId)?.title ?? 'The lobby';
  }
}
