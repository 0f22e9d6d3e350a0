import { type Client, type LobbySnapshot, type LobbyState, TransportError } from '@rallypoint/sdk';
import { makeJoinCode, parseJoinCode } from './join-code.ts';
import type { Journal } from './journal.ts';
import { LobbyWatch } from './lobby-watch.ts';
import { GameError } from './problem.ts';
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
  /** Of lobbies that were created or joined in this run. Never stored: whoever has one can join. */
  readonly #codes = new Map<string, string>();
  readonly #leaving = new Set<string>();
  #shownId: string | null = null;
  #joinsUnderWay = 0;

  constructor(parts: LobbyDeskParts) {
    this.#parts = parts;
    parts.client.lobbies$.subscribe(lobbies => this.#take(lobbies));
  }

  /** Creates a lobby with a new join code, and shows it. */
  async create(title: string): Promise<void> {
    const lobby = await this.#enter(makeJoinCode(), title.trim() || `${this.#playerName ?? 'A player'}’s lobby`);
    this.show(lobby.id);
    this.#parts.journal.note('You created a lobby. Share its code so that others can join.', 'good');
  }

  /**
   * Joins the lobby of that code, and shows it.
   *
   * The interface creates a lobby for a secret that no lobby has, and does not say that it did. So a mistyped code is found
   * before anything is sent, and a lobby that turns out to be new is left again unless the player wants it.
   *
   * @param create whether to create the lobby if no lobby has this code
   * @throws GameError `mistyped_code`, `no_such_lobby`
   */
  async join(typed: string, create: boolean): Promise<void> {
    const code = parseJoinCode(typed);
    if (code === undefined) throw new GameError('mistyped_code');
    if (create) {
      const lobby = await this.#enter(code, `${this.#playerName ?? 'A player'}’s lobby`);
      return this.show(lobby.id);
    }
    const before = new Set<string>(this.#watches.keys());
    this.#joinsUnderWay++;
    try {
      const lobby = await this.#enter(code);
      if (isNew(lobby) && !before.has(lobby.id)) {
        this.#codes.delete(lobby.id);
        await this.#parts.client.lobbies.get(lobby.id)?.leave();
        throw new GameError('no_such_lobby');
      }
      this.show(lobby.id);
    } finally {
      this.#joinsUnderWay--;
    }
    this.#parts.journal.note('You joined a lobby by its code.', 'good');
  }

  async leave(lobbyId: string): Promise<void> {
    const title = this.#titleOf(lobbyId);
    this.#leaving.add(lobbyId);
    try {
      await this.#parts.client.lobbies.get(lobbyId)?.leave();
    } finally {
      this.#leaving.delete(lobbyId);
    }
    this.#codes.delete(lobbyId);
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

  codeOf(lobbyId: string): string | undefined {
    return this.#codes.get(lobbyId);
  }

  /** Forgets what is not another player's to see. To be called once nobody is signed in. */
  forget(): void {
    this.#codes.clear();
    this.#take([]);
  }

  /** @param title of the lobby, should it be created */
  async #enter(code: string, title?: string): Promise<LobbySnapshot> {
    const { client } = this.#parts;
    const name = this.#playerName;
    const { id, snapshot } = await client.lobbies.join(code, {
      ...(title !== undefined && { lobbyMetadata: { title } }),
      // Members come with their ids alone; a game that wants names among them adds them.
      ...(name !== undefined && { memberMetadata: { name } }),
    });
    this.#codes.set(id, code);
    if (!snapshot) throw new GameError('client_not_ready');
    return snapshot;
  }

  get #playerName(): string | undefined {
    const { session } = this.#parts.store.state;
    return session.step === 'signed-in' ? session.player?.displayName : undefined;
  }

  #take(known: LobbyState): void {
    // The client may let go of them a moment after the player has left.
    const isSignedIn = this.#parts.store.state.session.step === 'signed-in';
    // A lobby that a join has just created is not shown before the player wants it.
    const lobbies = isSignedIn
      ? known.filter(lobby => this.#joinsUnderWay === 0 || this.#watches.has(lobby.id) || !isNew(lobby))
      : [];
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
    if (shown) store.set({ openLobby: shown.view(this.#codes.get(this.#shownId ?? '')) });
    else store.clearLobby();
  }

  #titleOf(lobbyId: string): string {
    return this.#watches.get(lobbyId)?.title ?? 'The lobby';
  }
}

/** Nobody created it on purpose: the game gives every lobby that it creates a title, and nobody else is in it. */
function isNew({ metadata, members }: LobbySnapshot): boolean {
  return metadata.title === undefined && members.length <= 1;
}
